import { describe, expect, test } from "vitest";
import { Definitions } from "../../machinery/openapi/definitions.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, show, update } from "../life.suite.ts";
import { ControllerRevision } from "./v1/controller-revision.ts";
import { DaemonSet } from "./v1/daemon-set.ts";
import { Deployment } from "./v1/deployment.ts";
import { ReplicaSet } from "./v1/replica-set.ts";
import { StatefulSet } from "./v1/stateful-set.ts";

const metadata = { name: "x" };
const labels = { app: "x" };
const selector = { matchLabels: labels };
const pods = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels }, spec: pods };
const body = (spec: object = {}, annotations: object = {}) => ({
  metadata: { ...metadata, annotations },
  spec: { selector, template, ...spec },
});
const bind = (kind: unknown) => bindVersions([kind]).version("v1");
const [deployment, replicaSet, daemonSet, statefulSet] = [Deployment, ReplicaSet, DaemonSet, StatefulSet].map(bind) as [
  BoundKind,
  BoundKind,
  BoundKind,
  BoundKind,
];

function statusProblems(kind: BoundKind, status: object, before: object = {}): string[] {
  const old = { ...create(kind, body()).hub, status: before };
  const path = kind.subresources.get("status");
  return show(path?.validate?.({ ...old, status }, old, kind.family.environment) ?? []);
}

describe.each([
  { name: "deployment", kind: deployment },
  { name: "replica set", kind: replicaSet },
  { name: "daemon set", kind: daemonSet },
  { name: "stateful set", kind: statefulSet },
])("a $name", ({ name, kind }) => {
  const labelsOfTemplate = "Invalid spec.template.metadata.labels";
  const cases = [
    { why: "may be minimal", spec: {}, problems: [] },
    { why: "must not select every pod", spec: { selector: {} }, problems: ["Invalid spec.selector"] },
    { why: "must select the pods of its template", spec: { template: { spec: pods } }, problems: [labelsOfTemplate] },
    {
      why: "must restart its pods always",
      spec: { template: { ...template, spec: { ...pods, restartPolicy: "Never", activeDeadlineSeconds: 1 } } },
      problems: ["Forbidden spec.template.spec.activeDeadlineSeconds", "NotSupported spec.template.spec.restartPolicy"],
    },
    {
      why: "must have a valid pod template, except for stateful sets",
      spec: { template: { ...template, spec: { containers: [] } } },
      problems: name === "stateful set" ? [] : ["Required spec.template.spec.containers"],
    },
    {
      why: "may have an empty image",
      spec: { template: { ...template, spec: { containers: [{ name: "c", image: " " }] } } },
      problems: [],
    },
    {
      why: "must have valid label values in its selector",
      spec: { selector: { matchExpressions: [{ key: "app", operator: "In", values: ["a b"] }] }, template: {} },
      problems: name === "daemon set" ? ["Required spec.template.spec.containers"] : ["Invalid spec.selector"],
    },
  ];
  for (const { why, spec, problems } of cases) {
    test(why, () => {
      expect(create(kind, body(spec)).problems).toEqual(problems);
    });
  }

  test("must keep a selector", () => {
    expect(update(kind, body({ selector: null }), create(kind, body())).problems).toEqual(
      name === "stateful set"
        ? ["Forbidden spec", labelsOfTemplate, "Required spec.selector"]
        : name === "daemon set"
          ? ["Invalid spec.selector", labelsOfTemplate]
          : ["Invalid spec.selector", labelsOfTemplate, "Required spec.selector"],
    );
  });

  test("must not change its selector", () => {
    const other = { matchLabels: { app: "y" } };
    const next = body({ selector: other, template: { ...template, metadata: { labels: other.matchLabels } } });
    expect(update(kind, next, create(kind, body())).problems).toEqual([
      name === "stateful set" ? "Forbidden spec" : "Invalid spec.selector",
    ]);
  });

  test("must not have negative counts", () => {
    const status = { observedGeneration: -1, replicas: 0, desiredNumberScheduled: 0 };
    expect(statusProblems(kind, status)).toEqual(["Invalid status.observedGeneration"]);
  });
});

describe("a deployment", () => {
  const rolling = (rollingUpdate: object, type = "RollingUpdate") => ({ strategy: { type, rollingUpdate } });
  const at = "spec.strategy.rollingUpdate";
  const cases = [
    {
      why: "counts from zero",
      spec: { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 },
      problems: ["minReadySeconds", "replicas", "revisionHistoryLimit"].map((field) => `Invalid spec.${field}`),
    },
    {
      why: "must have a progress deadline longer than minReadySeconds",
      spec: { minReadySeconds: 5, progressDeadlineSeconds: 5 },
      problems: ["Invalid spec.progressDeadlineSeconds"],
    },
    {
      why: "must have the strategy RollingUpdate or Recreate",
      spec: { strategy: { type: "Jump" } },
      problems: ["NotSupported spec.strategy"],
    },
    {
      why: "must not have rolling parameters with the strategy Recreate",
      spec: rolling({}, "Recreate"),
      problems: [`Forbidden ${at}`],
    },
    {
      why: "must not have both rolling parameters at zero",
      spec: rolling({ maxUnavailable: 0, maxSurge: "0%" }),
      problems: [`Invalid ${at}.maxUnavailable`],
    },
    {
      why: "must have numbers or percentages as rolling parameters",
      spec: rolling({ maxUnavailable: "101%", maxSurge: "many" }),
      problems: [`Invalid ${at}.maxSurge`, `Invalid ${at}.maxUnavailable`],
    },
    {
      why: "must not have negative rolling parameters",
      spec: rolling({ maxUnavailable: 0, maxSurge: "many" }),
      problems: [`Invalid ${at}.maxSurge`, `Invalid ${at}.maxUnavailable`],
    },
    { why: "may have a surge above 100 percent", spec: rolling({ maxSurge: "200%" }), problems: [] },
  ];
  for (const { why, spec, problems } of cases)
    test(why, () => expect(create(deployment, body(spec)).problems).toEqual(problems));

  test("defaults to one pod and rolling updates of 25 percent", () => {
    expect(create(deployment, body()).object["spec"]).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
    });
  });

  test("has the annotation with which another strategy clears the details of the previous one", () => {
    const definitions = new Definitions(plainEnvironment());
    definitions.referToKind(deployment);
    expect(definitions.all()["io.orch.api.apps.v1.DeploymentSpec"]?.properties?.["strategy"]).toMatchObject({
      "x-orch-patch-strategy": "retainKeys",
    });
  });

  test("may have the annotation of a rollback", () => {
    const key = "deprecated.deployment.rollback.to";
    const to = (revision: string) => create(deployment, body({}, { [key]: revision }));
    expect(to("03").object.metadata.annotations).toEqual({ [key]: "3" });
    expect(to("").object.metadata).not.toHaveProperty("annotations");
    expect(to("-1").problems).toEqual(["Invalid spec.rollback.version"]);
    expect(() => to("latest")).toThrow("must be a whole number");
  });

  test("raises its generation when its annotations change", () => {
    const old = create(deployment, body());
    old.hub.metadata.generation = 4;
    expect(update(deployment, body({}, { a: "b" }), old).hub.metadata.generation).toBe(5);
  });

  test("must have consistent counts in its status, and a collision count that never falls", () => {
    expect(statusProblems(deployment, { replicas: 1, readyReplicas: 2, availableReplicas: 3 })).toEqual([
      "Invalid status.availableReplicas",
      "Invalid status.availableReplicas",
      "Invalid status.readyReplicas",
    ]);
    expect(statusProblems(deployment, { collisionCount: 1 }, { collisionCount: 2 })).toEqual([
      "Invalid status.collisionCount",
    ]);
  });
});

describe("a daemon set", () => {
  const key = "deprecated.daemonset.template.generation";
  const other = { ...template, spec: { containers: [{ name: "c", image: "j" }] } };

  test("counts the changes of its template", () => {
    const first = create(daemonSet, body());
    const second = update(daemonSet, body({ template: other }), first);
    const third = update(daemonSet, body({ template: other, minReadySeconds: 1 }, { [key]: "9" }), second);
    expect([first, second, third].map(({ hub }) => hub.metadata.annotations?.[key])).toEqual(["1", "2", "2"]);
  });

  test("starts its template count at the annotated value", () => {
    const count = (text: string) => create(daemonSet, body({}, { [key]: text })).hub.metadata.annotations?.[key];
    expect(["7", "007", "-7", "0"].map(count)).toEqual(["7", "7", "1", "1"]);
    expect(() => count("many")).toThrow("must be a whole number");
  });

  test("must not mount one disk read-write on many nodes", () => {
    const volumes = [{ name: "v", gcePersistentDisk: { pdName: "d" } }];
    const problems = create(daemonSet, body({ template: { ...template, spec: { ...pods, volumes } } })).problems;
    expect(problems).toEqual(["Invalid spec.template.spec.volumes[0].gcePersistentDisk.readOnly"]);
  });

  test("leaves such disks to their drivers since 1.29", () => {
    const volumes = [{ name: "v", gcePersistentDisk: { pdName: "d" } }];
    const given = body({ template: { ...template, spec: { ...pods, volumes } } });
    const problemsAt = (level: Level) =>
      create(bindVersions([DaemonSet], {}, level).version("v1"), given).problems.length;
    expect((["1.28", "1.29", "1.35"] as const).map(problemsAt)).toEqual([1, 0, 0]);
  });

  test("defaults to rolling updates of one pod, or OnDelete", () => {
    const problems = (updateStrategy: object) => create(daemonSet, body({ updateStrategy })).problems;
    expect(create(daemonSet, body()).object["spec"]).toMatchObject({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
    });
    expect(problems({ type: "OnDelete" })).toEqual([]);
    expect(problems({ type: "Jump" })).toEqual(["NotSupported spec.updateStrategy"]);
    expect(problems({ rollingUpdate: { maxUnavailable: 0 } })).toEqual([
      "Invalid spec.updateStrategy.rollingUpdate.maxUnavailable",
    ]);
  });
});

describe("a stateful set", () => {
  const cases = [
    {
      why: "must have a known pod management policy",
      spec: { podManagementPolicy: "Any" },
      problems: ["Invalid spec.podManagementPolicy"],
    },
    {
      why: "must have a known update strategy",
      spec: { updateStrategy: { type: "Jump" } },
      problems: ["Invalid spec.updateStrategy"],
    },
    {
      why: "must not have rolling parameters with OnDelete",
      spec: { updateStrategy: { type: "OnDelete", rollingUpdate: {} } },
      problems: ["Invalid spec.updateStrategy.rollingUpdate"],
    },
    {
      why: "must not have a negative partition",
      spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } } },
      problems: ["Invalid spec.updateStrategy.rollingUpdate.partition"],
    },
  ];
  for (const { why, spec, problems } of cases)
    test(why, () => expect(create(statefulSet, body(spec)).problems).toEqual(problems));

  test("counts available pods since 1.22, so that its status is not checked for them before", () => {
    const counts = ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas"];
    const invalid = (names: readonly string[]) => new Set(names.map((name) => `Invalid status.${name}`));
    expect(new Set(statusProblems(statefulSet, { replicas: -1 }))).toEqual(invalid(counts));
    const later = bindVersions([StatefulSet], {}, "1.35").version("v1");
    const status = { replicas: -1, availableReplicas: 0 };
    expect(new Set(statusProblems(later, status))).toEqual(invalid([...counts, "availableReplicas"]));
  });

  test("has claims for volumes of its pods", () => {
    const containers = [{ name: "c", image: "i", volumeMounts: [{ name: "data", mountPath: "/d" }] }];
    const volumeClaimTemplates = [{ kind: "Claim", metadata: { name: "data" }, spec: {} }];
    const spec = { template: { ...template, spec: { containers } }, volumeClaimTemplates };
    const { object, problems } = create(statefulSet, body(spec));
    expect(problems).toEqual([]);
    expect(object["spec"]).toMatchObject({
      volumeClaimTemplates: [{ apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } }],
    });
  });

  test("may change only replicas, template and updateStrategy", () => {
    const change = (spec: object) => update(statefulSet, body(spec), create(statefulSet, body())).problems;
    expect(change({ replicas: 3, updateStrategy: { type: "OnDelete" } })).toEqual([]);
    expect(change({ serviceName: "s" })).toEqual(["Forbidden spec"]);
    expect(change({ podManagementPolicy: "Parallel" })).toEqual(["Forbidden spec"]);
  });
});

test("a controller revision has a number, and immutable data", () => {
  const kind = bind(ControllerRevision);
  const old = create(kind, { metadata, revision: 1, data: { a: 1 } });
  expect(create(kind, { metadata, revision: -1 }).problems).toEqual(["Invalid revision", "Required data"]);
  expect(create(kind, { metadata, revision: 1, data: null }).problems).toEqual(["Required data"]);
  expect(update(kind, { metadata, revision: 2, data: { a: 1 } }, old).problems).toEqual([]);
  expect(update(kind, { metadata, revision: -2, data: { a: 2 } }, old).problems).toEqual([
    "Invalid data",
    "Invalid revision",
  ]);
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "u", controller: true }];
  const row = (given: object) => {
    const { object } = create(kind, { metadata: { ...metadata, ...given }, revision: 1 });
    return tableRow(kind, object, kind.family.environment).slice(1, 3);
  };
  expect([row({}), row({ ownerReferences })]).toEqual([
    ["<none>", 1],
    ["daemonset.apps/d", 1],
  ]);
});
