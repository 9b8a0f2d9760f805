import { describe, expect, test } from "vitest";
import { barsOf, spansMax, timelinesOf } from "./conditions.ts";
import { blockersOf } from "./deletion.ts";

describe("conditions over time", () => {
  const at = (status: string, second: number, type = "Ready") => ({
    type,
    status,
    lastTransitionTime: new Date(second * 1_000).toISOString(),
  });
  const object = (...conditions: object[]) => ({ status: { conditions } });

  test("keep what was seen before, the latest change first", () => {
    const one = timelinesOf(object(at("False", 10), at("True", 20, "Other")), []);
    expect(one.map(({ type }) => type)).toEqual(["Other", "Ready"]);
    const two = timelinesOf(object(at("True", 30), at("True", 20, "Other")), one);
    expect(two.map(({ type, spans }) => [type, spans.map(({ status }) => status)])).toEqual([
      ["Ready", ["False", "True"]],
      ["Other", ["True"]],
    ]);
    expect(timelinesOf(object(at("True", 30), at("True", 20, "Other")), two)).toEqual(two);
  });

  test("forget the oldest", () => {
    let timelines = timelinesOf(object(at("True", 0)), []);
    for (let second = 1; second < spansMax + 5; second++)
      timelines = timelinesOf(object(at("True", second)), timelines);
    expect(timelines[0]?.spans.length).toBe(spansMax);
    expect(timelines[0]?.spans.at(-1)?.sinceMs).toBe((spansMax + 4) * 1_000);
  });

  test("are bars between the creation and now, inside of it", () => {
    const spans = [
      { status: "False", sinceMs: 0 },
      { status: "True", sinceMs: 150 },
    ];
    expect(barsOf(spans, 100, 200)).toEqual([
      { status: "False", from: 0, to: 0.5 },
      { status: "True", from: 0.5, to: 1 },
    ]);
  });
});

describe("what blocks a deletion", () => {
  const deletionTimestamp = "2026-01-01T00:00:10Z";
  const nowMs = Date.parse("2026-01-01T00:00:00Z");
  const names = (object: object, plural: string, ms = nowMs) =>
    blockersOf({ ...object }, plural, ms).map(({ name, why }) => `${name}|${why}`);

  test("are finalizers, each with what it waits for", () => {
    const metadata = { finalizers: ["foregroundDeletion", "x.org/pvc-protection", "mine"] };
    expect(names({ metadata }, "configmaps")).toEqual([
      "foregroundDeletion|Its dependents that block it must be gone first.",
      "x.org/pvc-protection|A pod may still use the claim.",
      "mine|The program that uses this finalizer must remove it.",
    ]);
  });

  test("are the grace period of a pod, then its node", () => {
    const pod = { metadata: { deletionTimestamp }, spec: { nodeName: "n" } };
    expect(names(pod, "pods")).toEqual(["|Its grace period ends in 10 s."]);
    expect(names(pod, "pods", nowMs + 11_000)[0]).toContain("The node n has not reported");
  });

  test("are what a namespace says about itself, once it is deleted", () => {
    const conditions = [
      { type: "NamespaceContentRemaining", status: "True", message: "pods. has 1 resource instances" },
      { type: "NamespaceDeletionContentFailure", status: "False", message: "fine" },
    ];
    const namespace = { metadata: {}, spec: { finalizers: ["orch"] }, status: { conditions } };
    expect(names(namespace, "namespaces")).toEqual(["orch|All objects in the namespace must be gone first."]);
    expect(names({ ...namespace, metadata: { deletionTimestamp } }, "namespaces", nowMs + 11_000)).toEqual([
      "orch|All objects in the namespace must be gone first.",
      "NamespaceContentRemaining|pods. has 1 resource instances",
    ]);
  });
});
