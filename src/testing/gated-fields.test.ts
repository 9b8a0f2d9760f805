import { describe, expect, test } from "vitest";
import { catalog } from "../api/catalog.ts";
import { featureGatesOf } from "../api/feature-gates.ts";
import { bindVersions, create, type Outcome, update } from "../api/life.suite.ts";
import { isObject } from "../machinery/json/json-value.ts";
import { fullObject } from "../machinery/schema/arbitrary.suite.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { fieldCheck } from "../machinery/schema/check-field.ts";
import { isOfLevel } from "../machinery/schema/level.ts";
import type { Field, Schema } from "../machinery/schema/schema.ts";
import { StatusError } from "../machinery/status/status.ts";

const level = "1.35";
/** Features that became final cannot be turned off any more. */
const open = featureGatesOf(level).flatMap(({ name, locked }) => (locked ? [] : [name]));
const gatesOf = (isOn: boolean) => Object.fromEntries(open.map((gate) => [gate, isOn]));

function kindsWith(gates: Readonly<Record<string, boolean>>): ReadonlyMap<string, BoundKind> {
  const { catalog: bound } = bindVersions(catalog, gates, level);
  const kinds = [...bound.families()].flatMap(({ versions }) => versions.filter(isOfLevel));
  return new Map(kinds.map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]));
}

/** "spec.ports[].name" for every member of an object. */
function* pathsOf(value: unknown, path = ""): Generator<string> {
  if (path !== "") yield path;
  if (Array.isArray(value)) for (const item of value) yield* pathsOf(item, `${path}[]`);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) yield* pathsOf(member, path === "" ? name : `${path}.${name}`);
}

/** A write of the object in which every field is set. Undefined: such an object cannot be written. */
function made(kind: BoundKind, old?: Outcome): { outcome: Outcome; paths: ReadonlySet<string> } | undefined {
  const { metadata: _metadata, status: _status, ...fields } = fullObject(kind.schema);
  const object = { ...fields, metadata: { name: "x" } };
  try {
    const outcome = old === undefined ? create(kind, object) : update(kind, object, old);
    return { outcome, paths: new Set(pathsOf(outcome.object)) };
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

const on = kindsWith(gatesOf(true));
const off = kindsWith(gatesOf(false));
const written = new Map([...on].flatMap(([name, kind]) => [[name, made(kind)] as const]));

/** The members of each kind that some gate decides about. */
const gated = [...on.keys()].flatMap((name) => {
  const [all, kind] = [written.get(name), off.get(name)];
  const few = kind && made(kind);
  const dropped = all && few ? [...all.paths].filter((path) => !few.paths.has(path)) : [];
  // The outermost members that go say it all.
  const outermost = dropped.filter(
    (path) => !dropped.some((one) => path.startsWith(`${one}.`) || path.startsWith(`${one}[`)),
  );
  return outermost.length === 0 ? [] : [{ name, dropped: outermost }];
});

/** What a pod loses, and every template of pods with it. */
const ofPods = [
  "containers[].env[].valueFrom.fileKeyRef",
  "containers[].lifecycle.stopSignal",
  "containers[].restartPolicy",
  "containers[].restartPolicyRules",
  "hostUsers",
  "hostnameOverride",
  "initContainers[].env[].valueFrom.fileKeyRef",
  "initContainers[].lifecycle.stopSignal",
  "initContainers[].restartPolicyRules",
  "resources",
  "securityContext.seLinuxChangePolicy",
  "topologySpreadConstraints[].matchLabelKeys",
  "volumes[].image",
  "volumes[].projected.sources[].clusterTrustBundle",
  "volumes[].projected.sources[].podCertificate",
  "workloadRef",
];
const ofRequests = [
  "constraints[].distinctAttribute",
  "requests[].exactly.adminAccess",
  "requests[].exactly.capacity",
  "requests[].exactly.tolerations",
  "requests[].firstAvailable",
];
const under = (path: string, members: readonly string[]) => members.map((member) => `${path}.${member}`);

const expected: Readonly<Record<string, readonly string[]>> = {
  "apps/v1 DaemonSet": under("spec.template.spec", ofPods),
  "apps/v1 Deployment": under("spec.template.spec", ofPods),
  "apps/v1 ReplicaSet": under("spec.template.spec", ofPods),
  "apps/v1 StatefulSet": [...under("spec.template.spec", ofPods), "spec.updateStrategy.rollingUpdate.maxUnavailable"],
  "autoscaling/v2 HorizontalPodAutoscaler": ["spec.behavior.scaleDown.tolerance", "spec.behavior.scaleUp.tolerance"],
  "batch/v1 CronJob": under("spec.jobTemplate.spec.template.spec", ofPods),
  "batch/v1 Job": under("spec.template.spec", ofPods),
  "coordination.orch.io/v1 Lease": ["spec.preferredHolder", "spec.strategy"],
  "resource.orch.io/v1 DeviceClass": ["spec.extendedResourceName"],
  "resource.orch.io/v1 ResourceClaim": under("spec.devices", ofRequests),
  "resource.orch.io/v1 ResourceClaimTemplate": under("spec.spec.devices", ofRequests),
  "resource.orch.io/v1 ResourceSlice": [
    ...under("spec.devices[]", [
      "allNodes",
      "allowMultipleAllocations",
      "bindingConditions",
      "bindingFailureConditions",
      "bindsToNode",
      "capacity.capacity-key-1.requestPolicy",
      "consumesCounters",
      "nodeName",
      "nodeSelector",
      "taints",
    ]),
    "spec.perDeviceNodeSelection",
    "spec.sharedCounters",
  ],
  "storage.orch.io/v1 CSIDriver": [
    "spec.nodeAllocatableUpdatePeriodSeconds",
    "spec.seLinuxMount",
    "spec.serviceAccountTokenInSecrets",
  ],
  "v1 PersistentVolumeClaim": ["spec.dataSourceRef"],
  "v1 Pod": under("spec", ofPods),
  "v1 PodTemplate": under("template.spec", ofPods),
  "v1 ReplicationController": under("spec.template.spec", ofPods),
};

describe("fields whose gates are off", () => {
  test("are dropped from new objects", () => {
    expect(Object.fromEntries(gated.map(({ name, dropped }) => [name, dropped.sort()]))).toEqual(expected);
  });

  test.each(gated)("stay in a $name that has them", ({ name }) => {
    const [kind, all] = [off.get(name), written.get(name)];
    const kept = kind && all && made(kind, all.outcome);
    expect([...(all?.paths ?? [])].filter((path) => !kept?.paths.has(path))).toEqual([]);
  });
});

/** The fields of a kind that take one of some texts, each struct once. */
function* choicesOf(schema: Schema, seen: Set<Schema>): Generator<[where: string, field: Field]> {
  if (seen.has(schema)) return;
  seen.add(schema);
  if (schema.type === "list") yield* choicesOf(schema.items, seen);
  if (schema.type === "map") yield* choicesOf(schema.values, seen);
  if (schema.type !== "struct") return;
  for (const [name, field] of schema.fields) {
    if (field.rules.some(({ rule }) => rule === "oneOf")) yield [`${schema.name}.${name}`, field];
    yield* choicesOf(field.schema, seen);
  }
}

test("a text that is not among the declared ones is an unsupported value, and the message names these", () => {
  const seen = new Set<Schema>();
  let count = 0;
  for (const kind of on.values()) {
    for (const [where, field] of choicesOf(kind.schema, seen)) {
      const [rule] = field.rules.filter((one) => one.rule === "oneOf");
      if (rule?.rule !== "oneOf" || rule.text !== undefined) continue;
      const errors = fieldCheck(field)?.("NoSuchValue", kind.family.environment) ?? [];
      expect(
        errors.map(({ reason }) => reason),
        where,
      ).toEqual(["FieldValueNotSupported"]);
      expect(errors[0]?.message, where).toMatch(/^Unsupported value: "NoSuchValue": supported values: "/);
      count++;
    }
  }
  expect(count).toBeGreaterThan(90);
});
