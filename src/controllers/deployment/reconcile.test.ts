import { describe, expect, test } from "vitest";
import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import { context, type DeploymentParts, deploymentOf, nowMs, setOf } from "./deployment.suite.ts";
import { rollbackTo } from "./keys.ts";
import { planDeployment } from "./reconcile.ts";

const { keys } = context;
const plan = (deployment: Deployment, sets: readonly ReplicaSet[], pods: ReadonlyMap<string, Pod[]> = new Map()) =>
  planDeployment({ deployment, sets, podsBySet: () => pods }, context);
/** Sizes after the plan, by image. */
const sizes = (deployment: Deployment, sets: readonly ReplicaSet[], pods?: ReadonlyMap<string, Pod[]>) => {
  const all = new Map(sets.map((set) => [set.metadata.name, set]));
  for (const { verb, set } of plan(deployment, sets, pods).sets) {
    if (verb === "delete") all.delete(set.metadata.name);
    else all.set(set.metadata.name, set);
  }
  const image = ({ spec }: ReplicaSet) => spec?.template?.spec?.containers?.[0]?.image ?? "";
  return Object.fromEntries([...all.values()].map((set) => [image(set), set.spec?.replicas]));
};
const progressing = (reason: string, status: string, at: string) => ({
  conditions: [{ type: "Progressing", status, reason, message: "", lastUpdateTime: at, lastTransitionTime: at }],
});

test("the first pass creates a replica set with hash, size and revision", () => {
  const { sets, status } = plan(deploymentOf({ replicas: 4, unavailable: 1, annotations: { note: "hi" } }), []);
  const [{ verb, set, events }] = sets as [(typeof sets)[number]];
  const hash = set.spec?.template?.metadata?.labels?.["pod-template-hash"];
  expect(verb).toBe("create");
  expect(set.metadata.name).toBe(`d-${hash}`);
  expect(set.metadata.labels).toEqual({ app: "x", "pod-template-hash": hash });
  expect(set.spec?.selector).toEqual({ matchLabels: { app: "x", "pod-template-hash": hash } });
  expect(set.metadata.annotations).toEqual({
    note: "hi",
    "deployment.orch.io/revision": "1",
    "deployment.orch.io/desired-replicas": "4",
    "deployment.orch.io/max-replicas": "5",
  });
  expect(set.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Deployment", uid: "uid-d", controller: true });
  expect(events).toEqual([
    { type: "Normal", reason: "ScalingReplicaSet", message: `Scaled up replica set d-${hash} to 4` },
  ]);
  expect(status?.metadata.annotations).toEqual({ note: "hi", "deployment.orch.io/revision": "1" });
  expect(status?.status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
    ["Progressing", "NewReplicaSetCreated"],
    ["Available", "MinimumReplicasUnavailable"],
  ]);
  expect(status?.status?.unavailableReplicas).toBe(4);
});

interface Row {
  readonly why: string;
  readonly deployment: DeploymentParts;
  readonly sets: readonly ReplicaSet[];
  readonly after: Record<string, number>;
}
const rows: Row[] = [
  {
    why: "if no pod may be missing, a new one is created first",
    deployment: { replicas: 2, image: "img:2" },
    sets: [setOf("img:1", { size: 2, available: 2 })],
    after: { "img:1": 2, "img:2": 1 },
  },
  {
    why: "an old pod is deleted when a new one is available",
    deployment: { replicas: 2, image: "img:2" },
    sets: [setOf("img:1", { size: 2, available: 2 }), setOf("img:2", { size: 1, available: 1, desired: 2, made: 1 })],
    after: { "img:1": 1, "img:2": 1 },
  },
  {
    why: "surge is rounded up and unavailable down",
    deployment: { replicas: 3, image: "img:2", surge: "25%", unavailable: "25%" },
    sets: [setOf("img:1", { size: 3, available: 3 })],
    after: { "img:1": 3, "img:2": 1 },
  },
  {
    why: "with both at zero one pod may be missing",
    deployment: { replicas: 2, image: "img:2", surge: 0, unavailable: "10%" },
    sets: [setOf("img:1", { size: 2, available: 2 }), setOf("img:2", { size: 0, desired: 2, made: 1 })],
    after: { "img:1": 1, "img:2": 0 },
  },
  {
    why: "unavailable old pods are deleted before available ones",
    deployment: { replicas: 2, image: "img:2", unavailable: 1 },
    sets: [setOf("img:1", { size: 2, available: 0 }), setOf("img:2", { size: 1, desired: 2, made: 1 })],
    after: { "img:1": 1, "img:2": 1 },
  },
  {
    why: "pods that an old set still reports, although it was scaled down, do not count as available",
    deployment: { replicas: 10, image: "img:2", surge: 2, unavailable: 1 },
    sets: [
      setOf("img:1", { size: 9, available: 10, desired: 10, max: 12 }),
      setOf("img:2", { size: 3, available: 1, desired: 10, max: 12, made: 1 }),
    ],
    after: { "img:1": 8, "img:2": 3 },
  },
  {
    why: "pods that a set has still to delete are part of the surge",
    deployment: { replicas: 10, image: "img:2", surge: 2, unavailable: 1 },
    sets: [
      setOf("img:1", { size: 8, actual: 9, available: 8, desired: 10, max: 12 }),
      setOf("img:2", { size: 3, available: 1, desired: 10, max: 12, made: 1 }),
    ],
    after: { "img:1": 8, "img:2": 3 },
  },
  {
    why: "a new set that is too large is scaled down",
    deployment: { replicas: 2, image: "img:2" },
    sets: [setOf("img:2", { size: 5, available: 5, desired: 2 })],
    after: { "img:2": 2 },
  },
  {
    why: "a new size is applied to the only set with pods",
    deployment: { replicas: 3 },
    sets: [setOf("img:1", { size: 1, available: 1 })],
    after: { "img:1": 3 },
  },
  {
    why: "during a rollout a new size is spread in proportion",
    deployment: { replicas: 8, image: "img:2", surge: 2 },
    sets: [
      setOf("img:1", { size: 4, available: 4, desired: 4, max: 6 }),
      setOf("img:2", { size: 2, desired: 4, max: 6, made: 1 }),
    ],
    after: { "img:1": 7, "img:2": 3 },
  },
  {
    why: "when the new set has all pods, a new size empties the old sets",
    deployment: { replicas: 2, image: "img:2" },
    sets: [
      setOf("img:1", { size: 1, available: 1, desired: 4 }),
      setOf("img:2", { size: 2, available: 2, desired: 2, made: 1 }),
    ],
    after: { "img:1": 0, "img:2": 2 },
  },
  {
    why: "a paused deployment is scaled, but not rolled out",
    deployment: { replicas: 3, image: "img:2", spec: { paused: true } },
    sets: [setOf("img:1", { size: 1, available: 1 })],
    after: { "img:1": 3 },
  },
  {
    why: "Recreate deletes the old pods first",
    deployment: { replicas: 2, image: "img:2", spec: { strategy: { type: "Recreate" } } },
    sets: [setOf("img:1", { size: 2, available: 2 })],
    after: { "img:1": 0 },
  },
  {
    why: "Recreate waits until the old pods have ended",
    deployment: { replicas: 2, image: "img:2", spec: { strategy: { type: "Recreate" } } },
    sets: [setOf("img:1", { size: 0, actual: 1, desired: 2 })],
    after: { "img:1": 0 },
  },
  {
    why: "Recreate creates all new pods at once",
    deployment: { replicas: 2, image: "img:2", spec: { strategy: { type: "Recreate" } } },
    sets: [setOf("img:1", { size: 0, desired: 2 })],
    after: { "img:1": 0, "img:2": 2 },
  },
];

describe("sizes of the replica sets", () => {
  for (const { why, deployment, sets, after } of rows) {
    test(why, () => expect(sizes(deploymentOf(deployment), sets)).toEqual(after));
  }

  test("Recreate also waits for pods that their set does not count any more", () => {
    const old = setOf("img:1", { size: 0, desired: 1 });
    const deployment = deploymentOf({ image: "img:2", spec: { strategy: { type: "Recreate" } } });
    const running = new Map([[old.metadata.uid ?? "", [podOf({ deleting: true })]]]);
    expect(sizes(deployment, [old], running)).toEqual({ "img:1": 0 });
    const ended = new Map([[old.metadata.uid ?? "", [podOf({ phase: "Failed" })]]]);
    expect(sizes(deployment, [old], ended)).toEqual({ "img:1": 0, "img:2": 1 });
  });
});

describe("revisions", () => {
  test("a template that is used again gets a new revision, and the old one is added to the history", () => {
    const sets = [
      setOf("img:1", { size: 1, revision: 1 }),
      setOf("img:2", { size: 0, revision: 2, made: 1, desired: 1 }),
    ];
    const { sets: writes, status } = plan(deploymentOf({ image: "img:1" }), sets);
    expect(writes[0]?.set.metadata.annotations).toMatchObject({ [keys.revision]: "3", [keys.history]: "1" });
    expect(status?.metadata.annotations?.[keys.revision]).toBe("3");
  });

  test("old sets beyond the history are deleted once the rollout is complete", () => {
    const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
    const old = [1, 2, 3].map((made) => setOf(`old:${made}`, { size: 0, desired: 1, revision: made, made }));
    const sets = [...old, setOf("img:1", { size: 1, available: 1, revision: 4, made: 4 })];
    const deployment = deploymentOf({ status, spec: { revisionHistoryLimit: 1 } });
    const deleted = plan(deployment, sets).sets.filter(({ verb }) => verb === "delete");
    expect(deleted.map(({ set }) => set.metadata.name)).toEqual(["d-old1", "d-old2"]);
  });

  test("a set that was rolled back to is kept by its revision, not by its age", () => {
    const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
    const old = [
      setOf("again:1", { size: 0, desired: 1, revision: 3, made: 1 }),
      setOf("once:1", { size: 0, desired: 1, revision: 2, made: 2 }),
    ];
    const sets = [...old, setOf("img:1", { size: 1, available: 1, revision: 4, made: 4 })];
    const deployment = deploymentOf({ status, spec: { revisionHistoryLimit: 1 } });
    const deleted = plan(deployment, sets).sets.filter(({ verb }) => verb === "delete");
    expect(deleted.map(({ set }) => set.metadata.name)).toEqual(["d-once1"]);
  });

  test("the rollback annotation restores template and annotations", () => {
    const old = setOf("img:1", { size: 0, revision: 1, desired: 1 });
    const noted = { ...old, metadata: { ...old.metadata, annotations: { ...old.metadata.annotations, cause: "one" } } };
    const sets = [noted, setOf("img:2", { size: 1, revision: 2, made: 1 })];
    const deployment = deploymentOf({ image: "img:2", annotations: { [rollbackTo]: "0", cause: "two" } });
    const { replacement, events } = plan(deployment, sets);
    expect(replacement?.spec?.template).toEqual(deploymentOf({}).spec?.template);
    expect(replacement?.metadata.annotations).toEqual({ cause: "one" });
    expect(events[0]).toMatchObject({ type: "Normal", reason: "DeploymentRollback" });
  });

  test("a missing revision is reported, and the request for it is removed", () => {
    const deployment = deploymentOf({ annotations: { [rollbackTo]: "7" } });
    const { replacement, events } = plan(deployment, [setOf("img:1", { size: 1 })]);
    expect(replacement?.metadata.annotations).toEqual({});
    expect(events[0]?.reason).toBe("DeploymentRollbackRevisionNotFound");
  });
});

describe("progress", () => {
  const reasons = (deployment: Deployment, sets: readonly ReplicaSet[]) =>
    plan(deployment, sets).status?.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

  test("is complete when all new pods are available", () => {
    const deployment = deploymentOf({ status: progressing("ReplicaSetUpdated", "True", "2021-05-01T00:09:00Z") });
    expect(reasons(deployment, [setOf("img:1", { size: 1, available: 1 })])).toEqual([
      "Available=True MinimumReplicasAvailable",
      "Progressing=True NewReplicaSetAvailable",
    ]);
  });

  test("exceeds its deadline when there was no progress for that time", () => {
    const status = {
      ...progressing("ReplicaSetUpdated", "True", "2021-05-01T00:09:55Z"),
      replicas: 1,
      updatedReplicas: 1,
    };
    const given = { status, annotations: { [keys.revision]: "1" }, spec: { progressDeadlineSeconds: 3 } };
    expect(reasons(deploymentOf(given), [setOf("img:1", { size: 1 })])).toContain(
      "Progressing=False ProgressDeadlineExceeded",
    );
    const patient = { ...given, spec: { progressDeadlineSeconds: 30 } };
    const { reviewInMs } = plan(deploymentOf(patient), [setOf("img:1", { size: 1 })]);
    expect(reviewInMs).toBe(Date.parse("2021-05-01T00:09:55Z") + 31_000 - nowMs);
  });

  test("is reported as paused and resumed", () => {
    const sets = [setOf("img:1", { size: 1, available: 1 })];
    const paused = deploymentOf({ spec: { paused: true }, status: progressing("NewReplicaSetAvailable", "True", "x") });
    expect(reasons(paused, sets)).toContain("Progressing=Unknown DeploymentPaused");
    const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const status = { ...progressing("DeploymentPaused", "Unknown", "x"), ...counts };
    const resumed = deploymentOf({ image: "img:2", status });
    expect(reasons(resumed, sets)).toContain("Progressing=True NewReplicaSetCreated");
  });

  test("a replica set that cannot create pods is reported", () => {
    const set = setOf("img:1", { size: 1 });
    const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "exceeded quota" };
    const failing = { ...set, status: { ...set.status, replicas: 0, conditions: [failure] } };
    expect(reasons(deploymentOf({}), [failing])).toContain("ReplicaFailure=True FailedCreate");
  });
});

test("nothing is written when nothing changes", () => {
  const sets = [setOf("img:1", { size: 1, available: 1 })];
  const first = plan(deploymentOf({}), sets).status;
  expect(first).toBeDefined();
  const second = plan(first ?? deploymentOf({}), sets);
  expect(second).toEqual({ sets: [], events: [] });
});

test("a selector that selects everything is refused", () => {
  const { events, sets } = plan(deploymentOf({ spec: { selector: {} } }), []);
  expect([events[0]?.reason, sets]).toEqual(["SelectingAll", []]);
});
