import { describe, expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import type { Environment } from "../schema/environment.ts";
import type { ObjectMeta } from "../schema/object-meta.ts";
import type { FieldErrors } from "../status/field-error.ts";
import { validateLabelSelector } from "./label-selector.ts";
import { annotationsBytesMax } from "./labels.ts";
import { fieldManagerBytesMax, validateFieldManager, validateMetadata, validateMetadataUpdate } from "./metadata.ts";

const environment: Environment = plainEnvironment();
const causes = (errors: FieldErrors) =>
  errors.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`);
const create = (meta: ObjectMeta, more: object = {}) =>
  causes(validateMetadata({ namespace: "ns", ...meta }, { namespaced: true, environment, ...more }));

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" };

describe("metadata of a new object", () => {
  const cases: { why: string; meta: ObjectMeta; wrong: string[] }[] = [
    { why: "a name is enough", meta: { name: "a" }, wrong: [] },
    { why: "no name", meta: {}, wrong: ["Required metadata.name"] },
    { why: "a name in capitals", meta: { name: "Abc" }, wrong: ["Invalid metadata.name"] },
    {
      why: "a prefix that ends in a dot",
      meta: { name: "a.x", generateName: "a." },
      wrong: ["Invalid metadata.generateName"],
    },
    { why: "no namespace", meta: { name: "a", namespace: "" }, wrong: ["Required metadata.namespace"] },
    { why: "a namespace with a dot", meta: { name: "a", namespace: "a.b" }, wrong: ["Invalid metadata.namespace"] },
    { why: "a cluster in capitals", meta: { name: "a", clusterName: "C" }, wrong: ["Invalid metadata.clusterName"] },
    { why: "a negative generation", meta: { name: "a", generation: -1 }, wrong: ["Invalid metadata.generation"] },
    {
      why: "labels with a bad key and a bad value",
      meta: { name: "a", labels: { "a b": "x", ok: "b c", "": "y" } },
      wrong: ["Invalid metadata.labels", "Invalid metadata.labels", "Invalid metadata.labels"],
    },
    { why: "annotation keys in capitals", meta: { name: "a", annotations: { "Example.com/Key": "ü\n" } }, wrong: [] },
    {
      why: "a bad annotation key",
      meta: { name: "a", annotations: { "x y": "" } },
      wrong: ["Invalid metadata.annotations"],
    },
    {
      why: "keys that objects inherit are keys like any other",
      meta: { name: "a", annotations: JSON.parse('{"__proto__":"x"}'), labels: { constructor: "x" } as never },
      wrong: ["Invalid metadata.annotations"],
    },
    { why: "finalizers with a prefix", meta: { name: "a", finalizers: ["e.com/x", "orphan", "orch"] }, wrong: [] },
    {
      why: "a finalizer that is not a name",
      meta: { name: "a", finalizers: ["a b"] },
      wrong: ["Invalid metadata.finalizers", "Invalid metadata.finalizers[0]"],
    },
    { why: "a plain finalizer", meta: { name: "a", finalizers: ["plain"] }, wrong: ["Invalid metadata.finalizers[0]"] },
    {
      why: "two finalizers for dependents",
      meta: { name: "a", finalizers: ["orphan", "foregroundDeletion"] },
      wrong: ["Invalid metadata.finalizers"],
    },
    { why: "an owner", meta: { name: "a", ownerReferences: [{ ...owner, controller: true }, owner] }, wrong: [] },
    {
      why: "an owner without a name, kind or uid",
      meta: { name: "a", ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] },
      wrong: ["apiVersion", "kind", "name", "uid"].map((field) => `Invalid metadata.ownerReferences.${field}`),
    },
    {
      why: "owners with an invalid apiVersion",
      meta: { name: "a", ownerReferences: ["a/b/c", "apps/"].map((apiVersion) => ({ ...owner, apiVersion })) },
      wrong: ["Invalid metadata.ownerReferences.apiVersion", "Invalid metadata.ownerReferences.apiVersion"],
    },
    {
      why: "an event as owner",
      meta: { name: "a", ownerReferences: [{ ...owner, kind: "Event" }] },
      wrong: ["Invalid metadata.ownerReferences"],
    },
    {
      why: "two controllers",
      meta: { name: "a", ownerReferences: [owner, owner].map((each) => ({ ...each, controller: true })) },
      wrong: ["Invalid metadata.ownerReferences"],
    },
    {
      why: "managed fields",
      meta: {
        name: "a",
        managedFields: [
          { manager: "m", operation: "Apply", fieldsType: "FieldsV1" },
          { manager: "a\u0000b", operation: "Guess", fieldsType: "V2" },
        ],
      },
      wrong: ["operation", "fieldsType", "manager"].map((field) => `Invalid metadata.managedFields[1].${field}`),
    },
  ];
  for (const { why, meta, wrong } of cases) test(why, () => expect(create(meta)).toEqual(wrong));

  test("must not have a namespace if the kind is cluster-wide", () => {
    expect(create({ name: "a" }, { namespaced: false })).toEqual(["Forbidden metadata.namespace"]);
    expect(create({ name: "a", namespace: "" }, { namespaced: false })).toEqual([]);
  });

  test("follows the name rule of the kind, and reports the given path", () => {
    expect(create({ name: "9a" }, { nameRule: "label1035", path: "template.metadata" })).toEqual([
      "Invalid template.metadata.name",
    ]);
    expect(create({ name: "system:A b" }, { nameRule: "pathSegment" })).toEqual([]);
  });

  test("may have finalizers without a prefix if the kind allows them", () => {
    expect(create({ name: "a", finalizers: ["plain"] }, { plainFinalizers: true })).toEqual([]);
  });

  test("accepts the server's own finalizer in the vocabulary of the server", () => {
    const spoken = { ...environment, vocabulary: kubernetes };
    expect(create({ name: "a", finalizers: ["kubernetes"] }, { environment: spoken })).toEqual([]);
    expect(create({ name: "a", finalizers: ["orch"] }, { environment: spoken })).toEqual([
      "Invalid metadata.finalizers[0]",
    ]);
  });

  test("may have 256 KiB of annotations, counted in bytes", () => {
    const fits = "é".repeat((annotationsBytesMax - 2) / 2);
    expect(create({ name: "a", annotations: { kk: fits } })).toEqual([]);
    expect(create({ name: "a", annotations: { kk: `${fits}x` } })).toEqual(["TooLong metadata.annotations"]);
  });
});

describe("metadata of an update", () => {
  const old: ObjectMeta = {
    name: "a",
    namespace: "ns",
    uid: "u",
    generation: 2,
    creationTimestamp: "2021-02-03T04:05:06Z",
    finalizers: ["e.com/x", "e.com/y"],
  };
  const update = (next: ObjectMeta, before: ObjectMeta = old) =>
    causes(validateMetadataUpdate({ ...before, ...next }, before, { environment }));

  test("may change labels and finalizers", () => {
    expect(update({ labels: { a: "b" }, finalizers: ["e.com/z"], generation: 3 })).toEqual([]);
  });

  test("cannot change the identity of the object", () => {
    const changed = {
      name: "b",
      namespace: "other",
      uid: "v",
      creationTimestamp: "2021-02-03T04:05:07Z",
      deletionTimestamp: "2021-02-03T04:05:06Z",
      deletionGracePeriodSeconds: 0,
      clusterName: "c",
    };
    expect(update(changed)).toEqual(Object.keys(changed).map((field) => `Invalid metadata.${field}`));
  });

  test("cannot lower the generation", () => {
    expect(update({ generation: 1 })).toEqual(["Invalid metadata.generation"]);
  });

  test("of a terminating object can only remove finalizers", () => {
    const leaving = { ...old, deletionTimestamp: "2021-02-03T04:05:06Z" };
    expect(update({ finalizers: ["e.com/y"] }, leaving)).toEqual([]);
    expect(update({ finalizers: ["e.com/x", "e.com/new"] }, leaving)).toEqual(["Forbidden metadata.finalizers"]);
  });

  test("checks labels, annotations, owners and finalizers again", () => {
    expect(
      update({
        labels: { "a b": "" },
        annotations: { "a b": "" },
        ownerReferences: [{ ...owner, uid: "" }],
        finalizers: ["x"],
      }),
    ).toEqual([
      "Invalid metadata.labels",
      "Invalid metadata.annotations",
      "Invalid metadata.ownerReferences.uid",
      "Invalid metadata.finalizers[0]",
    ]);
    expect(update({ finalizers: ["a b"] })).toEqual(["Invalid metadata.finalizers", "Invalid metadata.finalizers[0]"]);
    expect(update({ finalizers: ["e.com/a b"] })).toEqual(["Invalid metadata.finalizers"]);
    expect(update({ finalizers: ["orphan", "foregroundDeletion"] })).toEqual(["Invalid metadata.finalizers"]);
  });

  test("checks a changed generateName", () => {
    expect(update({ generateName: "Bad_" })).toEqual(["Invalid metadata.generateName"]);
    expect(update({ generateName: "Bad_" }, { ...old, generateName: "Bad_" })).toEqual([]);
  });
});

test("a field manager is printable and has at most 128 bytes", () => {
  expect(validateFieldManager("my manager é", "fieldManager")).toEqual([]);
  expect(validateFieldManager("m".repeat(fieldManagerBytesMax), "fieldManager")).toEqual([]);
  expect(causes(validateFieldManager("m".repeat(fieldManagerBytesMax + 1), "fieldManager"))).toEqual([
    "TooLong fieldManager",
  ]);
  expect(causes(validateFieldManager("é".repeat(65), "fieldManager"))).toEqual(["TooLong fieldManager"]);
  for (const text of ["a\u0000b", "\n", "\u2028", "\u007f"]) {
    expect(causes(validateFieldManager(text, "fieldManager"))).toEqual(["Invalid fieldManager"]);
  }
  expect(causes(validateFieldManager("\u0000\u0001", "fieldManager"))).toEqual([
    "Invalid fieldManager",
    "Invalid fieldManager",
  ]);
  const worst = validateFieldManager("\u0000".repeat(1_000_000), "fieldManager");
  expect(worst.length).toBe(fieldManagerBytesMax + 1);
});

test("a selector in an object names its problems", () => {
  const selector = {
    matchLabels: { "a b": "c" },
    matchExpressions: [
      { key: "a", operator: "In" },
      { key: "b", operator: "Near", values: ["x"] },
      { key: "c", operator: "Exists", values: ["x"] },
      { key: "", operator: "DoesNotExist" },
      { key: "d", operator: "NotIn", values: ["x"] },
    ],
  };
  expect(causes(validateLabelSelector(selector, "spec.selector"))).toEqual([
    "Invalid spec.selector.matchLabels",
    "Required spec.selector.matchExpressions[0].values",
    "Invalid spec.selector.matchExpressions[1].operator",
    "Forbidden spec.selector.matchExpressions[2].values",
    "Invalid spec.selector.matchExpressions[3].key",
  ]);
  expect(validateLabelSelector(undefined, "spec.selector")).toEqual([]);
});
