import { describe, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { createCatalog } from "../catalog/bind.ts";
import { elided, string } from "../schema/build.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import type { Environment } from "../schema/environment.ts";
import { type ApiObject, type Kind, kind } from "../schema/kind.ts";
import { rowConditions, tableColumns, tableRow } from "./table.ts";

const environment: Environment = plainEnvironment({
  gates: { enabled: () => false },
  clock: createManualClock(Date.parse("2021-01-01T00:01:00Z")),
});

const face = { group: "", version: "v1", scope: "Namespaced", doc: "A thing." } as const;
const Plain = kind({ ...face, kind: "Plain", resource: "plains", fields: {} });
const Shown = kind({
  ...face,
  kind: "Shown",
  resource: "showns",
  fields: { phase: elided(string()).at(2) },
  columns: (column) => [
    column("Name", (shown) => shown.metadata.name, { format: "name" }),
    column("Phase", (shown) => shown.phase, { priority: 1, description: "Where it is." }),
  ],
  rowConditions: (shown) =>
    shown.phase === "Done" ? [{ type: "Completed", status: "True", reason: "Done", message: "It has ended" }] : [],
});

const catalog = createCatalog([Plain as Kind, Shown], environment); // kinds are kept without their type
const bound = (name: string): BoundKind => {
  const found = catalog.byKind("", "v1", name);
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
};
const object = (more: object): ApiObject => ({
  metadata: { name: "a", creationTimestamp: "2021-01-01T00:00:00Z" },
  ...more,
});

describe("a kind that declares no columns", () => {
  test("shows its name and when it was created", () => {
    expect(
      tableColumns(bound("Plain")).map(({ name, type, format, priority }) => [name, type, format, priority]),
    ).toEqual([
      ["Name", "string", "name", 0],
      ["Created At", "date", "", 0],
    ]);
    expect(tableRow(bound("Plain"), object({}), environment)).toEqual(["a", "2021-01-01T00:00:00Z"]);
  });
  test("has rows without conditions", () => expect(rowConditions(bound("Plain"), object({}), environment)).toEqual([]));
});

describe("declared columns", () => {
  test("have every attribute, set or not", () => {
    expect(tableColumns(bound("Shown"))).toEqual([
      { name: "Name", type: "string", format: "name", description: expect.any(String), priority: 0 },
      { name: "Phase", type: "string", format: "", description: "Where it is.", priority: 1 },
    ]);
  });
  test("show missing values as null", () => {
    expect(tableRow(bound("Shown"), object({}), environment)).toEqual(["a", null]);
    expect(tableRow(bound("Shown"), object({ phase: "Done" }), environment)).toEqual(["a", "Done"]);
  });
  test("come with the row conditions of the kind", () => {
    expect(rowConditions(bound("Shown"), object({ phase: "Done" }), environment)).toMatchObject([
      { type: "Completed" },
    ]);
    expect(rowConditions(bound("Shown"), object({ phase: "Begun" }), environment)).toEqual([]);
  });
});
