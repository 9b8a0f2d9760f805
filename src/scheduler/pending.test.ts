import { expect, test } from "vitest";
import { knownPod } from "./known-pod.ts";
import { PendingPods } from "./pending.ts";

const known = (name: string, priority = 0) =>
  knownPod({ metadata: { name, namespace: "ns" }, spec: { containers: [], priority } });

const pendingOf = (...pods: ReturnType<typeof known>[]) => {
  const pending = new PendingPods();
  for (const pod of pods) pending.set(pod);
  return pending;
};

test("the most important pod is taken first, of equals the oldest, each once", () => {
  const pending = pendingOf(known("a"), known("b", 5), known("c"), known("d", 5));
  const taken = Array.from({ length: 5 }, () => pending.take()?.key);
  expect(taken).toEqual(["ns/b", "ns/d", "ns/a", "ns/c", undefined]);
});

test("a pod whose binding is under way is not tried again when the cluster changes", () => {
  const pending = pendingOf(known("a"));
  pending.take();
  expect(pending.delayUnscheduled()).toEqual([]);
  expect(pending.take()).toBeUndefined();
  pending.putBack("ns/a");
  expect(pending.take()?.key).toBe("ns/a");
});

test("a pod that found no node waits longer after each failure, and is not taken before its delay is over", () => {
  const pending = pendingOf(known("a"));
  const delays = Array.from({ length: 6 }, () => {
    expect(pending.take()?.key).toBe("ns/a");
    pending.setUnscheduled("ns/a");
    const [{ delayMs } = { delayMs: 0 }] = pending.delayUnscheduled();
    expect(pending.take()).toBeUndefined();
    expect(pending.delayUnscheduled()).toEqual([]);
    pending.endDelay("ns/a");
    return delayMs;
  });
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("a pod that changes may be tried at once, and one that is gone is not", () => {
  const pending = pendingOf(known("a"), known("b"));
  pending.take();
  pending.setUnscheduled("ns/a");
  pending.set(known("a", 9));
  pending.delete("ns/b");
  expect([pending.take()?.key, pending.take()]).toEqual(["ns/a", undefined]);
});
