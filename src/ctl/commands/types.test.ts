import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
/** Inside the repository, where "orch/client" is found. */
const folder = resolve(".cache/ctl-types-test");
beforeAll(async () => {
  session = await openSession("kubectl");
  mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const spec = {
  type: "object",
  description: "What is wanted. */ It ends\nhere.",
  required: ["size", "mode"],
  "x-kubernetes-validations": [
    { rule: "self.size > 0", message: "must have a size" },
    {
      rule: "!oldSelf.hasValue() || self.size >= oldSelf.value().size",
      messageExpression: "'must not shrink to ' + string(self.size)",
      reason: "FieldValueForbidden",
      fieldPath: ".size",
      optionalOldSelf: true,
    },
  ],
  properties: {
    size: { type: "integer", format: "int32", minimum: 1, maximum: 9 },
    count: { type: "integer" },
    mode: { type: "string", enum: ["fast", "slow"], default: "fast" },
    code: { type: "string", pattern: "^[A-Z]+$", minLength: 1, maxLength: 5 },
    weight: { type: "number", format: "float", exclusiveMinimum: true, minimum: 0 },
    port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    at: { type: "string", format: "date-time" },
    until: { type: "string", format: "date-time", nullable: true },
    data: { type: "string", format: "byte" },
    "odd-name": { type: "boolean", nullable: true },
    labels: { type: "object", additionalProperties: { type: "string", maxLength: 9 } },
    anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    empty: { type: "object" },
    open: { type: "object", additionalProperties: true },
    pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    some: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-map-type": "atomic",
      properties: { known: { type: "string" } },
    },
    parts: {
      type: "array",
      maxItems: 3,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string", maxLength: 3 } } },
      },
    },
  },
};
const status = { type: "object", properties: { replicas: { type: "integer", format: "int32" } } };
const selectableFields = [{ jsonPath: ".spec.mode" }];
/** `more`: what the first version has that not every level does. */
const definitionOf = (spec: object, more: object = { selectableFields }) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: false,
        schema: {
          openAPIV3Schema: {
            description: "A Widget.",
            type: "object",
            required: ["spec"],
            properties: {
              metadata: { type: "object", properties: { name: { type: "string", maxLength: 7 } } },
              spec,
              status,
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" } },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size", description: "How large.", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        ...more,
      },
      {
        name: "v1beta1",
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning: "use v1",
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { old: { type: "string" } } } },
          },
        },
      },
    ],
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://example.com/convert" } },
    },
  },
});
const definition = definitionOf(spec);

const evaluated = async (text: string, name: string) => {
  writeFileSync(join(folder, name), text);
  return import(join(folder, name));
};

test("a module of a definition defines the same resource", async () => {
  session.file("widgets.yaml", encodeYaml(definition));
  const text = await session.ok("types -f widgets.yaml -o module");
  const { Widget } = await evaluated(text, "widget.ts");
  const { url } = definition.spec.conversion.webhook.clientConfig;
  const made = JSON.parse(JSON.stringify(Widget.definition("kubernetes", { conversion: { url } })));
  // The server fills in a default before it asks whether a member is there.
  const expected = definitionOf({ ...spec, required: ["size"] });
  expect(made).toEqual(expected);
  expect(() =>
    Widget.convert({ apiVersion: "example.com/v1beta1", kind: "Widget", metadata: {} }, "example.com/v1"),
  ).toThrow("is not written");
});

test("the types of definitions have their documentation, and read what a server has", async () => {
  const { "x-kubernetes-validations": _rules, ...unruled } = spec; // this level has none
  session.file("server.yaml", encodeYaml(definitionOf(unruled, {})));
  await session.ok("create -f server.yaml");
  const text = await session.ok("types wd");
  expect(text).toBe(`import type { ObjectMeta } from "orch/types";

/** A Widget. */
export interface Widget {
  apiVersion?: "example.com/v1";
  kind?: "Widget";
  metadata: ObjectMeta;
  /**
   * What is wanted. *\\/ It ends
   * here.
   */
  spec: WidgetSpec;
  status?: WidgetStatus;
}

/**
 * What is wanted. *\\/ It ends
 * here.
 */
export interface WidgetSpec {
  anything?: Record<string, unknown>;
  at?: string;
  code?: string;
  count?: number;
  data?: string;
  empty?: Record<string, unknown>;
  labels?: Record<string, string>;
  mode?: "fast" | "slow";
  "odd-name"?: boolean | null;
  open?: Record<string, unknown>;
  parts?: WidgetSpecPartsItem[];
  pod?: WidgetSpecPod;
  port?: number | string;
  size: number;
  some?: WidgetSpecSome;
  until?: string | null;
  weight?: number;
}

export interface WidgetSpecPartsItem {
  name: string;
  tags?: string[];
}

export interface WidgetSpecPod {
  apiVersion: string;
  kind: string;
  metadata?: ObjectMeta;
  [member: string]: unknown;
}

export interface WidgetSpecSome {
  known?: string;
  [member: string]: unknown;
}

export interface WidgetStatus {
  replicas?: number;
}

export interface WidgetV1beta1 {
  apiVersion?: "example.com/v1beta1";
  kind?: "Widget";
  metadata: ObjectMeta;
  spec?: WidgetV1beta1Spec;
}

export interface WidgetV1beta1Spec {
  old?: string;
}
`);
});

test("names that are not names of a program are refused, and texts do not become code", async () => {
  const odd = structuredClone(definition);
  odd.spec.names.kind = "Widget{}; evil()";
  session.file("odd.yaml", encodeYaml(odd));
  const { code, err } = await session.run("types -f odd.yaml");
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('spec.names.kind: "Widget{}; evil()" cannot be the name of a type'),
  ]);
  expect((await session.run("types -f widgets.yaml -o java")).err).toContain(
    '--output must be one of d.ts, module, not "java"',
  );
  expect((await session.run("types gadgets -f widgets.yaml")).err).toContain('no definition is called "gadgets"');
});
