import { expect, test } from "vitest";
import { Warnings, warningBytesMax, warningHeader } from "./warnings.ts";

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

test("sentences are kept once, in order, and only as many as can be sent", () => {
  for (const length of [1, 100, 300, warningBytesMax, 2 * warningBytesMax]) {
    const sentences = Array.from({ length: 10_000 }, (_, at) => `${at >> 1}`.padEnd(length, "x"));
    const warnings = new Warnings();
    for (const sentence of sentences) warnings.add(sentence);
    expect(warnings.header()).toEqual(warningHeader([...new Set(sentences)]));
    expect(warnings.isFull).toBe(true);
  }
});

test("one long sentence leaves space for others that are cut", () => {
  const warnings = new Warnings();
  const sentences = ["x".repeat(2 * warningBytesMax), "second"];
  for (const sentence of sentences) warnings.add(sentence);
  expect(warnings.header()).toEqual([`299 - "${"x".repeat(256)}"`, '299 - "second"']);
});
