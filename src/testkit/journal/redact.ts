/** Leaves out of the journal what must not be kept: values of fields that their kind declares as confidential, and values in queries. */

import { getOwn, isObject, type JsonObject, setOwn } from "../../machinery/json/json-value.ts";
import type { FieldChanges } from "./contract.ts";

/** Which fields of a resource, or of a kind, are confidential: "data", "spec.token". Groups are those of the server's vocabulary. */
export interface ConfidentialFields {
  ofResource(group: string, resource: string): readonly string[];
  ofKind(apiVersion: string, kind: string): readonly string[];
}

/** In place of a value that is left out. */
const hiddenValue = "***";
/** Longer bodies of confidential kinds are left out as a whole. */
export const redactedBytesMax = 262_144;

/** Parameters that say how a request is meant. All others, such as the command of an exec and those of proxied requests, are hidden. */
const shownParameters: ReadonlySet<string> = new Set(
  (
    "allowWatchBookmarks container continue dryRun fieldManager fieldSelector fieldValidation follow force gracePeriodSeconds " +
    "ignoreStoreReadErrorWithClusterBreakingPotential labelSelector limit limitBytes orphanDependents ports pretty previous " +
    "propagationPolicy resourceVersion resourceVersionMatch sendInitialEvents sinceSeconds sinceTime stderr stdin stdout tailLines " +
    "timeout timeoutSeconds timestamps tty verbose watch"
  ).split(" "),
);

/** `isProxied`: the path and the query are those of another server. */
export function redactTarget(target: string, isProxied: boolean): string {
  const at = target.indexOf("?");
  if (at < 0) return target;
  const shown = target
    .slice(at + 1)
    .split("&")
    .map((part) => {
      const name = part.split("=", 1)[0]!;
      return part.length === name.length || (!isProxied && shownParameters.has(name)) ? part : `${name}=${hiddenValue}`;
    });
  return `${target.slice(0, at)}?${shown.join("&")}`;
}

/**
 * The body without the values that must not be kept; undefined: it has none. `fields`: those of the resource in the path. The object in
 * the body may be of another kind, such as a TokenRequest.
 */
export function redactBody(body: Buffer, fields: readonly string[], known: ConfidentialFields): string | undefined {
  const unread = fields.length === 0 ? undefined : hiddenValue;
  if (body.length > redactedBytesMax || (fields.length === 0 && !body.includes('"Token'))) return unread;
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    // YAML, protobuf, or no object at all.
    return unread;
  }
  const own = isObject(value) ? known.ofKind(String(getOwn(value, "apiVersion")), String(getOwn(value, "kind"))) : [];
  const all = [...new Set([...fields, ...own])];
  if (all.length === 0) return undefined;
  const isChanged = Array.isArray(value) ? redactPatch(value, all) : isObject(value) && redactObject(value, all);
  return isChanged ? JSON.stringify(value) : undefined;
}

/** In place. Names of members stay, so that people see which keys were written. */
function redactObject(object: JsonObject, fields: readonly string[]): boolean {
  let isChanged = false;
  for (const field of [...fields, "metadata.annotations"]) {
    const steps = field.split(".");
    const last = steps.pop()!;
    let at: unknown = object;
    for (const step of steps) at = isObject(at) ? getOwn(at, step) : undefined;
    const value = isObject(at) ? getOwn(at, last) : undefined;
    if (!isObject(at) || value === undefined || value === null) continue;
    const isAnnotation = field === "metadata.annotations";
    if (isObject(value)) {
      for (const key of Object.keys(value)) {
        if (isAnnotation && !holdsObject(key)) continue;
        setOwn(value, key, hiddenValue);
        isChanged = true;
      }
    } else if (!isAnnotation) {
      setOwn(at, last, hiddenValue);
      isChanged = true;
    }
  }
  return isChanged;
}

/** The operations of a JSON patch, in place. */
function redactPatch(operations: readonly unknown[], fields: readonly string[]): boolean {
  const pointers = [...fields, "metadata.annotations"].map((field) => `/${field.replaceAll(".", "/")}`);
  let isChanged = false;
  for (const operation of operations) {
    if (!isObject(operation) || getOwn(operation, "value") === undefined) continue;
    const path = `${String(getOwn(operation, "path"))}/`;
    if (!pointers.some((pointer) => path.startsWith(`${pointer}/`) || `${pointer}/`.startsWith(path))) continue;
    setOwn(operation, "value", hiddenValue);
    isChanged = true;
  }
  return isChanged;
}

/** Annotations with the whole object, as clients that apply write them. */
const holdsObject = (key: string): boolean => key.endsWith("last-applied-configuration");

/** `changes` of an object whose kind has these fields. */
export function redactChanges(changes: FieldChanges, fields: readonly string[]): FieldChanges {
  if (fields.length === 0) return changes;
  const isHidden = (field: string) =>
    field.startsWith("metadata.annotations") ||
    fields.some(
      (one) =>
        field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`) || one.startsWith(`${field}.`),
    );
  return {
    ...changes,
    fields: changes.fields.map((change) =>
      isHidden(change.field)
        ? {
            field: change.field,
            ...(change.before === undefined ? {} : { before: hiddenValue }),
            ...(change.after === undefined ? {} : { after: hiddenValue }),
          }
        : change,
    ),
  };
}
