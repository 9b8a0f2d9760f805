/** Grows one list, map or text of a small object until the object is as large as a request may be. */

import { isObject } from "../../src/machinery/json/json-value.ts";
import type { Schema, StructSchema } from "../../src/machinery/schema/schema.ts";

/** A place in an object that can be made large. */
export interface Growth {
  /** "spec.template.spec.containers". */
  readonly path: string;
  /** A copy of the object with about `count` entries there, of at most `bytesMax` in JSON. */
  grow(object: object, count: number, bytesMax: number): object;
}

type Json = Record<string, unknown>;

/** Every list, map and text that the object has, and every one that its schema allows beside them. */
export function growthsOf(schema: StructSchema, object: object): readonly Growth[] {
  const found: Growth[] = [];
  visit(schema, object, [], found);
  return found;
}

function visit(schema: Schema, value: unknown, path: readonly string[], found: Growth[]): void {
  if (schema.type === "struct" && isObject(value)) {
    for (const [name, field] of schema.fields) {
      if (path.length === 0 && (name === "status" || name === "metadata")) continue;
      const member = value[name];
      if (member !== undefined) visit(field.schema, member, [...path, name], found);
      else if (field.schema.type === "list" || field.schema.type === "map")
        add(field.schema, undefined, [...path, name], found);
    }
    return;
  }
  if (schema.type === "list" && Array.isArray(value)) {
    add(schema, value, path, found);
    for (const [at, item] of value.entries()) visit(schema.items, item, [...path, String(at)], found);
    return;
  }
  if (schema.type === "map" || schema.type === "string" || schema.type === "json") add(schema, value, path, found);
}

function add(schema: Schema, value: unknown, path: readonly string[], found: Growth[]): void {
  found.push({
    path: path.join("."),
    grow(object, count, bytesMax) {
      const copy = structuredClone(object) as Json;
      const grown = large(schema, value, count, Math.max(0, bytesMax - JSON.stringify(object).length));
      if (grown !== undefined) put(copy, path, grown);
      return copy;
    },
  });
}

function put(object: Json, path: readonly string[], value: unknown): void {
  let at = object;
  for (const step of path.slice(0, -1)) {
    const next = at[step];
    // Another growth has replaced what was walked before.
    if (typeof next !== "object" || next === null) return;
    at = next as Json; // of a list the steps are positions
  }
  at[path.at(-1) ?? ""] = value;
}

function large(schema: Schema, value: unknown, count: number, bytesMax: number): unknown {
  if (schema.type === "string") return "x".repeat(Math.min(count * 20, bytesMax));
  if (schema.type === "list") {
    const seed = Array.isArray(value) && value.length > 0 ? value[0] : plainValue(schema.items);
    const fits = Math.max(1, Math.min(count, Math.floor(bytesMax / (JSON.stringify(seed).length + 12))));
    // Nothing is shared, so that a second growth inside an item does not grow all of them.
    return Array.from({ length: fits }, (_, at) => numbered(structuredClone(seed), at));
  }
  const entries = isObject(value) ? Object.entries(value) : [];
  const [key, seed] = entries[0] ?? ["k", schema.type === "map" ? plainValue(schema.values) : "v"];
  const fits = Math.max(1, Math.min(count, Math.floor(bytesMax / (JSON.stringify(seed).length + key.length + 12))));
  return Object.fromEntries(Array.from({ length: fits }, (_, at) => [`${key}${at}`, structuredClone(seed)]));
}

/** The smallest value that such an item may have. */
function plainValue(schema: Schema): unknown {
  switch (schema.type) {
    case "struct":
      return Object.fromEntries(
        [...schema.fields]
          .filter(([, field]) => field.presence === "required")
          .map(([name, field]) => [name, plainValue(field.schema)]),
      );
    case "list":
      return [plainValue(schema.items)];
    case "map":
      return { k: plainValue(schema.values) };
    case "json":
      return {};
    case "bool":
      return true;
    case "bytes":
      return "YQ==";
    case "quantity":
      return "1";
    case "duration":
      return "1s";
    case "time":
      return "2021-01-01T00:00:00Z";
    case "microTime":
      return "2021-01-01T00:00:00.000000Z";
    case "string":
      return "a";
    default:
      return 1;
  }
}

/** Names by which items are told apart. */
const keys = ["name", "key", "path", "ip", "containerPort", "port", "host", "mountPath", "topologyKey", "secretName"];

/** The item with other names: the n-th of many. */
function numbered(item: unknown, at: number): unknown {
  if (typeof item === "string") return /^\d+\.\d+\.\d+\.\d+/.test(item) ? address(item, at) : `${item}${at}`;
  if (typeof item === "number") return item + at;
  if (!isObject(item)) return item;
  const copy: Json = { ...item };
  for (const key of keys) {
    const value = copy[key];
    if (typeof value === "string" || typeof value === "number") copy[key] = numbered(value, at);
  }
  if (Array.isArray(copy["addresses"])) copy["addresses"] = copy["addresses"].map((value) => numbered(value, at));
  return copy;
}

const address = (text: string, at: number): string =>
  text.replace(/^(\d+\.\d+)\.\d+\.\d+/, `$1.${(at >> 8) & 255}.${at & 255}`);
