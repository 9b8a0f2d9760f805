import { describe, expect, test } from "vitest";
import type { AddressLeases } from "../registry/contract/allocator.ts";
import { createCountReconciler, createLeaseReconciler, noReconciler, soleReconciler } from "./endpoint-reconcilers.ts";

describe("with --endpoint-reconciler-type=master-count", () => {
  const cases = [
    { why: "the first server is listed alone", count: 3, listed: [], own: "b", next: ["b"] },
    { why: "a further one is added in order", count: 3, listed: ["c"], own: "b", next: ["b", "c"] },
    { why: "a correct list is unchanged", count: 3, listed: ["a", "b", "c"], own: "b", next: ["a", "b", "c"] },
    { why: "a new one replaces the one after it", count: 3, listed: ["a", "b", "z"], own: "c", next: ["a", "b", "c"] },
    { why: "the last one replaces the first", count: 2, listed: ["a", "b"], own: "c", next: ["b", "c"] },
    { why: "a smaller count removes others", count: 1, listed: ["a", "b", "c"], own: "b", next: ["b"] },
  ];
  for (const { why, count, listed, own, next } of cases) {
    test(why, async () => {
      expect((await createCountReconciler(count).join(own))?.(listed)).toEqual(next);
    });
  }

  test("a server that stops removes only its own address", async () => {
    expect((await createCountReconciler(3).leave("b"))?.(["a", "b", "c"])).toEqual(["a", "c"]);
  });
});

describe("with --endpoint-reconciler-type=lease", () => {
  const leases = (living: string[]): AddressLeases & { calls: string[] } => {
    const calls: string[] = [];
    return {
      calls,
      renew: async (address) => void calls.push(`renew ${address}`),
      end: async (address) => void calls.push(`end ${address}`),
      living: async () => living,
    };
  };

  test("the addresses with a valid lease are listed, and no others", async () => {
    const held = leases(["a", "c"]);
    expect((await createLeaseReconciler(held).join("a"))?.(["a", "b"])).toEqual(["a", "c"]);
    expect(held.calls).toEqual(["renew a"]);
  });

  test("the list never becomes empty while a server runs, but does when the last one stops", async () => {
    const held = leases([]);
    expect((await createLeaseReconciler(held).join("a"))?.(["b"])).toEqual(["a"]);
    expect((await createLeaseReconciler(held).leave("a"))?.(["a"])).toEqual([]);
    expect(held.calls).toEqual(["renew a", "end a"]);
  });
});

test("a single server lists itself, even if an earlier one had another address", async () => {
  expect((await soleReconciler.join("a"))?.(["b"])).toEqual(["a"]);
  expect(await soleReconciler.leave("a")).toBeUndefined();
});

test("with --endpoint-reconciler-type=none nothing is written", async () => {
  expect([await noReconciler.join("a"), await noReconciler.leave("a")]).toEqual([undefined, undefined]);
});
