import { expect, test } from "vitest";
import { warningBytesMax, warningHeader } from "./warnings.ts";

test("quotes are escaped; empty sentences and those with control characters are not sent", () => {
  expect(warningHeader(['say "hi"', "\r\nX-Evil: 1", "", "\ud800"])).toEqual(['299 - "say \\"hi\\""']);
});

test("UTF-8 is sent as bytes", () => {
  expect(warningHeader(["€"])).toEqual([`299 - "${Buffer.from("€").toString("latin1")}"`]);
});

test("one long sentence is sent whole; above the total limit each sentence is cut", () => {
  expect(warningHeader(["x".repeat(warningBytesMax)])[0]).toHaveLength(warningBytesMax + '299 - ""'.length);
  const cut = warningHeader(Array.from({ length: 100 }, (_, i) => `${i % 10}${"x".repeat(400)}`));
  expect(cut).toHaveLength(warningBytesMax / 256);
  expect(cut[0]).toBe(`299 - "0${"x".repeat(255)}"`);
});
