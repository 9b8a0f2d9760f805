/** Variables of a kustomization: `$(NAME)` in arguments and environments becomes the value of a field of an object. */

import { CtlError } from "../errors.ts";
import { dig, isJson, type Json, kindOf, object, text } from "../json.ts";
import type { Resource } from "./build.ts";

/** Where variables are replaced. */
const places = new Set(["args", "command", "value", "host", "mountPath", "path", "image"]);

export function applyVars(resources: readonly Resource[], vars: readonly Json[]): void {
  if (vars.length === 0) return;
  const values = new Map(vars.map((variable) => [text(variable, "name"), fieldOf(resources, variable)]));
  for (const { object: value } of resources) replaceIn(value, values, "");
}

function fieldOf(resources: readonly Resource[], variable: Json): string {
  const reference = object(variable, "objref");
  const found = resources.find(
    ({ object: value, originalName }) =>
      kindOf(value) === text(reference, "kind") && originalName === text(reference, "name"),
  );
  if (found === undefined)
    throw new CtlError(`var '${text(variable, "name")}' cannot be mapped to a field in the set of known resources`);
  const path = (
    text(variable, "fieldref", "fieldpath") ||
    text(variable, "fieldref", "fieldPath") ||
    "metadata.name"
  ).replaceAll(/\[(\d+)\]/g, ".$1");
  const value = dig(found.object, ...path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
  if (value === undefined)
    throw new CtlError(`field specified in var '${text(variable, "name")}' not found in corresponding resource`);
  return String(value);
}

function replaceIn(value: unknown, values: ReadonlyMap<string, string>, parent: string): unknown {
  if (typeof value === "string")
    return places.has(parent)
      ? value.replaceAll(/\$\(([^)]+)\)/g, (whole, name: string) => values.get(name) ?? whole)
      : value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = replaceIn(value[at], values, parent);
  } else if (isJson(value)) for (const key of Object.keys(value)) value[key] = replaceIn(value[key], values, key);
  return value;
}
