import { describe, expect, test } from "vitest";
import { since } from "../../base/release.ts";
import { createCatalog } from "../catalog/bind.ts";
import { forbidden } from "../status/field-error.ts";
import { elided, list, optional, string, struct, time } from "./build.ts";
import { on } from "./constraints.ts";
import { plainEnvironment } from "./environment.suite.ts";
import { atLevel } from "./field-level.ts";
import { kind, status, version } from "./kind.ts";
import type { StructSchema } from "./schema.ts";

const Part = struct(
  "toys.v1.Part",
  { size: elided(string()).at(1) },
  { from: { "1.30": { topology: "atomic", name: "toys.v1.ToyPart" } } },
);

const Toy = kind({
  group: "toys.orch.io",
  version: "v1beta1",
  kind: "Toy",
  resource: "toys",
  scope: "Namespaced",
  doc: "A thing to play with.",
  deprecated: { since: "1.25", removed: "1.30", replacement: "toys.orch.io/v1 Toy" },
  fields: {
    old: elided(string()).at(2).until("1.25"),
    color: elided(string()).at(3).default("red"),
    shape: elided(string()).at(4).since("1.25").default("round").oneOf(["round", "flat"]),
    size: elided(string())
      .at(7)
      .oneOf(["small", since("1.30", "huge")]),
    code: elided(list(string().before("1.30", (code) => code.named("label")))).at(8),
    made: elided(time()).at(5).from("1.34", optional),
    parts: elided(list(Part, { from: { "1.25": { topology: "map", keys: ["size"] } } })).at(6),
  },
  from: { "1.33": { generation: true, shortNames: ["ty"] } },
  relations: [on(Part, () => [forbidden("", "no part fits")], { since: "1.30" })],
  columns: (column) => [
    column("Old", (toy) => toy.old, { until: "1.25" }),
    column("Color", (toy) => toy.color),
    column("Shape", (toy) => toy.shape, { since: "1.25" }),
  ],
  subresources: [status(), { name: "resize", verbs: ["update"], since: "1.33" }],
});
const ToyV1 = version(Toy, { version: "v1", since: "1.24" });
const Game = kind({
  group: "games.orch.io",
  version: "v1",
  kind: "Game",
  resource: "games",
  scope: "Cluster",
  doc: "Toys with rules.",
  since: "1.30",
  fields: { toy: string().at(2) },
});

const catalogAt = (level: "1.21" | "1.35") => createCatalog([Toy, ToyV1, Game], plainEnvironment({ level }));
const early = catalogAt("1.21");
const late = catalogAt("1.35");
const object = { metadata: { name: "ball" }, old: "o", shape: "flat" };

describe("a catalog of a level", () => {
  test("serves the groups, versions and kinds that exist there, and prefers the best of them", () => {
    expect(early.groups()).toEqual([{ group: "toys.orch.io", versions: ["v1beta1"], preferred: "v1beta1" }]);
    expect(late.groups().map(({ group, versions }) => [group, versions])).toEqual([
      ["games.orch.io", ["v1"]],
      ["toys.orch.io", ["v1"]],
    ]);
  });

  test("knows a version that went, so that stored objects of it can be converted, and stores its successor", () => {
    const { stored, versions } = late.of(Toy).family;
    expect(early.of(Toy).family.stored.version).toBe("v1beta1");
    expect([stored.version, versions.map((each) => each.version)]).toEqual(["v1", ["v1beta1", "v1"]]);
    expect(late.isServed(late.of(Toy))).toBe(false);
  });

  test("has the fields and defaults of the level, in every version of the kind", () => {
    const filled = (catalog: typeof early) => {
      const { codec } = catalog.of(ToyV1);
      const decoded = codec.decode(object);
      codec.applyDefaults(decoded);
      const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...rest } = decoded;
      return rest;
    };
    expect(filled(early)).toEqual({ old: "o", color: "red", made: null });
    expect(filled(late)).toEqual({ color: "red", shape: "flat" });
  });

  test("has the columns, subresources and deprecations of the level", () => {
    const columns = (catalog: typeof early) => catalog.of(Toy).declaration.columns?.map(({ name }) => name);
    expect([columns(early), columns(late)]).toEqual([
      ["Old", "Color"],
      ["Color", "Shape"],
    ]);
    expect([...early.of(Toy).subresources.keys()]).toEqual(["status"]);
    expect([...late.of(ToyV1).subresources.keys()]).toEqual(["resize", "status"]);
    expect(early.of(Toy).declaration.deprecated).toBeUndefined();
    expect(late.of(Toy).declaration.deprecated?.removed).toBe("1.30");
  });

  test("has the properties that changed until then", () => {
    expect([early.of(Toy).strategy.generation, late.of(ToyV1).strategy.generation]).toEqual([undefined, true]);
    expect(late.of(ToyV1).declaration.shortNames).toEqual(["ty"]);
    const parts = (catalog: typeof early) => catalog.of(Toy).schema.fields.get("parts")?.schema;
    expect(parts(early)).not.toHaveProperty("topology");
    expect(parts(late)).toMatchObject({
      topology: "map",
      keys: ["size"],
      items: { topology: "atomic", name: "toys.v1.ToyPart" },
    });
  });

  test("allows the values and checks the rules of the level", () => {
    const problems = (catalog: typeof early) => {
      const { strategy, family } = catalog.of(Toy);
      const toy = { metadata: {}, shape: "square", size: "huge", code: ["A B"], parts: [{}] };
      return (strategy.validate?.(toy, family.environment) ?? []).map(({ field }) => field);
    };
    expect([problems(early), problems(late)]).toEqual([
      ["size", "code[0]"],
      ["shape", "parts[0]"],
    ]);
  });

  test("finds kinds by their declaration", () => {
    expect(late.of(Toy).declared).toBe(Toy);
    expect(late.of(Toy).declaration).not.toBe(Toy);
  });
});

test("servers of one level share what is made of a schema, whose fields are made when they are first read", () => {
  let reads = 0;
  const plain = struct("x.v1.Plain", { a: string().at(1) }).schema as StructSchema;
  const counted: StructSchema = Object.defineProperty({ ...plain }, "fields", {
    get() {
      reads += 1;
      return plain.fields;
    },
  });
  const made = atLevel("1.35").schema(counted);
  expect(atLevel("1.35").schema(counted)).toBe(made);
  expect(reads).toBe(0);
  expect(made.fields).toBe(made.fields);
  expect([...made.fields]).toEqual([...plain.fields]);
  expect(reads).toBe(1);
});
