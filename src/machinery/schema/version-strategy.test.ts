import { expect, test } from "vitest";
import { createCatalog } from "../catalog/bind.ts";
import { tableRow } from "../table/table.ts";
import { elided, string } from "./build.ts";
import type { BoundKind } from "./catalog.ts";
import { throughHub } from "./convert.ts";
import { plainEnvironment } from "./environment.suite.ts";
import { kind, version } from "./kind.ts";

const Hub = kind({
  group: "example.orch.io",
  version: "v2",
  kind: "Note",
  resource: "notes",
  scope: "Namespaced",
  doc: "A Note is a text.",
  fields: { text: elided(string()).at(2) },
  name: "label",
  validate: () => [],
  columns: (column) => [column("Text", ({ text }) => text ?? "")],
});
const Old = version(Hub, {
  version: "v1",
  fields: { body: elided(string()).at(2) },
  strategy: { name: "pathSegment" },
  toHub: ({ metadata, body }) => ({ metadata, text: (body ?? "").trim() }),
  fromHub: ({ metadata, text }) => ({ metadata, body: text ?? "" }),
});

const environment = plainEnvironment();
// Both are Kinds of their own object types.
const catalog = createCatalog([Hub, Old], environment);
const bound = (name: string) => catalog.byResource("example.orch.io", name, "notes") as BoundKind;

test("a version has the strategy of the hub, except for what it declares itself", () => {
  const names = Object.keys(bound("v2").strategy).sort();
  expect(Object.keys(bound("v1").strategy).sort()).toEqual(names);
  expect([bound("v2").strategy.name, bound("v1").strategy.name]).toEqual(["label", "pathSegment"]);
});

test("columns that a version inherits read the object in the hub version", () => {
  expect(tableRow(bound("v1"), { metadata: {}, body: " a " }, environment)).toEqual(["a"]);
});

test("after a trip through the hub an object has the fields that its version can keep", () => {
  expect(throughHub({ metadata: {}, body: " a " }, bound("v1"))).toMatchObject({ body: "a" });
  const object = { metadata: {}, text: " a " };
  expect(throughHub(object, bound("v2"))).toBe(object);
});

test("a misspelt member of a declaration does not compile", () => {
  const names = { group: "", version: "v1", kind: "Note", resource: "notes", scope: "Cluster", doc: "" } as const;
  // @ts-expect-error: it is validate
  kind({ ...names, fields: {}, validat: () => [] });
  // @ts-expect-error: it is shortNames
  kind({ ...names, fields: {}, shortName: ["n"] });
  // @ts-expect-error: it is metadataLast
  kind({ ...names, fields: {}, compat: { metadatalast: true } });
  // @ts-expect-error: it is generation
  version(Hub, { version: "v0", strategy: { generations: true } });
});

test("a version has the compat quirks of its hub unless it declares its own", () => {
  const names = { group: "", kind: "Note", resource: "notes", scope: "Cluster", doc: "", fields: {} } as const;
  const hub = kind({ ...names, version: "v2", compat: { metadataLast: true, tellsEmpty: true } });
  const old = version(hub, { version: "v1", compat: { metadataLast: false } });
  expect(old.compat).toEqual({ metadataLast: false, tellsEmpty: true });
});
