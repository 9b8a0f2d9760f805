import fc from "fast-check";
import { expect, test } from "vitest";
import { keyOrder } from "./key-order.ts";

test("keys are ordered and grouped by prefix as their UTF-8 bytes are", () => {
  const text = fc.string({ unit: "binary", maxLength: 6 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const bytes = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const [x, y] = [keyOrder(a), keyOrder(b)];
      expect(x < y ? -1 : x > y ? 1 : 0).toBe(bytes);
      expect(keyOrder(a + b).startsWith(x)).toBe(true);
    }),
  );
});
