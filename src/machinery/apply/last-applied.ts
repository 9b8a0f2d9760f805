/**
 * The migration of the command line from client-side to server-side apply: the annotation in which it kept what it
 * applied last shows which fields it owned, and is kept up to date so that users can go back.
 */

import { finish } from "../../base/time-slice.ts";
import { encodeJson } from "../json/json.ts";
import { isObject } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { ApiObject } from "../schema/kind.ts";
import { StatusError } from "../status/status.ts";
import { compare } from "./compare.ts";
import type { FieldSet } from "./field-set.ts";
import { difference, isEmpty } from "./field-set.ts";
import { decodePartial } from "./partial.ts";
import { toFieldSet } from "./to-field-set.ts";
import { Unidentified } from "./topology.ts";
import type { Loss } from "./updater.ts";

/** The size of all annotations together; a longer annotation is dropped instead of making the object invalid. */
const annotationBytesMax = 256 * 1024;

const annotationOf = (kind: BoundKind) =>
  kind.family.environment.vocabulary.word("ctl.orch.io/last-applied-configuration");

/** Whether the manager is the command line. */
export function isCommandLine(kind: BoundKind, manager: string): boolean {
  return manager === kind.family.environment.vocabulary.tool;
}

/** The conflicts that remain if the command line owns the fields that still have the value it applied last. */
export function withoutLastApplied(kind: BoundKind, live: ApiObject, conflicts: readonly Loss[]): readonly Loss[] {
  const own = lastAppliedFields(kind, live);
  if (own === undefined) return conflicts;
  return conflicts
    .map((conflict) => ({ ...conflict, fields: difference(conflict.fields, own) }))
    .filter((conflict) => !isEmpty(conflict.fields));
}

function lastAppliedFields(kind: BoundKind, live: ApiObject): FieldSet | undefined {
  const text = live.metadata.annotations?.[annotationOf(kind)];
  if (text === undefined || text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["apiVersion"] !== kind.apiVersion) return undefined;
    const applied = finish(decodePartial(kind.codec.topology, value));
    const { added, modified, removed } = compare(kind.codec.topology, applied, live);
    const set = toFieldSet(kind.codec.topology, applied);
    return difference(difference(difference(set, modified), added), removed);
  } catch (problem) {
    // Anyone may write an annotation; one that cannot be read is ignored.
    if (problem instanceof SyntaxError || problem instanceof StatusError || problem instanceof Unidentified)
      return undefined;
    throw problem;
  }
}

/** The object with its annotation, if it has one, updated to this apply. */
export function withLastApplied(kind: BoundKind, object: ApiObject, applied: ApiObject): ApiObject {
  const key = annotationOf(kind);
  const annotations = object.metadata.annotations;
  if (annotations?.[key] === undefined || annotations[key] === "") return object;
  const value = `${encodeJson(sorted(withoutAnnotation(applied, key)))}\n`;
  const next: Record<string, string> = { ...annotations, [key]: value };
  let bytes = 0;
  for (const [name, text] of Object.entries(next)) bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  if (bytes > annotationBytesMax) delete next[key];
  return { ...object, metadata: { ...object.metadata, annotations: next } };
}

function withoutAnnotation(applied: ApiObject, key: string): ApiObject {
  const annotations = applied.metadata?.annotations;
  if (annotations?.[key] === undefined) return applied;
  const { [key]: _, ...rest } = annotations;
  return { ...applied, metadata: { ...applied.metadata, annotations: rest } };
}

/** With the members of objects in the order of their names, as in the annotation that clients write. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
