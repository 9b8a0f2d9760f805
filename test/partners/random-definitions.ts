/** Random definitions of custom resources: most parts are right, so that one that is wrong is often alone. */

import type { Choice } from "./random-patches.ts";

type Json = Record<string, unknown>;

const prefix = "x-kubernetes-";
/** How often a part is of a kind that is mostly wrong. */
const wrongPercent = 4;

interface Definition {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: Json;
}

export function randomDefinition(choice: Choice, name: string): Definition {
  const { below, chance, pick, many } = choice;
  const or = <T>(usual: T, ...wrong: readonly unknown[]): unknown => (chance(wrongPercent) ? pick(wrong) : usual);
  const kind = name.toUpperCase();
  const version = (versionName: unknown, isStorage: boolean) => {
    const openAPIV3Schema = rootSchema(choice);
    const schema = or({ openAPIV3Schema }, undefined, {}, { openAPIV3Schema: {} });
    // Beside no schema the reference breaks down, or says less.
    const selects = (schema as Json | undefined)?.["openAPIV3Schema"] === openAPIV3Schema && chance(15);
    return {
      name: versionName,
      served: or(true, false),
      storage: or(isStorage, !isStorage),
      ...(chance(10)
        ? { deprecated: true, ...(chance(50) ? { deprecationWarning: or("old", "", "a\nb", "x".repeat(300)) } : {}) }
        : {}),
      ...(chance(3) ? { deprecationWarning: "old" } : {}),
      schema,
      ...(chance(30) ? { subresources: subresources(choice) } : {}),
      ...(chance(30) ? { additionalPrinterColumns: many(3, () => column(choice)) } : {}),
      ...(selects ? { selectableFields: many(3, () => selectable(choice)) } : {}),
    };
  };
  const versions = chance(25)
    ? [version("v1", true), version(or("v1beta1", "v1", "V2", "a.b", ""), false)]
    : [version(or("v1", "", "v 1", "1"), true)];
  const head = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  return {
    ...head,
    metadata: {
      name: or(`${name}s.compare.example.com`, `${name}s.example.com`, "A_b") as string,
      ...metadata(choice),
    }, // all are texts
    spec: {
      group: or("compare.example.com", "example", "Compare_.com", "", "compare.example.com."),
      scope: or("Namespaced", "Cluster", "", "Other"),
      names: {
        plural: or(`${name}s`, "", "A_", "a.b"),
        kind: or(kind, "", "a b", "9x"),
        ...(chance(50) ? { singular: or(name, "A_", "a.b") } : {}),
        ...(chance(50) ? { listKind: or(`${kind}List`, kind, "a b") } : {}),
        ...(chance(20) ? { shortNames: many(2, () => or("sh", "A_", "", `${name}s`)) } : {}),
        ...(chance(20) ? { categories: many(2, () => or("all", "A_", "")) } : {}),
      },
      versions: or(versions, [], undefined, [...versions, version("v3", chance(50))]),
      ...(chance(10) ? { preserveUnknownFields: or(false, true) } : {}),
      ...(chance(15) ? { conversion: conversion(choice) } : {}),
      ...(below(100) === 0 ? { additionalThing: 1 } : {}),
    },
  };
}

function metadata({ chance, pick }: Choice): Json {
  return chance(5) ? { labels: pick<Json>([{ a: "b" }, { "a b": "c" }, { a: "b c" }]) } : {};
}

function conversion(choice: Choice): unknown {
  const { chance, pick } = choice;
  const clientConfig = pick<Json>([
    { service: { name: "a", namespace: "b" } },
    { service: { name: "a", namespace: "b", path: "/x", port: 443 } },
    { service: { name: "", namespace: "", path: "x//y", port: 0 } },
    { url: "https://example.com/x" },
    { url: "http://example.com" },
    { url: "https://a@example.com/?q#f" },
    { url: "https://example.com", service: { name: "a", namespace: "b" } },
    {},
  ]);
  const conversionReviewVersions = pick<unknown>([
    ["v1"],
    ["v1", "v1beta1"],
    ["x", "v1"],
    ["x"],
    [],
    ["v1", "v1"],
    ["V_"],
  ]);
  const webhook = {
    ...(chance(90) ? { clientConfig } : {}),
    ...(chance(95) ? { conversionReviewVersions } : {}),
  };
  const strategy = pick(["None", "Webhook", "Webhook", "Webhook", "Other", ""]);
  return { strategy, ...((strategy === "Webhook") !== chance(10) ? { webhook } : {}) };
}

function subresources(choice: Choice): unknown {
  const { chance, pick } = choice;
  const path = (...usual: readonly string[]) =>
    chance(80) ? pick(usual) : pick(["", "spec", ".", ".spec[0]", ".metadata.x", ".spec.", ".spec.a b", ".x"]);
  return {
    ...(chance(70) ? { status: {} } : {}),
    ...(chance(50)
      ? {
          scale: {
            specReplicasPath: path(".spec.a", ".spec.b.c"),
            statusReplicasPath: path(".status.a", ".status.b"),
            ...(chance(50) ? { labelSelectorPath: path(".status.c", ".spec.c") } : {}),
          },
        }
      : {}),
  };
}

function column({ chance, pick }: Choice): unknown {
  return {
    name: pick(["A", "B", "A b", "", "Name"]),
    type: chance(85) ? pick(["string", "integer", "number", "boolean", "date"]) : pick(["", "object", "int"]),
    jsonPath: chance(85)
      ? pick([".spec.a", ".metadata.creationTimestamp", ".spec.l[0]", '.status.conditions[?(@.type=="Ready")].status'])
      : pick(["", "spec.a", ".spec[", "{.spec}", ".a..b"]),
    ...(chance(20)
      ? { format: pick(["int32", "int64", "float", "double", "byte", "date", "date-time", "password", "x"]) }
      : {}),
    ...(chance(20) ? { priority: pick([0, 1, -1]) } : {}),
    ...(chance(20) ? { description: pick(["", "x"]) } : {}),
  };
}

const selectable = ({ pick }: Choice): unknown => ({
  jsonPath: pick([
    ".spec.a",
    ".spec.b",
    ".spec.c",
    "",
    "spec.a",
    ".metadata.name",
    ".spec.zz",
    ".spec.a.b",
    ".spec.l[0]",
    ".status.a",
  ]),
});

function rootSchema(choice: Choice): unknown {
  const { chance, pick } = choice;
  const properties: Json = { spec: node(choice, 0), ...(chance(40) ? { status: node(choice, 0) } : {}) };
  if (chance(6))
    properties["metadata"] = pick<unknown>([
      { type: "object" },
      { type: "object", properties: { name: { type: "string", maxLength: 5 } } },
      { type: "object", properties: { labels: { type: "object" } } },
      { type: "string" },
      { type: "object", required: ["name"] },
    ]);
  if (chance(4))
    properties["apiVersion"] = pick<unknown>([
      { type: "string" },
      { type: "integer" },
      { type: "string", pattern: "x" },
    ]);
  return {
    type: chance(wrongPercent) ? pick(["", "string", "array"]) : "object",
    properties,
    ...(chance(5) ? { [`${prefix}preserve-unknown-fields`]: chance(80) } : {}),
    ...(chance(5) ? { required: ["spec"] } : {}),
    ...(chance(3) ? { [`${prefix}embedded-resource`]: true } : {}),
    ...(chance(3) ? { nullable: true } : {}),
    ...(chance(10) ? { [`${prefix}validations`]: rules(choice) } : {}),
    ...(chance(3) ? { additionalProperties: pick<unknown>([true, false, { type: "string" }]) } : {}),
  };
}

const names = ["a", "b", "c", "l"];

function node(choice: Choice, depth: number): Json {
  const { chance, pick, below } = choice;
  const leaves = ["string", "string", "integer", "number", "boolean"];
  const type = pick(
    depth > 2 ? leaves : [...leaves, "object", "object", "object", "array", "array", "map", "either", "any"],
  );
  const schema = shaped(type, choice, depth);
  if (chance(6)) Object.assign(schema, keyword(choice, depth));
  if (chance(8)) schema[`${prefix}validations`] = rules(choice);
  if (chance(8))
    schema["default"] = pick<unknown>([1, "x", true, {}, [], null, { a: 1 }, { a: "x" }, ["x"], "2020-01-01"]);
  if (chance(5)) schema["nullable"] = true;
  if (chance(2)) schema["type"] = pick(["", "null", "object", "array", "other"]);
  if (below(60) === 0) delete schema["type"];
  return schema;
}

function shaped(type: string, choice: Choice, depth: number): Json {
  const { chance, pick, below } = choice;
  switch (type) {
    case "object": {
      const properties = Object.fromEntries(
        names.slice(0, 1 + below(4)).map((name) => [name, node(choice, depth + 1)]),
      );
      return { type, properties };
    }
    case "map":
      return {
        type: "object",
        additionalProperties: chance(92) ? node(choice, depth + 1) : pick<unknown>([true, false, {}]),
      };
    case "array":
      return listed(choice, depth);
    case "either":
      return pick<Json>([
        { [`${prefix}int-or-string`]: true },
        { [`${prefix}int-or-string`]: true, anyOf: [{ type: "integer" }, { type: "string" }] },
        {
          [`${prefix}int-or-string`]: true,
          allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "x" }],
        },
        { [`${prefix}int-or-string`]: true, anyOf: [{ type: "string" }, { type: "integer" }] },
        { [`${prefix}int-or-string`]: true, type: "string" },
      ]);
    case "any":
      return pick<Json>([
        { [`${prefix}preserve-unknown-fields`]: true },
        { type: "object", [`${prefix}preserve-unknown-fields`]: true },
        { type: "object", [`${prefix}embedded-resource`]: true, [`${prefix}preserve-unknown-fields`]: true },
        { type: "object", [`${prefix}embedded-resource`]: true },
        {
          type: "object",
          [`${prefix}embedded-resource`]: true,
          properties: { spec: { type: "object" }, metadata: { type: "object" } },
        },
        { type: "object" },
      ]);
    default:
      return { type };
  }
}

function listed(choice: Choice, depth: number): Json {
  const { chance, pick } = choice;
  const kind = pick(["map", "map", "set", "atomic", undefined, undefined, "other"]);
  const items = node(choice, depth + 1);
  if (kind === "map" && chance(80)) {
    const key = {
      type: pick(["string", "integer", "boolean", "object"]),
      ...(chance(20) ? { default: "x" } : {}),
      ...(chance(10) ? { nullable: true } : {}),
    };
    Object.assign(items, { type: "object", properties: { k: key, a: node(choice, depth + 2) } });
    for (const other of ["additionalProperties", "items"]) delete items[other];
    if (chance(80)) items["required"] = ["k"];
  }
  return {
    type: "array",
    ...(chance(97) ? { items } : {}),
    ...(kind === undefined || (kind === "other" && chance(80)) ? {} : { [`${prefix}list-type`]: kind }),
    ...(kind === "map" || chance(3)
      ? { [`${prefix}list-map-keys`]: pick([["k"], ["k"], ["k"], [], ["k", "k"], ["zz"], ["k", "a"]]) }
      : {}),
  };
}

/** Any word of a schema, at whatever place. */
function keyword(choice: Choice, depth: number): Json {
  const { pick } = choice;
  const inner = () => node(choice, Math.max(depth + 1, 2));
  const loose = () =>
    pick<Json>([
      { required: ["a"] },
      { minLength: 1 },
      { type: "string" },
      { properties: { a: { minimum: 1 } } },
      { properties: { a: { type: "integer" } } },
      { default: 1 },
      { nullable: true },
      { description: "x" },
      { title: "x" },
      { enum: [1] },
      { items: { maximum: 2 } },
      { additionalProperties: { maximum: 2 } },
      { [`${prefix}preserve-unknown-fields`]: true },
      inner(),
    ]);
  return pick<() => Json>([
    () => ({ required: pick([["a"], ["zz"], ["a", "a"], []]) }),
    () => ({ enum: pick<unknown>([["a", "b"], [1, 2], [], ["a", "a"], [null], [{ a: 1 }]]) }),
    () => ({ pattern: pick(["^a$", "(", "a{2,1}", "\\d+", "(?=x)"]) }),
    () => ({ format: pick(["date", "int32", "x", "quantity", "ipv4", "k8s-short-name", "date-time", "password"]) }),
    () => ({ minimum: pick([0, 1, 2.5]), maximum: pick([0, 3]), exclusiveMinimum: true }),
    () => ({ minLength: pick([0, 3, -1]), maxLength: pick([1, 5]) }),
    () => ({ minItems: pick([0, 3]), maxItems: pick([1, 5]) }),
    () => ({ minProperties: pick([0, 3]), maxProperties: pick([1, 5]) }),
    () => ({ multipleOf: pick([0, -1, 2]) }),
    () => ({ uniqueItems: pick([true, false]) }),
    () => ({ title: "x", description: "y", example: { a: 1 }, externalDocs: { url: "http://x" } }),
    () => ({ id: "x" }),
    () => ({ $ref: "#/x" }),
    () => ({ $schema: "x" }),
    () => ({ definitions: { a: { type: "string" } } }),
    () => ({ dependencies: { a: ["b"] } }),
    () => ({ patternProperties: { a: { type: "string" } } }),
    () => ({ additionalItems: pick<unknown>([true, false, { type: "string" }]) }),
    () => ({ additionalProperties: pick<unknown>([true, false, inner()]) }),
    () => ({ properties: { a: inner(), "": inner() } }),
    () => ({ items: inner() }),
    () => ({ items: [inner()] }),
    () => ({ allOf: [loose(), loose()] }),
    () => ({ anyOf: [loose()] }),
    () => ({ oneOf: [loose(), loose()] }),
    () => ({ not: loose() }),
    () => ({ [`${prefix}preserve-unknown-fields`]: pick([true, false]) }),
    () => ({ [`${prefix}embedded-resource`]: pick([true, false]) }),
    () => ({ [`${prefix}int-or-string`]: pick([true, false]) }),
    () => ({ [`${prefix}list-type`]: pick(["atomic", "set", "map", "x"]) }),
    () => ({ [`${prefix}map-type`]: pick(["atomic", "granular", "x"]) }),
    () => ({ [`${prefix}list-map-keys`]: ["a"] }),
    () => ({ unknownWord: 1 }),
  ])();
}

function rules(choice: Choice): unknown {
  const { chance, pick, many } = choice;
  return many(2, () => ({
    rule: pick([
      "true",
      "has(self.a)",
      "self == oldSelf",
      "self.a == 'x'",
      "self > 1",
      "self.size() < 3",
      "",
      " ",
      "1",
      "self.zz",
      "self.all(x, x.size() < 5)",
      "self.exists(k, k == 'a')",
      "oldSelf.hasValue() || true",
      "x +",
    ]),
    ...(chance(20) ? { message: pick(["m", "", " ", "a\nb", "x".repeat(2100)]) } : {}),
    ...(chance(20) ? { messageExpression: pick(["'a'", "1", "", "self.zz", "'x' + string(self)"]) } : {}),
    ...(chance(15)
      ? {
          reason: pick([
            "FieldValueInvalid",
            "FieldValueForbidden",
            "FieldValueRequired",
            "FieldValueDuplicate",
            "Other",
            "",
          ]),
        }
      : {}),
    ...(chance(15)
      ? { fieldPath: pick([".a", ".zz", "", "a", ".a.b", ".l[0]", "['a']", ".a[", ".metadata.name"]) }
      : {}),
    ...(chance(15) ? { optionalOldSelf: pick([true, false]) } : {}),
  }));
}
