/** Where the objects of a kind have final values (`StructSchema.isFinal`), and what is done with the large ones among them. */

import { randomUUID } from "node:crypto";
import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { finish, type Steps } from "../../base/time-slice.ts";
import { finalFacts, hasFinals } from "../json/final-facts.ts";
import { encodeJson } from "../json/json.ts";
import { copyJson, getOwn, isObject } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";
import { decodeFinalSteps } from "./decode-steps.ts";
import { finalAt, freezeAndPrint, largePartsMin, rememberFinal } from "./final-values.ts";
import type { Schema, StructSchema } from "./schema.ts";

/** The way to final values: into the members of these names, and into all items of lists. A final value ends it. */
interface Route {
  readonly final: StructSchema | undefined;
  readonly members: ReadonlyMap<string, Route>;
}

const routes = new WeakMap<StructSchema, Route | undefined>();

function routeOf(schema: StructSchema): Route | undefined {
  if (routes.has(schema)) return routes.get(schema);
  routes.set(schema, undefined); // a struct may contain itself
  const members = new Map<string, Route>();
  for (const [name, field] of schema.fields) {
    const route = routeInto(field.schema);
    if (route !== undefined) members.set(name, route);
  }
  const found = members.size === 0 ? undefined : { final: undefined, members };
  routes.set(schema, found);
  return found;
}

const nowhere: ReadonlyMap<string, Route> = new Map();

function routeInto(schema: Schema): Route | undefined {
  if (schema.type === "list") return routeInto(schema.items);
  if (schema.type !== "struct") return undefined;
  return schema.isFinal ? { final: schema, members: nowhere } : routeOf(schema);
}

type Visit = (value: unknown, schema: StructSchema) => Steps<unknown>;

/** The value with every final value in it replaced. Nothing is changed in place; what stays the same is shared. */
function* replaceFinals(value: unknown, route: Route | undefined, visit: Visit): Steps<unknown> {
  if (route === undefined) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(yield* replaceFinals(item, route, visit));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (route.final !== undefined) return yield* visit(value, route.final);
  if (!isObject(value)) return value;
  let result = value;
  for (const [name, inner] of route.members) {
    const before = getOwn(value, name);
    const after = yield* replaceFinals(before, inner, visit);
    if (after === before) continue;
    if (result === value) result = { ...value };
    result[name] = after;
  }
  return result;
}

/**
 * The value, not decoded yet, with its large final values decoded, frozen and remembered. One that cannot be decoded stays as it is:
 * decoding the whole finds the problem again, and its path.
 */
export function* decodeFinals(schema: StructSchema, value: unknown): Steps<unknown> {
  return yield* replaceFinals(value, routeOf(schema), makeFinal);
}

function* makeFinal(value: unknown, schema: StructSchema): Steps<unknown> {
  if (!isObject(value) || finalFacts(value) !== undefined || isSmall(value, largePartsMin)) return value;
  const decoded = yield* decodeFinalSteps(schema, value);
  if (decoded === undefined) return value;
  return rememberFinal(decoded.value, { members: decoded.members, text: yield* freezeAndPrint(decoded.value) });
}

/** Recognizes the values of a stored object. Those that are not in today's printed form are kept as read. */
export function* recognizeFinals(schema: StructSchema, object: unknown): Steps<unknown> {
  return yield* replaceFinals(object, routeOf(schema), function* (value, final) {
    const made = yield* makeFinal(value, final);
    if (made === value || !isObject(value) || !isObject(made)) return value;
    return finalFacts(made)?.text.equals(yield* freezeAndPrint(value)) ? made : value;
  });
}

/** Takes the place of a large final value; no client can know it. */
const mark = randomUUID();
const markOf = (at: number): string => `${mark}:${at}`;
const marked = new RegExp(`"${mark}:(\\d+)"`);

/** The object without its large final values. */
function takeOut(
  schema: StructSchema,
  object: unknown,
): { readonly rest: unknown; readonly finals: readonly object[] } {
  const finals: object[] = [];
  const route = hasFinals() ? routeOf(schema) : undefined;
  if (route === undefined) return { rest: object, finals };
  const rest = finish(
    // biome-ignore lint/correctness/useYield: it is a visit that takes one step
    replaceFinals(object, route, function* (value) {
      if (!isObject(value) || finalFacts(value) === undefined) return value;
      return markOf(finals.push(value) - 1);
    }),
  );
  return { rest, finals };
}

/** Undefined: not all of them have a place in the object. */
function putBack(schema: StructSchema, rest: unknown, finals: readonly object[]): unknown {
  let count = 0;
  const whole = finish(
    // biome-ignore lint/correctness/useYield: as above
    replaceFinals(rest, routeOf(schema), function* (value) {
      const at = typeof value === "string" && value.startsWith(mark) ? Number(value.slice(mark.length + 1)) : -1;
      const found = finals[at];
      if (found !== undefined) count++;
      return found ?? value;
    }),
  );
  return count === finals.length ? whole : undefined;
}

/** A copy that may be changed, but for its large final values, which it shares. */
export function copyObject<T>(schema: StructSchema, object: T): T {
  const { rest, finals } = takeOut(schema, object);
  // As many as were taken out.
  return finals.length === 0 ? copyJson(object) : (putBack(schema, copyJson(rest), finals) as T);
}

/** Whether an object of this schema can have final values. */
export const hasFinalPlaces = (schema: StructSchema): boolean => routeOf(schema) !== undefined;

/** Whether an object of this schema can have large final values now. */
export const mayHaveFinals = (schema: StructSchema): boolean => hasFinals() && routeOf(schema) !== undefined;

/** The JSON of an object in pieces: texts, and the bytes of its large final values. */
export function printInPieces(schema: StructSchema, object: unknown): (string | Buffer)[] {
  const { rest, finals } = takeOut(schema, object);
  const text = encodeJson(rest);
  if (finals.length === 0) return [text];
  // Every second piece is a number that the expression has found.
  const pieces = text
    .split(marked)
    .map((piece, at) => (at % 2 === 0 ? piece : finalFacts(finals[Number(piece)]!)!.text));
  if (checksCaches) checkAnswer("texts of final values", pieces.map(String).join(""), encodeJson(object));
  return pieces;
}

/** Parses the JSON of a stored object. Large final values that are known are not parsed again. */
export function* parseAround(
  schema: StructSchema,
  bytes: Buffer,
  parse: (bytes: Buffer) => Steps<unknown>,
): Steps<unknown> {
  if (!hasFinals()) return yield* parse(bytes);
  const finals: object[] = [];
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const label of labelsOf(schema)) {
    for (let at = bytes.indexOf(label); at >= 0; at = bytes.indexOf(label, at + 1)) {
      const begin = at + label.length - 1;
      const found = begin < copied ? undefined : finalAt(bytes, begin);
      if (found === undefined) continue;
      pieces.push(bytes.subarray(copied, begin), Buffer.from(`"${markOf(finals.push(found) - 1)}"`));
      copied = begin + (finalFacts(found)?.text.length ?? 0);
      at = copied - 1;
    }
  }
  if (finals.length === 0) return yield* parse(bytes);
  const rest = yield* parse(Buffer.concat([...pieces, bytes.subarray(copied)]));
  // A member may have the name of a final value and be none.
  return putBack(schema, rest, finals) ?? (yield* parse(bytes));
}

/** How final values begin in JSON. */
function labelsOf(schema: StructSchema): readonly string[] {
  const labels = new Set<string>();
  const collect = (route: Route | undefined): void => {
    for (const [name, inner] of route?.members ?? []) {
      if (inner.final !== undefined) labels.add(`${JSON.stringify(name)}:{`);
      collect(inner);
    }
  };
  collect(routeOf(schema));
  return [...labels];
}
