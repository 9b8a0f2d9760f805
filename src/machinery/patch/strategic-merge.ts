/**
 * Strategic merge patch: a merge patch that knows the schema, so that lists of named things are merged by name.
 *
 * Directives in the patch, all of them names that start with `$`:
 *
 *   $patch: replace | delete             this object (or, in an element, this list) is replaced; this element is deleted
 *   $retainKeys: [a, b]                  members of the object that are not named are removed
 *   $deleteFromPrimitiveList/finalizers  values to remove from a list of scalars
 *   $setElementOrder/containers          the order that the list is to have afterwards
 */

import { getOwn, isObject, type JsonObject, setOwn } from "../json/json-value.ts";
import type { Environment } from "../schema/environment.ts";
import type { ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import { badRequest } from "../status/status.ts";
import { mergeList, orderList, strategyOf, unmergeable } from "./strategic-list.ts";

const deletionPrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/**
 * The document after the patch; neither argument is changed, and unchanged parts are shared with the document. Refuses with
 * 400 what is not a patch and 422 what cannot be merged. null changes nothing.
 */
export function applyStrategicMerge(
  schema: StructSchema,
  document: JsonObject,
  patch: unknown,
  dialect: StrategicDialect = {},
): JsonObject {
  if (patch === null) return document;
  if (!isObject(patch)) throw badRequest("a strategic merge patch must be a JSON object");
  return mergeObject(schema, document, patch, dialect);
}

interface StrategicDialect {
  /**
   * Whether a value that replaces nothing, or a value of another type, is added without its nulls and without the
   * objects in it that are directives; v1.21 adds it unchanged, so that a null in a new string map becomes "".
   * Default: false.
   */
  readonly cleansAdded?: boolean;
}

export const strategicDialect = ({ has }: Pick<Environment, "has">): StrategicDialect => ({
  cleansAdded: has("cleanedAdditions"),
});

function mergeObject(schema: Schema, original: JsonObject, patch: JsonObject, dialect: StrategicDialect): JsonObject {
  if (Object.hasOwn(patch, "$patch")) return replacement(patch);

  const result = retainKeys(original, patch);
  const done = mergeOrdered(schema, result, patch, dialect);
  for (const patchKey of Object.keys(patch)) {
    if (done.has(patchKey) || patchKey === "$retainKeys") continue;
    const isDeletion = patchKey.startsWith(deletionPrefix);
    const key = isDeletion ? named(patchKey, deletionPrefix) : patchKey;
    const value = patch[patchKey];
    const before = getOwn(result, key);
    if (value === null) delete result[key];
    else if (before !== undefined && (!dialect.cleansAdded || isSameType(before, value)))
      setOwn(result, key, mergeMember(schema, key, before, value, isDeletion, dialect));
    else if (!isDeletion) add(result, key, dialect.cleansAdded ? cleaned(value) : value);
  }
  return result;
}

function add(result: JsonObject, key: string, value: unknown): void {
  if (value === undefined) delete result[key];
  else setOwn(result, key, value);
}

const isSameType = (a: unknown, b: unknown): boolean => typeOf(a) === typeOf(b);

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return typeof value === "bigint" ? "number" : typeof value;
}

const cleaned = (value: unknown): unknown => withoutDirectives(value, true);

/** The value without objects that are directives, and without null members; undefined: it is a directive itself. */
function withoutDirectives(value: unknown, dropsNulls: boolean): unknown {
  if (Array.isArray(value)) return itemsWithoutDirectives(value, dropsNulls);
  if (!isObject(value)) return value;
  const directive = getOwn(value, "$patch");
  if (dropsNulls ? (directive ?? null) !== null : directive !== undefined) return undefined;
  const result: JsonObject = {};
  for (const name of Object.keys(value)) {
    const isDropped = dropsNulls && value[name] === null;
    const member = isDropped ? undefined : withoutDirectives(value[name], dropsNulls);
    if (member !== undefined) setOwn(result, name, member);
  }
  return result;
}

const itemsWithoutDirectives = (items: readonly unknown[], dropsNulls: boolean): readonly unknown[] =>
  items.map((item) => withoutDirectives(item, dropsNulls)).filter((item) => item !== undefined);

function replacement(patch: JsonObject): JsonObject {
  const { $patch: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw unmergeable(`$patch in an object must be "replace" or "delete"`);
}

/** A copy of `original`, without the members that a $retainKeys of the patch does not name. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...original };
  if (!Object.hasOwn(patch, "$retainKeys")) return result;
  const list = patch["$retainKeys"];
  if (!Array.isArray(list)) throw badRequest("$retainKeys must be a list of names");
  const retained = new Set<unknown>(list);
  for (const key of Object.keys(patch)) {
    if (key === "$retainKeys" || patch[key] === null) continue;
    if (key.startsWith(deletionPrefix) || key.startsWith(orderPrefix) || retained.has(key)) continue;
    throw badRequest(`$retainKeys must name every member that the patch sets, and lacks "${key.slice(0, 200)}"`);
  }
  for (const key of Object.keys(result)) if (!retained.has(key)) delete result[key];
  return result;
}

/** Merges the lists for which the patch gives an order; returns the keys of the patch that it has handled. */
function mergeOrdered(
  schema: Schema,
  result: JsonObject,
  patch: JsonObject,
  dialect: StrategicDialect,
): ReadonlySet<string> {
  const done = new Set<string>();
  for (const orderKey of Object.keys(patch)) {
    if (!orderKey.startsWith(orderPrefix)) continue;
    const key = named(orderKey, orderPrefix);
    const order = patch[orderKey];
    done.add(orderKey);
    const original = listOrAbsent(getOwn(result, key), key);
    const changes = listOrAbsent(getOwn(patch, key), key);
    if (!Array.isArray(order)) throw badRequest(`${orderPrefix} must be a list`);
    if (original === undefined && changes === undefined) continue;
    done.add(key);
    const list = listSchema(schema, key);
    const added = changes && dialect.cleansAdded ? itemsWithoutDirectives(changes, false) : undefined;
    setOwn(result, key, orderList(list, { original, patch: changes, added, order }, mergeItems(dialect)));
  }
  return done;
}

const mergeItems =
  (dialect: StrategicDialect) =>
  (schema: Schema, original: JsonObject, change: JsonObject): JsonObject =>
    mergeObject(schema, original, change, dialect);

function listOrAbsent(value: unknown, key: string): readonly unknown[] | undefined {
  if (value === undefined || Array.isArray(value)) return value;
  throw unmergeable(`${orderPrefix} is for lists, and "${key.slice(0, 200)}" is not a list`);
}

function mergeMember(
  schema: Schema,
  key: string,
  original: unknown,
  value: unknown,
  isDeletion: boolean,
  dialect: StrategicDialect,
) {
  if (Array.isArray(original) && Array.isArray(value)) {
    return mergeList(listSchema(schema, key), original, value, mergeItems(dialect), isDeletion);
  }
  if (!isObject(original) || !isObject(value)) return value;
  const member = memberSchema(schema, key);
  if (member.type === "struct" && strategyOf(member.patchStrategy) === "replace") return value;
  return mergeObject(member, original, value, dialect);
}

/** The schema of a member that is to be merged; only members of structs can be. */
function memberSchema(schema: Schema, key: string): Schema {
  const field = schema.type === "struct" ? schema.fields.get(key) : undefined;
  if (field === undefined) throw unmergeable(`no schema says how to merge "${key.slice(0, 200)}"; use a merge patch`);
  return field.schema;
}

function listSchema(schema: Schema, key: string): ListSchema {
  const member = memberSchema(schema, key);
  if (member.type !== "list") throw unmergeable(`"${key}" is not a list`);
  return member;
}

/** "$setElementOrder/containers" -> "containers". */
function named(directive: string, prefix: string): string {
  if (!directive.startsWith(`${prefix}/`)) throw badRequest(`a directive must have the form "${prefix}/name"`);
  return directive.slice(prefix.length + 1);
}
