import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeFormat,
  decodeIndexEntry,
  decodeLogRecord,
  decodeState,
  encodeFormat,
  encodeIndexBound,
  encodeIndexKey,
  encodeIndexValue,
  encodeLogRecord,
  encodeState,
  type WriteRecord,
} from "./records.ts";

// Keys that are prefixes of each other, with NUL and the highest code points, as an attacker would choose them.
const key = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\0", "\x01", "a", "/", "\x7f", "\u{10ffff}"),
    fc.string({ unit: "binary", maxLength: 1 }),
  ),
  maxLength: 8,
});
const revision = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("index keys are ordered by the key's bytes and then newest first, and never mix two keys", () => {
  fc.assert(
    fc.property(key, revision, key, revision, (a, atA, b, atB) => {
      const byKey = Buffer.compare(Buffer.from(a), Buffer.from(b));
      const expected = byKey !== 0 ? byKey : atA < atB ? 1 : atA > atB ? -1 : 0;
      expect(Buffer.compare(encodeIndexKey(a, atA), encodeIndexKey(b, atB))).toBe(expected);
      const within = b.startsWith(a);
      const found = encodeIndexKey(b, atB);
      const begin = encodeIndexBound(a, false).subarray(0, -1);
      const between = Buffer.compare(begin, found) <= 0 && Buffer.compare(found, encodeIndexBound(a, true)) < 0;
      expect(between).toBe(within);
    }),
    { numRuns: 2_000 },
  );
});

test("index entries are read as they were written, and a changed bit is noticed", () => {
  fc.assert(
    fc.property(key, revision, fc.boolean(), fc.nat(), (name, at, deleted, where) => {
      const indexKey = encodeIndexKey(`k${name}`, at);
      const value = encodeIndexValue(indexKey, deleted);
      expect(decodeIndexEntry(indexKey, value)).toMatchObject({ revision: at, deleted });
      const whole = Buffer.concat([indexKey, value]);
      flipBit(whole, where);
      const [badKey, badValue] = [whole.subarray(0, indexKey.length), whole.subarray(indexKey.length)];
      expect(() => decodeIndexEntry(badKey, badValue)).toThrow(/damaged/);
    }),
  );
});

test("log records are read as they were written; a changed bit and a wrong position are noticed", () => {
  const record = fc.record({
    key,
    revision,
    created: revision,
    previous: revision,
    value: fc.option(fc.uint8Array({ maxLength: 50 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(record, fc.nat(), (written: WriteRecord, where) => {
      const bytes = encodeLogRecord(written);
      expect(decodeLogRecord(bytes, written.revision)).toEqual(written);
      expect(() => decodeLogRecord(bytes, written.revision ^ 1n)).toThrow(/damaged/);
      expect(() => decodeLogRecord(bytes.subarray(0, -1), written.revision)).toThrow(/damaged/);
      flipBit(bytes, where);
      expect(() => decodeLogRecord(bytes, written.revision)).toThrow(/damaged/);
    }),
  );
});

test("the state and the format are read as they were written, and other bytes are refused", () => {
  const state = { revision: 2n ** 63n, compacted: 5n, swept: 4n };
  const bytes = encodeState(state);
  expect(decodeState(bytes)).toEqual(state);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const bad = Buffer.from(bytes);
    flipBit(bad, bit);
    expect(() => decodeState(bad)).toThrow(/damaged/);
  }
  expect(decodeFormat(encodeFormat(12))).toBe(12);
  expect(decodeFormat(Buffer.from("orch kv format x\n"))).toBeUndefined();
});

function flipBit(bytes: Buffer, bit: number): void {
  const at = bit % (bytes.length * 8);
  bytes[at >> 3]! ^= 1 << (at & 7);
}
