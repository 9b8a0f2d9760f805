/** Paths of fields as `orderBy` and `select` name them: `metadata.name`, `metadata.labels['app.example.com/tier']`, `spec.containers[0].image`. */

import { isObject } from "../../machinery/json/json-value.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { AskedPath } from "../contract/queries.ts";

/** A name of a member, or an index of a list. */
export type MemberPath = readonly (string | number)[];

export interface NamedPath extends AskedPath {
  /** The word after the path, such as "desc"; "": none. */
  readonly word: string;
}

export const pathsMax = 32;
export const pathsCharsMax = 4_000;
export const pathStepsMax = 32;

/** Paths with commas in between. Throws a badRequest that names the parameter. */
export function readFieldPaths(parameter: string, text: string): readonly NamedPath[] {
  if (text.length > pathsCharsMax) throw badRequest(`${parameter} may have at most ${pathsCharsMax} characters`);
  const parts = splitAtCommas(text);
  if (parts.length > pathsMax) throw badRequest(`${parameter} may have at most ${pathsMax} paths`);
  return parts.map((part) => {
    const [, named = "", word = ""] = /^\s*(\S(?:.*?\S)??)(?:\s+([A-Za-z]+))?\s*$/s.exec(part) ?? [];
    const found = stepsOf(named);
    if (found === undefined || found.path.length > pathStepsMax)
      throw badRequest(
        `${parameter}: ${JSON.stringify(part.slice(0, 100))} is not the path of a field, such as metadata.name, ` +
          "metadata.labels['app'] or spec.containers[0].image",
      );
    return { text: named, ...found, word };
  });
}

/** Throws a badRequest if a path is given twice or lies in another: columns would repeat large values. */
export function refuseOverlaps(parameter: string, paths: readonly NamedPath[]): void {
  for (const [at, inner] of paths.entries())
    for (const [other, outer] of paths.entries())
      if (at !== other && outer.path.every((step, place) => inner.path[place] === step))
        throw badRequest(`${parameter}: ${shown(inner)} is already shown with ${shown(outer)}`);
}

const shown = ({ text }: NamedPath) => JSON.stringify(text.slice(0, 100));

/** A comma between quotes belongs to a name. */
function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === ",") {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

const step = /\.?([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** Undefined: the text is not a path. A dot may come first, as in columns of definitions. */
function stepsOf(text: string): Pick<AskedPath, "path" | "offsets"> | undefined {
  const path: (string | number)[] = [];
  const offsets: number[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < text.length) {
    const at = step.lastIndex;
    const found = step.exec(text);
    if (found === null) return undefined;
    const [whole, name, index, single, double] = found;
    if (name !== undefined && at > 0 && !whole.startsWith(".")) return undefined;
    path.push(index === undefined ? (name ?? single ?? double ?? "") : Number(index));
    offsets.push(at + (whole.startsWith(".") ? 1 : 0));
  }
  return path.length === 0 ? undefined : { path, offsets };
}

/** Undefined: the object has nothing there. */
export function valueAt(object: unknown, path: MemberPath): unknown {
  let at = object;
  for (const step of path) {
    if (typeof step === "number") at = Array.isArray(at) ? at[step] : undefined;
    else at = isObject(at) && !Array.isArray(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

/** The object with what the paths name alone; an item of a list keeps its place behind those that are left out, which are null. */
export function project(object: unknown, paths: readonly MemberPath[]): object {
  const projected = {};
  for (const path of paths) {
    const value = valueAt(object, path);
    if (value !== undefined) put(projected, path, value);
  }
  return projected;
}

function put(target: object, path: MemberPath, value: unknown): void {
  let at = target as Record<string | number, unknown>; // made here, of objects and lists
  for (const [position, step] of path.entries()) {
    if (Array.isArray(at)) while (at.length <= Number(step)) at.push(null);
    const next = path[position + 1];
    if (next === undefined) {
      define(at, step, value);
      return;
    }
    const found = Object.hasOwn(at, step) ? at[step] : undefined;
    const inner = typeof found === "object" && found !== null ? { ...found } : undefined;
    const made = typeof next === "number" ? [...(Array.isArray(found) ? found : [])] : (inner ?? {});
    define(at, step, made);
    at = made as Record<string | number, unknown>;
  }
}

/** A member of any name, such as "__proto__". */
function define(target: object, name: string | number, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
