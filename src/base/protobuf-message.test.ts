import fc from "fast-check";
import protobuf from "protobufjs/minimal.js";
import { expect, test } from "vitest";
import { MessageWriter, readFields } from "./protobuf-message.ts";

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
      const [first, second] = [...readFields(mine)];
      expect(first).toMatchObject({ number, int: value });
      const nested = [...readFields(second!.bytes)];
      expect(Buffer.concat(nested.map(({ bytes }) => bytes)).equals(content)).toBe(true);
    }),
  );
});

test("hostile bytes end in an error or in fields, never in a hang or a read beyond the end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (content) => {
      try {
        for (const { bytes } of readFields(Buffer.from(content)))
          expect(bytes.length).toBeLessThanOrEqual(content.length);
      } catch (error) {
        expect((error as Error).message).toMatch(/cut off|ten bytes|unknown type/);
      }
    }),
    { numRuns: 1_000 },
  );
});
