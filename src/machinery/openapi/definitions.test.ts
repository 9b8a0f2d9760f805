import { describe, expect, test } from "vitest";
import { since } from "../../base/release.ts";
import { finish } from "../../base/time-slice.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createCatalog } from "../catalog/bind.ts";
import { elided, granular, int32, list, optional, string, struct } from "../schema/build.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import { kind } from "../schema/kind.ts";
import type { Level } from "../schema/levels.ts";
import { catalogIn, definition, document, info, references } from "./openapi.suite.ts";
import { buildOpenApiV2 } from "./v2.ts";

describe("definitions", () => {
  test("state the type of a field, whether it is required and how it merges", () => {
    expect(definition("io.orch.api.core.v1.Part")).toEqual({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", description: "What it is called." },
        parts: {
          type: "array",
          items: { $ref: "#/definitions/io.orch.api.core.v1.Part" },
          "x-orch-list-type": "map",
          "x-orch-list-map-keys": ["name"],
          "x-orch-patch-strategy": "merge",
          "x-orch-patch-merge-key": "name",
        },
        size: { type: "integer", format: "int32" },
        color: { type: "string" },
        shade: { type: "string" },
        limits: {
          type: "object",
          additionalProperties: { $ref: "#/definitions/io.orch.apimachinery.pkg.api.resource.Quantity" },
        },
        port: { $ref: "#/definitions/io.orch.apimachinery.pkg.util.intstr.IntOrString" },
        at: { $ref: "#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.Time" },
        raw: { $ref: "#/definitions/io.orch.apimachinery.pkg.runtime.RawExtension" },
        data: { type: "string", format: "byte", "x-orch-list-type": "atomic" },
        on: { type: "boolean" },
        ratio: { type: "number", format: "double" },
        tags: { type: "array", items: { type: "string" }, "x-orch-list-type": "set" },
        __proto: { type: "string" },
      },
    });
  });
  describe("of fields with rules", () => {
    const Ruled = struct("core.v1.Ruled", {
      mode: string()
        .at(1)
        .required()
        .oneOf(["Slow", "Fast", since("1.30", "Fastest")]),
      phase: elided(string()).at(2).openApiEnum(["Active"]),
      side: elided(string()).at(3).oneOf(["North"]).openApiEnum("none"),
      width: int32().at(4).atLeast(1).atMost(9),
      hosts: elided(list(string().named("subdomain")))
        .at(5)
        .max(3)
        .unique(),
      port: optional(int32()).at(6).required().atMost(9).immutable(),
    });
    const RuledThing = kind({
      group: "tools.orch.io",
      version: "v1",
      kind: "RuledThing",
      resource: "ruledthings",
      doc: "A thing with rules.",
      scope: "Cluster",
      fields: { spec: elided(Ruled).at(2) },
    });
    const propertiesIn = (vocabulary: Vocabulary, level: Level, hasGate: boolean) => {
      const environment = plainEnvironment({ vocabulary, level, gates: { enabled: () => hasGate } });
      const { definitions } = finish(buildOpenApiV2(createCatalog([RuledThing], environment), info));
      return definitions[`${vocabulary.definitionPrefix}api.core.v1.Ruled`]?.properties ?? {};
    };
    const enumsOf = (properties: ReturnType<typeof propertiesIn>) =>
      Object.fromEntries(Object.entries(properties).flatMap(([name, one]) => (one.enum ? [[name, one.enum]] : [])));

    test("name the values of the level, where the feature gate is on", () => {
      expect(enumsOf(propertiesIn(kubernetes, "1.35", true))).toEqual({
        mode: ["Fast", "Fastest", "Slow"],
        phase: ["Active"],
      });
      expect(enumsOf(propertiesIn(kubernetes, "1.35", false))).toEqual({});
    });
    test("say the rules in words, only in our own vocabulary", () => {
      const rulesIn = (vocabulary: Vocabulary) =>
        Object.values(propertiesIn(vocabulary, "1.21", false)).map((one) => one["x-orch-rules"]);
      expect(rulesIn(orch)).toEqual([
        ["one of Slow, Fast"],
        undefined,
        ["one of North"],
        ["from 1 to 9"],
        ["at most 3 items", "no two items are the same", "each item: a DNS subdomain"],
        ["required", "at most 9", "cannot be changed"],
      ]);
      expect(JSON.stringify(propertiesIn(kubernetes, "1.21", false))).not.toContain("rules");
    });
  });
  describe("of lists and references at level 1.35", () => {
    const Reference = struct(
      "core.v1.Reference",
      { name: string().at(1) },
      { from: { "1.22": { topology: "atomic" } } },
    );
    const Listed = struct("core.v1.Listed", {
      own: elided(granular(Reference, "1.25")).at(1),
      whole: elided(Reference).at(2),
      plain: elided(list(string())).at(3),
      merged: elided(list(string(), { patchStrategy: "merge" })).at(4),
      keyed: elided(list(Reference, { patchStrategy: "merge", patchMergeKey: "name" })).at(5),
      named: elided(list(string(), { wrapped: true })).at(6),
    });
    const ListedThing = kind({
      group: "tools.orch.io",
      version: "v1",
      kind: "ListedThing",
      resource: "listedthings",
      doc: "A thing with lists.",
      scope: "Cluster",
      fields: { spec: elided(Listed).at(2) },
    });
    const definitionsAt = (level: Level) => {
      const environment = plainEnvironment({ level, gates: { enabled: () => false } });
      return finish(buildOpenApiV2(createCatalog([ListedThing], environment), info)).definitions;
    };
    const typesAt = (level: Level) =>
      Object.entries(definitionsAt(level)["io.orch.api.core.v1.Listed"]?.properties ?? {}).map(
        ([name, one]) => `${name} ${one["x-orch-list-type"] ?? one["x-orch-map-type"]} ${one["x-orch-list-map-keys"]}`,
      );

    test("every list says how it merges, unless it is a type of its own", () => {
      const said = ["own granular undefined", "whole undefined undefined", "plain atomic undefined"];
      expect(typesAt("1.35")).toEqual([...said, "merged set undefined", "keyed map name", "named undefined undefined"]);
      expect(typesAt("1.21").every((text) => text.endsWith(" undefined undefined"))).toBe(true);
    });
    test("a type that is granular for one field is atomic for the others", () => {
      const name = "io.orch.api.core.v1.Reference";
      expect(definitionsAt("1.35")[name]).toHaveProperty("x-orch-map-type", "atomic");
      expect(definitionsAt("1.21")[name]).not.toHaveProperty("x-orch-map-type");
    });
    test("options of a deletion are those of the level", () => {
      const name = "io.orch.apimachinery.pkg.apis.meta.v1.DeleteOptions";
      const member = "ignoreStoreReadErrorWithClusterBreakingPotential";
      expect(definitionsAt("1.35")[name]?.properties).toHaveProperty(member);
      expect(definitionsAt("1.21")[name]?.properties).not.toHaveProperty(member);
    });
  });
  test("of kinds carry their group, version and kind", () => {
    expect(definition("io.orch.api.tools.v1.Thing")).toMatchObject({
      "x-orch-group-version-kind": [{ group: "tools.orch.io", version: "v1", kind: "Thing" }],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: {
          $ref: "#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta",
          description: "Standard object's metadata: name, namespace, labels, annotations, owners.",
        },
        selector: {
          $ref: "#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.Selector",
          description: "Which others.",
        },
      },
    });
    expect(definition("io.orch.apimachinery.pkg.apis.meta.v1.Selector")).toMatchObject({ "x-orch-map-type": "atomic" });
  });
  test("of lists require their items", () => {
    expect(definition("io.orch.api.tools.v1.ThingList")).toMatchObject({
      required: ["items"],
      properties: { items: { items: { $ref: "#/definitions/io.orch.api.tools.v1.Thing" } } },
      "x-orch-group-version-kind": [{ group: "tools.orch.io", version: "v1", kind: "ThingList" }],
    });
  });
  test("exist for every reference", () => {
    const known = Object.keys(document.definitions).map((name) => `#/definitions/${name}`);
    expect(references(document).filter((reference) => !known.includes(reference))).toEqual([]);
  });
  test("use the vocabulary of the server", () => {
    const spoken = finish(buildOpenApiV2(catalogIn(kubernetes), info));
    expect(spoken.definitions["io.k8s.api.tools.v1.Thing"]).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "tools.k8s.io", version: "v1", kind: "Thing" }],
    });
    expect(JSON.stringify(spoken)).not.toMatch(/x-orch|io\.orch\.|orch\.io/);
  });
});
