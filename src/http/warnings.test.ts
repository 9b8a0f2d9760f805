import { expect, test } from "vitest";
import { warningBytesMax, warningHeader } from "./warnings.ts";

test("quotes are escaped and controls cannot end the header", () => {
  expect(warningHeader(['say "hi"\r\nX-Evil: 1'])).toEqual(['299 - "say \\"hi\\" X-Evil: 1"']);
});

test("UTF-8 goes out as bytes", () => {
  expect(warningHeader(["€"])).toEqual([`299 - "${Buffer.from("€").toString("latin1")}"`]);
});

test("all sentences together stay within the limit", () => {
  const total = warningHeader(Array.from({ length: 100 }, (_, i) => `${i}${"x".repeat(400)}`)).join("").length;
  expect(total).toBeLessThanOrEqual(warningBytesMax);
});
