import { describe, expect, test } from "vitest";
import { cellHealth, conditionHealth, isTrouble, rowHealth, wordHealth } from "./health.ts";
import { objectHealth } from "./object-health.ts";

describe("a word", () => {
  test.each([
    ["Running", "healthy"],
    ["CrashLoopBackOff", "failing"],
    ["Init:ErrImagePull", "failing"],
    ["ExitCode:3", "failing"],
    ["Init:1/3", "progressing"],
    ["Terminating", "progressing"],
    ["Unknown", "unknown"],
    ["anything else", undefined],
  ])("%s is %s", (word, state) => expect(wordHealth(word)).toBe(state));
});

describe("a cell", () => {
  test.each([
    ["STATUS", "Ready,SchedulingDisabled", "progressing", "of several words the worst counts"],
    ["READY", "1/2", "progressing", "fewer are ready than wanted"],
    ["READY", "2/2", "healthy", "all are ready"],
    ["READY", "False", "failing", "a condition as a column"],
    ["SUSPEND", "False", undefined, "False is what is wanted"],
    ["NAME", "Failed", undefined, "a name is no state"],
    ["PORTS", "80/443", undefined, "not every fraction counts something that should be ready"],
  ] as const)("%s %s is %s: %s", (column, cell, state, _why) => expect(cellHealth(column, cell)).toBe(state));

  test("tells of its row: the worst, but a pod that has ended need not be ready", () => {
    expect(rowHealth(["Name", "Ready", "Status"], ["a", "0/1", "Running"])).toBe("progressing");
    expect(rowHealth(["Name", "Ready", "Status"], ["a", "0/1", "Error"])).toBe("failing");
    expect(rowHealth(["Name", "Ready", "Status"], ["a", "0/1", "Completed"])).toBe("healthy");
    expect(rowHealth(["Name", "Data"], ["a", "3"])).toBeUndefined();
  });
});

describe("a condition is judged by its meaning", () => {
  test.each([
    ["Ready", "True", "healthy"],
    ["Ready", "False", "failing"],
    ["Ready", "Unknown", "unknown"],
    ["MemoryPressure", "True", "failing"],
    ["MemoryPressure", "False", "healthy"],
    ["NetworkUnavailable", "False", "healthy"],
    ["ReplicaFailure", "True", "failing"],
    ["FavouriteColour", "True", undefined],
  ])("%s=%s is %s", (type, status, state) => {
    expect(conditionHealth(type, status)).toBe(state);
    expect(isTrouble(type, status)).toBe(state === "failing" || state === "unknown");
  });
});

describe("an object", () => {
  const waiting = { name: "main", state: { waiting: { reason: "CrashLoopBackOff", message: "back-off" } } };
  const ready = (status: string) => ({ type: "Ready", status, message: "the agent is silent" });
  const cases: readonly (readonly [
    why: string,
    id: string,
    object: object,
    state: string | undefined,
    word?: string,
  ])[] = [
    ["that is deleted", "configmaps", { metadata: { deletionTimestamp: "now" } }, "progressing", "Terminating"],
    ["that says nothing", "configmaps", { data: {} }, undefined],
    [
      "pod that crashes",
      "pods",
      { status: { phase: "Running", containerStatuses: [waiting] } },
      "failing",
      "CrashLoopBackOff",
    ],
    ["pod that is done", "pods", { status: { phase: "Succeeded" } }, "healthy", "Completed"],
    [
      "pod that runs and is not ready",
      "pods",
      { status: { phase: "Running", conditions: [ready("False")] } },
      "progressing",
      "Not ready",
    ],
    [
      "pod without a node",
      "pods",
      {
        status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
      },
      "failing",
      "Unschedulable",
    ],
    [
      "definition, by the condition that counts",
      "customresourcedefinitions.apiextensions.orch.io",
      {
        status: {
          conditions: [
            { type: "NamesAccepted", status: "True" },
            { type: "Established", status: "True" },
          ],
        },
      },
      "healthy",
      "Established",
    ],
    ["node that is silent", "nodes", { status: { conditions: [ready("Unknown")] } }, "unknown", "Unknown"],
    [
      "node under pressure",
      "nodes",
      { status: { conditions: [ready("True"), { type: "DiskPressure", status: "True" }] } },
      "failing",
      "DiskPressure",
    ],
    [
      "cordoned node",
      "nodes",
      { spec: { unschedulable: true }, status: { conditions: [ready("True")] } },
      "progressing",
      "Cordoned",
    ],
    [
      "deployment",
      "deployments.apps",
      { spec: { replicas: 3 }, status: { readyReplicas: 2 } },
      "progressing",
      "2 of 3 ready",
    ],
    [
      "deployment that is stuck",
      "deployments.apps",
      { spec: {}, status: { conditions: [{ type: "Progressing", status: "False", message: "timed out" }] } },
      "failing",
      "0 of 1 ready",
    ],
    ["deployment of none", "deployments.apps", { spec: { replicas: 0 } }, "healthy", "Scaled to 0"],
    ["failed job", "jobs.batch", { status: { conditions: [{ type: "Failed", status: "True" }] } }, "failing", "Failed"],
    ["lost claim", "persistentvolumeclaims", { status: { phase: "Lost" } }, "failing", "Lost"],
    [
      "custom object",
      "databases.example.com",
      {
        status: {
          conditions: [
            { type: "Synced", status: "True" },
            { type: "Ready", status: "False", reason: "NoQuorum" },
          ],
        },
      },
      "failing",
      "NoQuorum",
    ],
    ["odd status", "databases.example.com", { status: { conditions: "none" } }, undefined],
  ];
  const named = cases.map(([why, id, object, state, word]) => ({ why, id, object, state, word }));
  test.each(named)("$why ($id)", ({ id, object, state, word }) => {
    const health = objectHealth(id, object as Record<string, unknown>);
    expect(health?.state).toBe(state);
    if (word !== undefined) expect(health?.word).toBe(word);
  });
});
