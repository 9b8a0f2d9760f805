import { describe, expect, test } from "vitest";
import { bindVersions, create, show, update } from "../../life.suite.ts";
import { Job } from "./job.ts";
import type { JobStatus } from "./job-status.ts";
import { validateJobStatus } from "./validate-job-status.ts";

const today = bindVersions([Job], {}, "1.35").version("v1");
const earlier = bindVersions([Job]).version("v1");

const pods = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
const body = (spec: object = {}) => ({ metadata: { name: "x" }, spec: { template: { spec: pods }, ...spec } });
const indexed = { completionMode: "Indexed", completions: 5, parallelism: 2 };
const rule = (part: object) => ({ podFailurePolicy: { rules: [{ action: "Count", ...part }] } });
const codes = (values: number[], more: object = {}) => rule({ onExitCodes: { operator: "In", values, ...more } });
const success = (part: object) => ({ ...indexed, successPolicy: { rules: [part] } });

describe("a job at level 1.35", () => {
  test("has labels with and without a prefix, and is selected by the one with it", () => {
    const { object, problems } = create(today, body());
    const labels = { "job-name": "x", "controller-uid": "uid" };
    expect(problems).toEqual([]);
    expect(object.metadata.labels).toEqual({
      ...labels,
      "batch.orch.io/job-name": "x",
      "batch.orch.io/controller-uid": "uid",
    });
    expect(object["spec"]).toMatchObject({
      selector: { matchLabels: { "batch.orch.io/controller-uid": "uid" } },
      podReplacementPolicy: "TerminatingOrFailed",
      manualSelector: false,
    });
  });

  test("keeps the labels of an earlier level", () => {
    const old = create(earlier, body());
    expect(
      update(today, { ...old.object, spec: { ...(old.object["spec"] as object), parallelism: 3 } }, old).problems,
    ).toEqual([]);
  });

  test("replaces pods that have ended where a failure policy must know how, and has no limit of its own beside those of indexes", () => {
    const spec = { ...indexed, backoffLimitPerIndex: 1, ...rule({ onPodConditions: [{ type: "A" }] }) };
    expect(create(today, body(spec)).object["spec"]).toMatchObject({
      podReplacementPolicy: "Failed",
      backoffLimit: 2_147_483_647,
      podFailurePolicy: { rules: [{ action: "Count", onPodConditions: [{ type: "A", status: "True" }] }] },
    });
  });

  test("has none of this at level 1.21", () => {
    const spec = { ...codes([1]), managedBy: "a.b/c", podReplacementPolicy: "x" };
    const stored = create(earlier, body(spec)).object["spec"] as object;
    for (const field of Object.keys(spec)) expect(stored).not.toHaveProperty(field);
  });

  const refused: readonly [spec: object, ...problems: string[]][] = [
    [{ backoffLimitPerIndex: 1 }, "Invalid spec.backoffLimitPerIndex"],
    [{ ...indexed, maxFailedIndexes: 2 }, "Required spec.backoffLimitPerIndex"],
    [{ ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 6 }, "Invalid spec.maxFailedIndexes"],
    [{ ...indexed, completions: 100_001, backoffLimitPerIndex: 0 }, "Required spec.maxFailedIndexes"],
    [
      { ...indexed, completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 0, maxFailedIndexes: 10_001 },
      "Invalid spec.maxFailedIndexes",
      "Invalid spec.parallelism",
    ],
    [rule({}), "Invalid spec.podFailurePolicy.rules[0]"],
    [codes([1], { containerName: "d" }), "Invalid spec.podFailurePolicy.rules[0].onExitCodes.containerName"],
    [codes([0]), "Invalid spec.podFailurePolicy.rules[0].onExitCodes.values[0]"],
    [codes([]), "Invalid spec.podFailurePolicy.rules[0].onExitCodes.values"],
    [
      codes([2, 1, 1]),
      "Duplicate spec.podFailurePolicy.rules[0].onExitCodes.values[2]",
      "Invalid spec.podFailurePolicy.rules[0].onExitCodes.values",
    ],
    [
      codes(Array.from({ length: 256 }, (_, at) => at + 1)),
      "TooMany spec.podFailurePolicy.rules[0].onExitCodes.values",
    ],
    [codes([1], { operator: "is" }), "NotSupported spec.podFailurePolicy.rules[0].onExitCodes.operator"],
    [rule({ action: "FailIndex", onPodConditions: [{ type: "A" }] }), "Invalid spec.podFailurePolicy.rules[0].action"],
    [
      rule({ onPodConditions: [{ type: "bad type", status: "Maybe" }] }),
      "Invalid spec.podFailurePolicy.rules[0].onPodConditions[0].type",
      "NotSupported spec.podFailurePolicy.rules[0].onPodConditions[0].status",
    ],
    [{ ...codes([1]), podReplacementPolicy: "TerminatingOrFailed" }, "NotSupported spec.podReplacementPolicy"],
    [{ podReplacementPolicy: "" }, "NotSupported spec.podReplacementPolicy"],
    [{ managedBy: "me" }, "Invalid spec.managedBy"],
    [{ managedBy: "" }, "Required spec.managedBy"],
    [{ managedBy: `a.b/${"c".repeat(60)}` }, "TooLong spec.managedBy"],
    [{ successPolicy: { rules: [{ succeededCount: 1 }] } }, "Invalid spec.successPolicy"],
    // Its rules count for jobs with indexes only.
    [{ successPolicy: { rules: [] } }, "Invalid spec.successPolicy"],
    [{ successPolicy: { rules: [{ succeededCount: -1 }] } }, "Invalid spec.successPolicy"],
    [success({}), "Required spec.successPolicy.rules[0]"],
    [success({ succeededCount: -1 }), "Invalid spec.successPolicy.rules[0].succeededCount"],
    [
      { ...indexed, successPolicy: { rules: new Array(21).fill({ succeededCount: 1 }) } },
      "TooMany spec.successPolicy.rules",
    ],
    [
      success({ succeededIndexes: "1".repeat(65_537) }),
      "Invalid spec.successPolicy.rules[0].succeededIndexes",
      "TooLong spec.successPolicy.rules[0].succeededIndexes",
    ],
    [{ ...indexed, successPolicy: { rules: [] } }, "Required spec.successPolicy.rules"],
    [success({ succeededIndexes: "0-5" }), "Invalid spec.successPolicy.rules[0].succeededIndexes"],
    [success({ succeededIndexes: "1,1" }), "Invalid spec.successPolicy.rules[0].succeededIndexes"],
    [success({ succeededIndexes: "0-2", succeededCount: 4 }), "Invalid spec.successPolicy.rules[0].succeededCount"],
    [success({ succeededCount: 6 }), "Invalid spec.successPolicy.rules[0].succeededCount"],
  ];
  for (const [spec, ...problems] of refused) {
    test(`is refused: ${JSON.stringify(spec).slice(0, 150)}`, () =>
      expect(create(today, body(spec)).problems).toEqual(problems));
  }

  test("has a name with which all its pods are host names, if they have indexes", () => {
    const named = (length: number, completions: number) =>
      create(today, { ...body({ ...indexed, completions }), metadata: { name: "a".repeat(length) } }).problems;
    expect(named(61, 10)).toEqual([]);
    expect(named(61, 11)).toEqual(["Invalid metadata.name"]);
    expect(create(today, { ...body(indexed), metadata: { name: "a.b" } }).problems).toEqual(["Invalid metadata.name"]);
  });

  test("warns of a list of indexes that may become too long, and of a name that is not a label", () => {
    expect(create(today, body({ ...indexed, completions: 100_001, parallelism: 10_001 })).warnings).toHaveLength(1);
    expect(create(today, { ...body(), metadata: { name: "a.b" } }).warnings).toHaveLength(1);
    expect(create(today, body(indexed)).warnings).toEqual([]);
    expect(create(earlier, { ...body(), metadata: { name: "a.b" } }).warnings).toEqual([]);
  });
});

describe("an update at level 1.35", () => {
  const change = (before: object, part: object) => {
    const old = create(today, body(before));
    return update(today, { ...old.object, spec: { ...(old.object["spec"] as object), ...part } }, old).problems;
  };
  test("changes completions of an indexed job together with its parallelism", () => {
    expect(change(indexed, { completions: 7, parallelism: 7 })).toEqual([]);
    expect(change(indexed, { completions: 7 })).toEqual(["Invalid spec.completions"]);
    expect(change({ completions: 3 }, { completions: 7, parallelism: 7 })).toEqual(["Invalid spec.completions"]);
    expect(change(indexed, { completions: undefined })).toEqual(["Required spec.completions"]);
  });

  test("keeps policies", () => {
    expect(change(codes([1]), codes([2]))).toEqual(["Invalid spec.podFailurePolicy"]);
    expect(change({ managedBy: "a.b/c" }, { managedBy: "a.b/d" })).toEqual(["Invalid spec.managedBy"]);
  });

  test("moves the pods of a suspended job that never began elsewhere, and changes nothing else of them", () => {
    const withPods = (part: object, labels: object = {}) => {
      const old = create(today, body({ suspend: true }));
      const { template } = old.object["spec"] as { template: { metadata: { labels: object } } };
      const metadata = { labels: { ...template.metadata.labels, ...labels } };
      const spec = { ...(old.object["spec"] as object), template: { metadata, spec: { ...pods, ...part } } };
      return update(today, { ...old.object, spec }, old).problems;
    };
    expect(withPods({ nodeSelector: { a: "b" } }, { x: "y" })).toEqual([]);
    expect(withPods({ hostNetwork: true })).toEqual(["Invalid spec.template"]);
    expect(change({}, { template: { spec: { ...pods, nodeSelector: { a: "b" } } } })).toContain(
      "Invalid spec.template",
    );
  });
});

describe("a status at level 1.35", () => {
  const { environment } = today.family;
  const spec = { ...indexed, backoffLimitPerIndex: 1, template: {} };
  const check = (status: JobStatus, before: JobStatus = {}, more: object = {}) =>
    show(validateJobStatus({ spec: { ...spec, ...more }, status }, { spec, status: before }, environment));
  const condition = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: "True" })) });
  const [startTime, completionTime] = ["2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z"];

  test("is complete with its announcement and both times", () => {
    const complete = condition("SuccessCriteriaMet", "Complete");
    expect(check({ ...complete, startTime, completionTime })).toEqual([]);
    expect(check(complete)).toEqual(["Required status.completionTime", "Required status.startTime"]);
    expect(check({ ...condition("Complete"), startTime, completionTime })).toEqual(["Invalid status.conditions"]);
    expect(check({ ...condition("Failed"), startTime })).toEqual(["Invalid status.conditions"]);
    expect(check({ ...complete, startTime: completionTime, completionTime: startTime })).toEqual([
      "Invalid status.completionTime",
    ]);
  });

  test("does not take back an end, and does not count down", () => {
    const failed = { ...condition("FailureTarget", "Failed"), startTime };
    expect(check({ startTime }, failed)).toEqual(["Invalid status.conditions", "Invalid status.conditions"]);
    const complete = { ...condition("SuccessCriteriaMet", "Complete"), startTime };
    expect(check(complete, { ...complete, completionTime })).toEqual(["Required status.completionTime"]);
    expect(check({ failed: 1, succeeded: 1 }, { failed: 2, succeeded: 2 })).toEqual([
      "Invalid status.failed",
      "Invalid status.succeeded",
    ]);
    expect(check({ succeeded: 1 }, { succeeded: 2 }, { parallelism: 5 })).toEqual([]);
  });

  test("changes its time of start only when the job is suspended or resumed", () => {
    expect(check({ startTime: completionTime }, { startTime })).toEqual(["Required status.startTime"]);
    expect(check({ startTime: completionTime }, { startTime }, { suspend: true })).toEqual([]);
    expect(check({ startTime: completionTime }, { ...condition("Suspended"), startTime })).toEqual([]);
  });

  test("has no pods left once it has ended", () => {
    const status = { ...condition("FailureTarget", "Failed"), startTime, active: 1, terminating: 1 };
    const uncounted = { uncountedTerminatedPods: { failed: ["a"] } };
    expect(check({ ...status, ...uncounted })).toEqual([
      "Invalid status.active",
      "Invalid status.terminating",
      "Invalid status.uncountedTerminatedPods",
    ]);
  });

  test("names indexes of the job, each once", () => {
    expect(check({ completedIndexes: "0,2-3", failedIndexes: "1" })).toEqual([]);
    expect(check({ completedIndexes: "0-2", failedIndexes: "2" })).toEqual(["Invalid status.failedIndexes"]);
    expect(check({ completedIndexes: "9", failedIndexes: "3-1" })).toEqual([
      "Invalid status.completedIndexes",
      "Invalid status.failedIndexes",
    ]);
    expect(check({ uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] } })).toEqual([
      "Duplicate status.uncountedTerminatedPods.failed[0]",
      "Invalid status.uncountedTerminatedPods.succeeded[1]",
    ]);
    expect(check({ active: 1, ready: 2 })).toEqual(["Invalid status.ready"]);
  });
});
