import { describe, expect, test } from "vitest";
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from "../../api/apps/v1/stateful-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import { claimsFor, newPod } from "./pod.ts";
import { planSteps, podsPerPassMax } from "./steps.ts";

const nameLabel = "statefulset.orch.io/pod-name";
const at = { nowMs: Date.parse("2021-05-01T00:01:00Z"), countsAvailable: false };
const setOf = (replicas: number, spec: Partial<StatefulSetSpec> = {}, status?: StatefulSetStatus): StatefulSet => ({
  metadata: { name: "web", namespace: "ns", generation: 2 },
  spec: {
    replicas,
    serviceName: "svc",
    selector: { matchLabels: { app: "w" } },
    template: { metadata: { labels: { app: "w" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ...spec,
  },
  ...(status ? { status } : {}),
});

/** "2 new ready" or "0 old Pending deleting": ordinal, revision, and what differs from a pod that is not ready. */
function podFrom(text: string): Pod {
  const [ordinal = "", revision = "", ...facts] = text.split(" ");
  const name = `web-${ordinal}`;
  const phase = facts.find((fact) => /^[A-Z]/.test(fact));
  return podOf({
    name,
    labels: { [nameLabel]: name, "controller-revision-hash": revision },
    ...(phase ? { phase } : {}),
    ...(facts.includes("ready") ? { ready: "2021-05-01T00:00:00Z" } : {}),
    ...(facts.includes("deleting") ? { deleting: true } : {}),
  });
}
const plan = (set: StatefulSet, pods: readonly string[], current = "old") =>
  planSteps({ set, pods: pods.map(podFrom), current, update: "new", collisionCount: 0, nameLabel, ...at });
const steps = (set: StatefulSet, pods: readonly string[]) =>
  plan(set, pods).steps.map((step) =>
    step.do === "create" ? `create ${step.ordinal} ${step.revision}` : `${step.do} ${step.pod.metadata.name}`,
  );

interface Row {
  readonly why: string;
  readonly set: StatefulSet;
  readonly pods: readonly string[];
  readonly steps: readonly string[];
}
const parallel = { podManagementPolicy: "Parallel" };
const partitioned = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } };
const severalAtOnce = (maxUnavailable: number | string, partition = 0) => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition, maxUnavailable } },
});
const rows: Row[] = [
  {
    why: "as many old pods are deleted at once as may be unavailable",
    set: setOf(4, severalAtOnce(2)),
    pods: ["0 old ready", "1 old ready", "2 old ready", "3 old ready"],
    steps: ["delete web-3", "delete web-2"],
  },
  {
    why: "pods that are not available count",
    set: setOf(4, { ...parallel, ...severalAtOnce("50%") }),
    pods: ["0 old ready", "1 old ready", "2 old ready", "3 new"],
    steps: ["delete web-2"],
  },
  {
    why: "of pods that may be unavailable, those below the partition stay",
    set: setOf(3, severalAtOnce("100%", 2)),
    pods: ["0 old ready", "1 old ready", "2 old ready"],
    steps: ["delete web-2"],
  },
  { why: "the first pod is created first", set: setOf(3), pods: [], steps: ["create 0 update"] },
  { why: "the next one waits until it is ready", set: setOf(3), pods: ["0 new"], steps: [] },
  { why: "the next one is created when it is ready", set: setOf(3), pods: ["0 new ready"], steps: ["create 1 update"] },
  {
    why: "a pod that is ready but not running delays the next",
    set: setOf(2),
    pods: ["0 new Pending ready"],
    steps: [],
  },
  {
    why: "in parallel all are created at once",
    set: setOf(3, parallel),
    pods: ["1 new"],
    steps: ["create 0 update", "create 2 update"],
  },
  {
    why: "a failed pod is replaced",
    set: setOf(1),
    pods: ["0 new Failed"],
    steps: ["delete web-0", "create 0 update"],
  },
  {
    why: "a pod that is being deleted blocks all other steps",
    set: setOf(2),
    pods: ["0 new ready deleting"],
    steps: [],
  },
  {
    why: "the highest is deleted first",
    set: setOf(1),
    pods: ["0 new ready", "1 new ready", "2 new ready"],
    steps: ["delete web-2"],
  },
  {
    why: "the next one waits until it is deleted",
    set: setOf(1),
    pods: ["0 new ready", "1 new ready", "2 new ready deleting"],
    steps: [],
  },
  { why: "an unhealthy lower pod blocks scaling down", set: setOf(1), pods: ["0 new", "1 new ready"], steps: [] },
  {
    why: "the lowest unhealthy pod may be deleted",
    set: setOf(1),
    pods: ["0 new ready", "1 new"],
    steps: ["delete web-1"],
  },
  {
    why: "in parallel all are deleted at once",
    set: setOf(1, parallel),
    pods: ["0 new", "1 new", "2 new"],
    steps: ["delete web-2", "delete web-1"],
  },
  {
    why: "an update replaces the highest first",
    set: setOf(2),
    pods: ["0 old ready", "1 old ready"],
    steps: ["delete web-1"],
  },
  {
    why: "an update waits until the new pod is healthy",
    set: setOf(2, parallel),
    pods: ["0 old ready", "1 new"],
    steps: [],
  },
  {
    why: "an update continues when the new pod is healthy",
    set: setOf(2),
    pods: ["0 old ready", "1 new ready"],
    steps: ["delete web-0"],
  },
  {
    why: "pods below the partition are not updated",
    set: setOf(2, partitioned),
    pods: ["0 old ready", "1 new ready"],
    steps: [],
  },
  {
    why: "pods below the partition are recreated with their revision",
    set: setOf(2, partitioned),
    pods: ["1 new ready"],
    steps: ["create 0 current"],
  },
  {
    why: "OnDelete waits until the pods are deleted",
    set: setOf(1, { updateStrategy: { type: "OnDelete" } }),
    pods: ["0 old ready"],
    steps: [],
  },
];

describe("steps", () => {
  for (const row of rows) test(row.why, () => expect(steps(row.set, row.pods)).toEqual(row.steps));

  test("a changed label is restored", () => {
    const pod = podFrom("0 new ready");
    const changed = { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [nameLabel]: "x" } } };
    const input = {
      set: setOf(1),
      pods: [changed],
      current: "new",
      update: "new",
      collisionCount: 0,
      nameLabel,
      ...at,
    };
    expect(planSteps(input).steps).toEqual([{ do: "repair", pod: changed, ordinal: 0 }]);
  });

  test("a terminating set does nothing more", () => {
    const set = setOf(1);
    const deleting = { ...set, metadata: { ...set.metadata, deletionTimestamp: "2021-05-01T00:00:00Z" } };
    expect(steps(deleting, [])).toEqual([]);
  });
});

describe("status", () => {
  test("has both revisions during an update", () => {
    expect(plan(setOf(2), ["0 old ready", "1 new"]).status).toEqual({
      replicas: 2,
      readyReplicas: 1,
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: "old",
      updateRevision: "new",
      collisionCount: 0,
      observedGeneration: 2,
    });
  });
  test("has one revision when the update is complete", () => {
    const { status } = plan(setOf(1), ["0 new ready"]);
    expect([status.currentRevision, status.currentReplicas]).toEqual(["new", 1]);
  });
});

test("a pod has its name as host name, its revision, and its claims as volumes", () => {
  const volumeClaimTemplates = [
    { metadata: { name: "data", labels: { a: "b" } }, spec: { accessModes: ["ReadWriteOnce"] } },
  ];
  const set = setOf(1, { volumeClaimTemplates });
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "u", controller: true };
  const pod = newPod(set, 3, { template: set.spec?.template, revision: "web-1" }, { owner, nameLabel });
  expect(pod).toEqual({
    metadata: {
      name: "web-3",
      generateName: "web-",
      labels: { app: "w", [nameLabel]: "web-3", "controller-revision-hash": "web-1" },
      annotations: {},
      ownerReferences: [owner],
    },
    spec: {
      containers: [{ name: "c", image: "i" }],
      hostname: "web-3",
      subdomain: "svc",
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-web-3" } }],
    },
  });
  expect(claimsFor(set, 3)).toEqual([
    {
      metadata: { name: "data-web-3", namespace: "ns", labels: { a: "b", app: "w" } },
      spec: { accessModes: ["ReadWriteOnce"] },
    },
  ]);
});

test("a set with billions of replicas creates a limited number of pods at a time", () => {
  expect(plan(setOf(2_147_483_647, parallel), []).steps).toHaveLength(podsPerPassMax);
});

describe("a set at level 1.35", () => {
  const today = (set: StatefulSet, pods: readonly string[]) =>
    planSteps({
      set,
      pods: pods.map(podFrom),
      current: "new",
      update: "new",
      collisionCount: 0,
      nameLabel,
      ...at,
      countsAvailable: true,
    });

  test("begins to count at its first ordinal", () => {
    const { steps } = today(setOf(2, { ordinals: { start: 3 } }), ["3 new ready", "0 new ready"]);
    expect(steps).toMatchObject([{ do: "create", ordinal: 4 }]);
    const left = today(setOf(1, { ordinals: { start: 3 } }), ["3 new ready", "0 new ready"]);
    expect(left.steps).toMatchObject([{ do: "delete", pod: { metadata: { name: "web-0" } } }]);
  });

  test("waits until a pod has been ready for long enough, and looks again then", () => {
    const waiting = today(setOf(2, { minReadySeconds: 90 }), ["0 new ready"]);
    expect([waiting.steps, waiting.status.availableReplicas]).toEqual([[], 0]);
    expect(waiting.reviewInMs).toBe(30_001);
    const over = today(setOf(2, { minReadySeconds: 30 }), ["0 new ready"]);
    expect(over.status.availableReplicas).toBe(1);
    expect(over.steps).toMatchObject([{ do: "create", ordinal: 1 }]);
  });
});
