import fc from "fast-check";
import { expect, test } from "vitest";
import { keyBytesMax } from "../kv/contract.ts";
import type { Family } from "../machinery/schema/catalog.ts";
import { behind, isStorable, keyOf, pathOf, refOf, splitKey } from "./keys.ts";

// Only the members that keys use.
const family = (id: string, namespaced: boolean) => ({ id, namespaced }) as Family;
const families = [
  family("core/pods", true),
  family("core/nodes", false),
  family("core/podsets", true),
  family("a/pods", true),
  family("services.x/pods", true),
  family("custom:services.x/pods", true),
];

const odd = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(".", "..", "a", "aa", "a-b", "\0", "\xff", "%2f", "a/b", "", "\ud800", "x".repeat(keyBytesMax)),
);

test("no two references share a key, and every key leads back to its reference and no other family", () => {
  fc.assert(
    fc.property(fc.constantFrom(...families), odd, odd, (of, namespace, name) => {
      const ref = { namespace: of.namespaced ? namespace : "", name };
      if (!isStorable(of, ref)) return;
      const key = keyOf(of, ref);
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(keyBytesMax);
      expect(splitKey(key)).toEqual({ family: of.id, path: pathOf(of, ref) });
      expect(refOf(of, pathOf(of, ref))).toEqual(ref);
    }),
    { numRuns: 2_000 },
  );
});

test("a name that could reach another namespace or kind is not a valid reference", () => {
  const pods = families[0]!;
  const nodes = families[1]!;
  for (const ref of [
    { namespace: "a/b", name: "x" },
    { namespace: "a", name: "b/x" },
    { namespace: "", name: "x" },
    { namespace: "a", name: "" },
    { namespace: "a", name: "\ud800" },
    { namespace: "a", name: "x".repeat(4_096) },
  ]) {
    expect(isStorable(pods, ref)).toBe(false);
  }
  expect(isStorable(nodes, { namespace: "a", name: "x" })).toBe(false);
  expect(isStorable(nodes, { namespace: "", name: "system:A b" })).toBe(true);
});

test("the text behind a path is the next one in their order", () => {
  expect("a" < behind("a") && behind("a") < "a\x01").toBe(true);
});
