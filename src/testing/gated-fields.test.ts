import { describe, expect, test } from "vitest";
import { catalog } from "../api/catalog.ts";
import { featureGatesOf } from "../api/feature-gates.ts";
import { bindVersions, create, type Outcome, update } from "../api/life.suite.ts";
import { isObject } from "../machinery/json/json-value.ts";
import { fullObject } from "../machinery/schema/arbitrary.suite.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { fieldCheck } from "../machinery/schema/check-field.ts";
import type { Behind } from "../machinery/schema/gates.ts";
import { isOfLevel } from "../machinery/schema/kind-level.ts";
import { type Level, levels, newestLevel } from "../machinery/schema/levels.ts";
import type { Field, Schema } from "../machinery/schema/schema.ts";
import { StatusError } from "../machinery/status/status.ts";

/** The kinds of a level with all gates on, or off. Features that became final cannot be turned off any more. */
function kindsWith(level: Level, isOn: boolean): ReadonlyMap<string, BoundKind> {
  const open = featureGatesOf(level).flatMap(({ name, locked }) => (locked ? [] : [name]));
  const { catalog: bound } = bindVersions(catalog, Object.fromEntries(open.map((gate) => [gate, isOn])), level);
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
    return { outcome, paths: new Set(pathsOf(outcome.hub)) };
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** A path in which "*" stands for the key of a map. */
const formOf = (path: string) => new RegExp(`^${path.replace(/[.[\]]/g, "\\$&").replaceAll("*", "[^.[]+")}$`);

/** The fields that declarations put behind a gate, as the paths under a struct: "spec.ports[].name". */
function* gatedIn(schema: Schema, path: string, around: readonly Schema[]): Generator<[path: string, behind: Behind]> {
  if (schema.type === "list") yield* gatedIn(schema.items, `${path}[]`, around);
  if (schema.type === "map") yield* gatedIn(schema.values, `${path}.*`, around);
  if (schema.type !== "struct" || around.includes(schema)) return;
  for (const [name, field] of schema.fields) {
    const own = path === "" ? name : `${path}.${name}`;
    for (const behind of field.gated) {
      const items = field.schema.type === "list" ? "[]" : "";
      yield [behind.member === undefined ? own : `${own}${items}.${behind.member}`, behind];
    }
    yield* gatedIn(field.schema, own, [...around, schema]);
  }
}

const isUnder = (path: string, outer: string) => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);

/** Sources of claims are not only dropped: each fills the other, and some kinds of objects need no gate. */
const dropsByRule: ReadonlySet<string> = new Set(["spec.dataSource", "spec.dataSourceRef"]);

describe.each(levels)("at level %s, fields whose gates are off", (level) => {
  const [on, off] = [kindsWith(level, true), kindsWith(level, false)];
  const cases = [...on].flatMap(([name, kind]) => {
    const [all, without] = [made(kind), off.get(name)];
    if (all === undefined || without === undefined) return [];
    const { gates } = without.family.environment;
    const declared = [...gatedIn(kind.hub.schema, "", [])].filter(
      ([path, { gate }]) => !gates.enabled(gate) && !path.startsWith("status."),
    );
    return declared.length === 0 ? [] : [{ name, all, without, declared }];
  });

  test("are declared for several kinds", () => {
    expect(cases.length).toBeGreaterThan(10);
  });

  test.each(cases)("are dropped from a new $name, and nothing else is", ({ all, without, declared }) => {
    const few = made(without);
    expect(few).toBeDefined();
    // A status follows from what the pod asks for: one with scheduling gates says that they keep it.
    const dropped = [...all.paths].filter((path) => !few?.paths.has(path) && !path.startsWith("status."));
    const outermost = dropped.filter((path) => !dropped.some((outer) => isUnder(path, outer)));
    const forms = declared
      .filter(([, behind]) => !("becomes" in behind) && behind.most === undefined && behind.items === undefined)
      .map(([path]) => formOf(path));
    const expected = [...all.paths].filter((path) => forms.some((form) => form.test(path)));
    // The only item of a list may use the feature, and what refers to it goes with it.
    const holders = declared.flatMap(([path, { items }]) =>
      items === undefined ? [] : [path.replace(/\.[^.]+$/, "")],
    );
    const others = outermost.filter(
      (path) => dropsByRule.has(path) || (!expected.includes(path) && holders.some((holder) => isUnder(path, holder))),
    );
    const outer = [...expected, ...others];
    const left = outer.filter((path) => !outer.some((one) => isUnder(path, one)));
    expect(outermost.sort()).toEqual(left.sort());
  });

  test.each(cases)("stay in a $name that has them", ({ all, without, declared }) => {
    const kept = made(without, all.outcome);
    const never = declared.filter(([, { keeps }]) => keeps === "nothing").map(([path]) => path);
    const gone = [...all.paths].filter((path) => !kept?.paths.has(path));
    expect(gone.filter((path) => !never.some((one) => path === one || isUnder(path, one)))).toEqual([]);
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
  for (const kind of kindsWith(newestLevel, true).values()) {
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
