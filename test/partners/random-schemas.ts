/** Random schemas of custom resources, and values that mostly follow them. */

import type { Choice } from "./random-patches.ts";

type Json = Record<string, unknown>;

export interface RandomSchema extends Json {
  type?: string;
  properties?: Record<string, RandomSchema>;
  additionalProperties?: RandomSchema;
  items?: RandomSchema;
  required?: string[];
  enum?: unknown[];
  nullable?: boolean;
  default?: unknown;
}

const names = ["a", "b", "c", "d"];
const listType = "x-kubernetes-list-type";
const mapKeys = "x-kubernetes-list-map-keys";

export function objectSchema(choice: Choice, depth = 0): RandomSchema {
  const { below, chance, pick } = choice;
  const properties = Object.fromEntries(
    names.slice(0, 1 + below(4)).map((name) => [name, randomSchema(choice, depth + 1)]),
  );
  return {
    type: "object",
    properties,
    ...(chance(20) ? { required: [pick(Object.keys(properties))] } : {}),
    ...(chance(10) ? { "x-kubernetes-map-type": pick(["atomic", "granular"]) } : {}),
    ...(chance(8) ? { oneOf: [{ required: ["a"] }, { required: ["b"] }] } : {}),
    ...(chance(5) ? { not: { required: ["c"] } } : {}),
  };
}

function randomSchema(choice: Choice, depth: number): RandomSchema {
  const { chance, pick } = choice;
  const scalars = ["string", "integer", "boolean", "number"];
  const type = pick(depth > 2 ? scalars : [...scalars, "object", "object", "array", "array", "map", "either"]);
  const schema = ofType(type, choice, depth);
  // In a nullable object the null stays that an apply leaves there (docs/differences.md).
  if (scalars.includes(type) && chance(20)) schema.nullable = true;
  // A default must be valid itself, so that those with limits have none.
  if (chance(25) && (scalars.includes(type) ? Object.keys(schema).length === 1 : type === "map"))
    schema.default = randomValue(schema, choice, 0);
  return schema;
}

function ofType(type: string, choice: Choice, depth: number): RandomSchema {
  const { below, chance, pick } = choice;
  switch (type) {
    case "string":
      return {
        type,
        ...(chance(12)
          ? {
              enum: pick([
                ["x", "y"],
                ["x", "", "abc"],
              ]),
            }
          : {}),
        ...(chance(10) ? { minLength: below(3) } : {}),
        ...(chance(10) ? { maxLength: 1 + below(4) } : {}),
        ...(chance(10) ? { pattern: pick(["^a", "^[a-z]*$", "x|y"]) } : {}),
        ...(chance(10) ? { format: pick(["date", "byte", "ipv4", "duration", "uuid", "unknown"]) } : {}),
      };
    case "integer":
    case "number":
      return {
        type,
        ...(chance(20) ? { minimum: pick([0, 1, -5]) } : {}),
        ...(chance(15) ? { maximum: pick([3, 10]) } : {}),
        ...(chance(8) ? { multipleOf: pick([2, 3]) } : {}),
      };
    case "object":
      return objectSchema(choice, depth);
    case "map":
      return { type: "object", additionalProperties: randomSchema(choice, depth + 1) };
    case "array":
      return listSchema(choice, depth);
    case "either":
      return { "x-kubernetes-int-or-string": true };
    default:
      return { type };
  }
}

function listSchema(choice: Choice, depth: number): RandomSchema {
  const { chance, pick, below } = choice;
  const limits = { ...(chance(10) ? { maxItems: 2 } : {}), ...(chance(5) ? { minItems: 1 } : {}) };
  const kind = pick(["map", "map", "set", "atomic"]);
  if (kind === "set")
    return { type: "array", [listType]: kind, items: { type: pick(["string", "integer"]) }, ...limits };
  if (kind === "atomic") return { type: "array", [listType]: kind, items: randomSchema(choice, depth + 1), ...limits };
  const others = names.slice(0, below(3)).map((name) => [name, randomSchema(choice, depth + 2)]);
  const key = { type: pick(["string", "integer"]) };
  const items = { type: "object", properties: { k: key, ...Object.fromEntries(others) }, required: ["k"] };
  return { type: "array", [listType]: kind, [mapKeys]: ["k"], items, ...limits };
}

/** `wrongPercent`: how often a part is of any type, but no fraction, about which the libraries, newer than v1.35, say more. Objects and lists are not empty: who owns an empty one differs on purpose. */
export function randomValue(schema: RandomSchema, choice: Choice, wrongPercent: number): unknown {
  const { below, chance, pick } = choice;
  // What an apply says of an integer or text that is neither differs: the reference takes anything, and refuses it later.
  if (schema["x-kubernetes-int-or-string"] !== true && chance(wrongPercent))
    return pick<unknown>([1, "x", true, { a: 1 }, ["x"], "12"]);
  if (schema.enum !== undefined && chance(85)) return pick(schema.enum);
  switch (schema.type) {
    case "string":
      return pick(["x", "y", "abc", "a", "", "12", "1.2.3.4", "YQ=="]);
    case "integer":
      return pick([0, 1, 2, 3, 5, 6, -2]);
    case "number":
      return pick([0, 1, 1.5, 2, 6]);
    case "boolean":
      return chance(50);
    case "array":
      return itemsOf(schema, choice, wrongPercent);
    case "object":
      return membersOf(schema, choice, wrongPercent);
    default:
      return pick<unknown>([1, "1", "10%", below(3)]);
  }
}

function itemsOf(schema: RandomSchema, choice: Choice, wrongPercent: number): unknown[] {
  const { items = {} } = schema;
  const list = [1, ...choice.many(2, () => 1)].map(() => randomValue(items, choice, wrongPercent));
  if (schema[listType] !== "map") return list;
  const isText = items.properties?.["k"]?.type === "string";
  for (const item of list) {
    if (typeof item === "object" && item !== null && !Array.isArray(item))
      (item as Json)["k"] = isText ? choice.pick(["p", "q", "s"]) : choice.below(3);
  }
  return list;
}

function membersOf(
  { properties = {}, additionalProperties, required }: RandomSchema,
  choice: Choice,
  wrongPercent: number,
): Json {
  const { chance, pick, below } = choice;
  const object: Json = {};
  for (const [name, inner] of Object.entries(properties))
    if (chance(required?.includes(name) ? 95 : 55)) object[name] = randomValue(inner, choice, wrongPercent);
  if (additionalProperties !== undefined)
    for (let left = 1 + below(2); left > 0; left--)
      object[pick(names)] = randomValue(additionalProperties, choice, wrongPercent);
  if (Object.keys(properties).length > 0 && additionalProperties === undefined && chance(wrongPercent))
    object["unknown"] = pick<unknown>([1, "x", { a: 1 }]);
  const [first] = Object.entries(properties);
  if (Object.keys(object).length === 0 && first !== undefined)
    object[first[0]] = randomValue(first[1], choice, wrongPercent);
  return object;
}
