import fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8Writer } from "./utf8-writer.ts";

test("the output is the bytes of all texts, regardless of earlier writes", () => {
  const writer = new Utf8Writer();
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme", minLength: 3_000, maxLength: 6_000 }),
    fc.constantFrom("x".repeat(70_000), "ä".repeat(5_000), ""),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ piece, asBytes: fc.boolean() }), { maxLength: 6 }), (pieces) => {
      for (const { piece, asBytes } of pieces) {
        if (asBytes) writer.bytes(Buffer.from(piece));
        else writer.text(piece);
      }
      const taken = writer.take();
      expect(taken.equals(Buffer.concat(pieces.map(({ piece }) => Buffer.from(piece))))).toBe(true);
      expect(taken.buffer.byteLength).toBe(taken.length);
    }),
    { numRuns: 60 },
  );
});

test("output that was begun but not taken is not part of the next", () => {
  const writer = new Utf8Writer();
  writer.text("lost").clear();
  expect(String(writer.text("kept").take())).toBe("kept");
});
