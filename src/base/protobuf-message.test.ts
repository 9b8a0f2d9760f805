import fc from "fast-check";
import protobuf from "protobufjs/minimal.js";
import { expect, test } from "vitest";
import { MessageFields, MessageWriter } from "./protobuf-message.ts";

test("integers and bytes are written as another implementation writes them, and read back", () => {
  const field = fc.integer({ min: 1, max: 100_000 });
  const int = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(field, int, fc.uint8Array({ maxLength: 300 }), (number, value, content) => {
      const mine = new MessageWriter()
        .chosenInt(number, value)
        .message(number, new MessageWriter().bytes(1, content))
        .finish();
      const theirs = protobuf.Writer.create();
      const low = Number(BigInt.asIntN(32, value));
      const high = Number(BigInt.asIntN(32, value >> 32n));
      theirs.uint32(number * 8).int64({ low, high, unsigned: false } as never); // protobufjs takes any Long-like value
      const inner = protobuf.Writer.create();
      if (content.length > 0) inner.uint32(10).bytes(content);
      theirs.uint32(number * 8 + 2).bytes(inner.finish());
      expect(mine.equals(theirs.finish())).toBe(true);
      const fields = new MessageFields(mine);
      expect([fields.next(), fields.number, fields.int, fields.bytes.length]).toEqual([true, number, value, 0]);
      expect([fields.next(), fields.number, fields.int]).toEqual([true, number, 0n]);
      const nested = new MessageFields(fields.bytes);
      expect(nested.next()).toBe(content.length > 0);
      expect(nested.bytes.equals(content)).toBe(true);
      expect([nested.next(), fields.next()]).toEqual([false, false]);
    }),
  );
});

test("hostile bytes end in an error or in fields, never in a hang or a read beyond the end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (content) => {
      try {
        const fields = new MessageFields(Buffer.from(content));
        while (fields.next()) expect(fields.bytes.length).toBeLessThanOrEqual(content.length);
      } catch (error) {
        expect((error as Error).message).toMatch(/cut off|ten bytes|unknown type/);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("a number is written as the same bigint is, and a message that was changed later is refused", () => {
  const int = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(int, (value) => {
      const written = new MessageWriter().chosenInt(1, value).finish();
      expect(written.equals(new MessageWriter().chosenInt(1, BigInt(value)).finish())).toBe(true);
    }),
  );
  const inner = new MessageWriter().int(1, 1);
  const outer = new MessageWriter().message(1, inner);
  inner.int(2, 2);
  expect(() => outer.finish()).toThrow("changed after it was added");
});
