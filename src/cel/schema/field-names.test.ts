import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldNames, propertyNamed } from "./field-names.ts";

test("a property is found again by each of its names", () => {
  const part = fc.constantFrom("a", "_", "__", ".", "-", "/", "dot", "underscores", "in", "namespace", "0");
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const property = parts.join("");
      for (const field of fieldNames(property)) expect(propertyNamed(field)).toBe(property);
    }),
    { numRuns: 2_000 },
  );
});

test("names that no property has are not found", () => {
  for (const field of ["in", "true", "a__b", "a.b", "__x__"]) expect(propertyNamed(field)).toBeUndefined();
});
