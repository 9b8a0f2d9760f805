/** Random documents and patches: small, with few names, so that a patch often meets what a document has. */

import type { Source } from "../../src/machinery/schema/arbitrary.suite.ts";
import type { ListSchema, Schema, StructSchema } from "../../src/machinery/schema/schema.ts";
import { allKinds, testEnvironment } from "../../src/testing/all-kinds.ts";
import { kubernetes } from "../../src/vocabulary/kubernetes.ts";

type Json = Record<string, unknown>;

const names = ["a", "b", "c"];
/** Below this depth structs are empty. */
const depthMax = 7;
/** A field that v1.35 has and the libraries, which are newer, do not. */
const gone = "workloadRef";

export const isGone = (name: string): boolean => name === gone;

/** Kinds of the newest level whose Go types are in the libraries. */
export const kindsOfLibraries = allKinds(testEnvironment({ vocabulary: kubernetes, level: "1.35" })).filter(
  ({ apiVersion, kind }) =>
    !/^(access|metrics|internal|apiextensions|apiregistration)\./.test(apiVersion) && !/Review$/.test(kind),
);
const kindOf = new Map(kindsOfLibraries.map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]));

/** One of them. */
export const kindNamed = (apiVersion: string, kind: string) =>
  kindOf.get(`${apiVersion} ${kind}`) as (typeof kindsOfLibraries)[number]; // questions are about them alone

/** What all choices are made with. */
export class Choice {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }
  below = (limit: number): number => this.#source.below(limit);
  chance = (percent: number): boolean => this.below(100) < percent;
  pick = <T>(list: readonly T[]): T => list[this.below(list.length)] as T; // within bounds
  many = <T>(most: number, make: () => T): T[] => Array.from({ length: this.below(most + 1) }, make);
}

/** Any JSON, without a schema. Nulls are not items of lists in documents: the reference's JSON patch panics at them. */
export function anyJson(choice: Choice, depth = 0, hasNullItems = true): unknown {
  const { chance, pick, many } = choice;
  if (depth > 2 || chance(50)) return pick([0, 1, -3, 2.5, "a", "b", "", true, false, null, "c", 7]);
  const inside = () => anyJson(choice, depth + 1, hasNullItems);
  if (chance(50)) return many(3, inside).filter((item) => hasNullItems || item !== null);
  return Object.fromEntries(many(3, () => [pick(["a", "b", "c", "d/e", "~x", "0", "-"]), inside()]));
}

export function documentOf(schema: Schema, choice: Choice, depth = 0): unknown {
  const { below, chance, pick, many } = choice;
  switch (schema.type) {
    case "struct":
      return depth > depthMax ? {} : structOf(schema, choice, depth);
    case "list":
      return itemsOf(schema, choice, depth);
    case "map":
      return Object.fromEntries(many(2, () => [pick(names), documentOf(schema.values, choice, depth + 1)]));
    case "bool":
      return chance(50);
    case "int32":
    case "int64":
      return below(3);
    case "json":
      return chance(50) ? undefined : { a: 1 };
    default:
      return pick(names);
  }
}

function structOf(schema: StructSchema, choice: Choice, depth: number): Json {
  const result: Json = {};
  for (const [name, field] of schema.fields) {
    if (isGone(name) || !(isWay(name) || choice.chance(Math.min(75, 220 / schema.fields.size)))) continue;
    const value = documentOf(field.schema, choice, depth + 1);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** What leads to most other fields. */
const isWay = (name: string): boolean => ["spec", "template", "metadata"].includes(name);

function itemsOf(schema: ListSchema, choice: Choice, depth: number): unknown[] {
  const items = choice.many(3, () => documentOf(schema.items, choice, depth + 1));
  const key = schema.patchMergeKey;
  // The reference orders scalars that repeat by accident.
  if (key === undefined) return schema.items.type === "struct" ? items : [...new Set(items)];
  const isNumber = key.endsWith("ort");
  for (const item of items)
    if (choice.chance(97)) (item as Json)[key] = isNumber ? choice.below(3) : choice.pick(names);
  return items;
}

/** A strategic merge patch for a document of the schema, with directives, nulls and now and then nonsense. */
export function strategicPatchOf(schema: Schema, document: unknown, choice: Choice, depth = 0): unknown {
  const { chance, pick, many } = choice;
  if (depth > 0 && chance(6)) return null;
  if (depth > 0 && chance(2)) return anyJson(choice, 1);
  if (schema.type === "struct") return depth > depthMax ? {} : structPatch(schema, asObject(document), choice, depth);
  if (schema.type === "list") return listPatch(schema, document, choice, depth);
  if (schema.type !== "map") return documentOf(schema, choice, depth);
  return Object.fromEntries(many(2, () => [pick([...names, "$patch"]), chance(30) ? null : pick(names)]));
}

const asObject = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

function structPatch(schema: StructSchema, document: Json, choice: Choice, depth: number): Json {
  const { chance, pick } = choice;
  const patch: Json = {};
  for (const [name, field] of schema.fields) {
    const has = Object.hasOwn(document, name);
    const likely = has ? 60 : Math.min(50, 130 / schema.fields.size);
    if (isGone(name) || !(["spec", "template"].includes(name) || chance(likely))) continue;
    patch[name] = strategicPatchOf(field.schema, document[name], choice, depth + 1);
    if (field.schema.type === "list") addListDirectives(field.schema, name, document[name], patch, choice);
  }
  if (chance(5)) patch["$patch"] = pick(["replace", "delete", "merge", "other", 1]);
  if (chance(6)) patch["$retainKeys"] = chance(80) ? retained(patch, choice) : pick<unknown>(["x", {}, [1], null]);
  return patch;
}

const retained = (patch: Json, { chance }: Choice): string[] => [
  ...Object.keys(patch).filter((key) => !key.startsWith("$") || chance(20)),
  ...(chance(30) ? ["zz"] : []),
];

function addListDirectives(schema: ListSchema, name: string, before: unknown, patch: Json, choice: Choice): void {
  const { chance, pick } = choice;
  const list = Array.isArray(before) ? before : [];
  const changes = Array.isArray(patch[name]) ? (patch[name] as unknown[]) : [];
  // The reference fails where both are empty.
  if (list.length + changes.length > 0 && chance(15)) {
    const order = [...list, ...changes].filter((item) => asObject(item)["$patch"] === undefined && chance(90));
    const key = schema.patchMergeKey;
    const named = order.map((item) => (key && typeof item === "object" ? { [key]: asObject(item)[key] } : item));
    patch[`$setElementOrder/${name}`] = shuffled(named, choice);
    if (list.length > 0 && chance(40)) delete patch[name];
  } else if (chance(list.length > 0 ? 10 : 2)) {
    patch[`$deleteFromPrimitiveList/${name}`] = pick<unknown>([list.slice(0, 1), ["a"], [{ name: "a" }], "a"]);
    // Which of the two comes first is an accident there.
    delete patch[name];
  }
}

export function shuffled<T>(list: readonly T[], { below }: Choice): T[] {
  const result: T[] = [];
  for (const item of list) result.splice(below(result.length + 1), 0, item);
  return result;
}

function listPatch(schema: ListSchema, document: unknown, choice: Choice, depth: number): unknown[] {
  const { chance, pick, below } = choice;
  const key = schema.patchMergeKey;
  const first = Array.isArray(document) ? document[0] : undefined;
  const list = itemsOf(schema, choice, depth).map((item) => {
    if (schema.items.type !== "struct" || chance(30)) return item;
    const change = asObject(strategicPatchOf(schema.items, first, choice, depth + 1));
    return key === undefined ? change : { ...change, [key]: asObject(item)[key] };
  });
  if (schema.items.type !== "struct" || !chance(20)) return list;
  const directives = [
    { $patch: "replace" },
    { $patch: "delete", [key ?? "name"]: pick(names) },
    { $patch: "delete" },
    { $patch: "merge" },
    { $patch: "replace", a: 1 },
    {},
  ];
  list.splice(below(list.length + 1), 0, pick<Json>(directives));
  return list;
}
