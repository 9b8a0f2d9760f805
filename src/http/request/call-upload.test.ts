import { expect, test } from "vitest";
import { CallUpload } from "./call-upload.ts";

function open() {
  const places = { given: 0, taken: 0 };
  const call = {
    upload: undefined as CallUpload | undefined,
    releaseSeat() {
      places.given++;
      return () => void places.taken++;
    },
  };
  const upload = new CallUpload(call);
  call.upload = upload;
  return { call, upload, places };
}

test("an upload continues while bytes arrive, and does not count as in flight meanwhile", () => {
  const { call, upload, places } = open();
  upload.passed(10);
  expect([upload.continues(), places.given]).toEqual([true, 1]);
  upload.passed(1);
  expect([upload.continues(), places.given, places.taken]).toEqual([true, 1, 0]);
  upload.ended();
  expect([call.upload, places.taken]).toEqual([undefined, 1]);
});

test("an upload times out when no more bytes arrive", () => {
  const { upload, places } = open();
  expect([upload.continues(), places.given]).toEqual([false, 0]);
  upload.passed(10);
  expect([upload.continues(), upload.continues()]).toEqual([true, false]);
});

test("an upload that ends in time counts as in flight throughout", () => {
  const { upload, places } = open();
  upload.passed(10);
  upload.ended();
  expect(places).toEqual({ given: 0, taken: 0 });
});
