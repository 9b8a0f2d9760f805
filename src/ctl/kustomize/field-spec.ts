/** Where in resources a field is: a path for the resources of a kind, such as those that hold labels. */

import { CtlError } from "../errors.ts";
import { isSelectedBy, type KindSelector, shownId } from "./identity.ts";
import type { Resource } from "./resource.ts";
import { at, isMembers, isNull, type Members, put, type YamlValue } from "./value.ts";

export interface FieldSpec extends KindSelector {
  /** Names with slashes between them, "\/" within one; "[]" after the name of a list that is never created. */
  readonly path: string;
  /** Whether what is missing is created. Default: false. */
  readonly create?: boolean | undefined;
}

/** A place in a resource. */
interface Place {
  /** Undefined: the place was created for this. */
  readonly value: YamlValue | undefined;
  set(value: YamlValue): void;
}

/** Calls `visit` with each place that the path leads to. `creates`: what `create` of the spec may do. */
export function visitField(
  resource: Resource,
  spec: FieldSpec,
  visit: (place: Place) => void,
  creates: "nothing" | "scalar" | "members" = "nothing",
): void {
  if (!isSelectedBy(resource.gvk, spec)) return;
  visitPath(resource, spec, visit, creates);
}

/** Does not look at the kind of the resource. */
export function visitPath(
  resource: Resource,
  spec: FieldSpec,
  visit: (place: Place) => void,
  creates: "nothing" | "scalar" | "members" = "nothing",
): void {
  const steps = splitPath(spec.path);
  const mayCreate = spec.create === true && creates !== "nothing";
  walk(resource.members, 0);

  function walk(value: YamlValue, depth: number): void {
    if (Array.isArray(value)) {
      for (const item of value) walk(item, depth);
      return;
    }
    if (!isMembers(value)) {
      if (isNull(value)) return;
      throw new CtlError(
        `considering field '${spec.path}' of object ${shownId(resource.id)}: expected sequence or mapping node`,
      );
    }
    const step = steps[depth] ?? "";
    const isList = step.endsWith("[]");
    const name = isList ? step.slice(0, -2) : step;
    const isLast = depth === steps.length - 1;
    let next = at(value, name);
    if (next === undefined || isNull(next)) {
      if (!mayCreate || isList) return;
      if (!isLast || creates === "members") {
        next = {};
        put(value, name, next);
      }
    }
    if (!isLast) walk(next ?? {}, depth + 1);
    else visit({ value: next, set: (made) => put(value, name, made) });
  }
}

function splitPath(path: string): string[] {
  const steps: string[] = [];
  for (const part of path.split("/")) {
    const before = steps.at(-1);
    if (before?.endsWith("\\")) steps[steps.length - 1] = `${before.slice(0, -1)}/${part}`;
    else steps.push(part);
  }
  return steps;
}

/** The members of a map at a place; other values are an error of the file. */
export function membersAt({ value }: Place, spec: FieldSpec, resource: Resource): Members {
  if (isMembers(value)) return value;
  throw new CtlError(`considering field '${spec.path}' of object ${shownId(resource.id)}: it must be a mapping`);
}

/** Adds specs to others; the same one twice with different `create` is an error. */
export function mergeSpecs(specs: readonly FieldSpec[], more: readonly FieldSpec[]): FieldSpec[] {
  const merged = new Map(specs.map((spec) => [specKey(spec), spec]));
  for (const spec of more) {
    const known = merged.get(specKey(spec));
    if (known !== undefined && (known.create ?? false) !== (spec.create ?? false))
      throw new CtlError(`conflicting fieldspecs: ${spec.path} of ${spec.kind || "any kind"} is created or not`);
    if (known === undefined) merged.set(specKey(spec), spec);
  }
  return [...merged.values()];
}

const specKey = ({ group = "", version = "", kind = "", path }: FieldSpec): string =>
  [group, version, kind, path].join("|");
