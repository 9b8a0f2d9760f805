/** Variables of a kustomization: `$(NAME)` becomes the value of a field of a resource. */

import { CtlError } from "../errors.ts";
import { type FieldSpec, visitField } from "./field-spec.ts";
import { gvkOf, type Id, keyOf, shownId } from "./identity.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import { isClusterScoped } from "./scopes.ts";
import {
  at,
  copyValue,
  isMembers,
  isNull,
  isScalar,
  type Members,
  put,
  textAt,
  textOf,
  type YamlValue,
} from "./value.ts";

/** Notes which resource a variable means, by the names that it has so far. */
export function declareVariables(list: ResourceList, known: Map<string, Members>, variables: readonly Members[]): void {
  for (const variable of variables) {
    const name = textAt(variable, "name");
    if (known.has(name)) throw new CtlError(`var '${name}' already encountered`);
    known.set(name, variable);
    const wanted = targetOf(variable);
    const isExact = wanted.namespace !== "" || isClusterScoped(wanted);
    const found = list.matching(
      wanted.name,
      (id) =>
        id.group === wanted.group &&
        id.version === wanted.version &&
        id.kind === wanted.kind &&
        (!isExact || keyOf(id) === keyOf(wanted)),
    );
    if (found.length > 1)
      throw new CtlError(`found ${found.length} resId matches for var ${name} (unable to disambiguate)`);
    found[0]?.variables.push(name);
  }
}

function targetOf(variable: Members): Id {
  const target = at(variable, "objref");
  const apiVersion = textAt(target, "apiVersion");
  const gvk =
    apiVersion === ""
      ? { group: textAt(target, "group"), version: textAt(target, "version"), kind: textAt(target, "kind") }
      : gvkOf(apiVersion, textAt(target, "kind"));
  return { ...gvk, name: textAt(target, "name"), namespace: textAt(target, "namespace") };
}

/** Returns the variables that occur nowhere. */
export function resolveVariables(
  list: ResourceList,
  known: ReadonlyMap<string, Members>,
  specs: readonly FieldSpec[],
): string[] {
  if (known.size === 0) return [];
  const owners = new Map(list.all.flatMap((resource) => resource.variables.map((name) => [name, resource] as const)));
  const values = new Map(
    [...known].map(([name, variable]) => [name, valueOfVariable(name, variable, owners.get(name))]),
  );
  const used = new Set<string>();
  for (const resource of list.all)
    for (const spec of specs)
      visitField(resource, spec, (place) => {
        if (place.value !== undefined) place.set(expandAll(place.value, values, used));
      });
  return [...known.keys()].filter((name) => !used.has(name)).sort();
}

function valueOfVariable(name: string, variable: Members, owner: Resource | undefined): YamlValue {
  const path = textAt(variable, "fieldref", "fieldpath") || "metadata.name";
  const shown = `{${name} ${shownId(targetOf(variable)).split("/")[0]} {${path}}}`;
  if (owner === undefined)
    throw new CtlError(`var '${shown}' cannot be mapped to a field in the set of known resources`);
  let value: YamlValue | undefined = owner.members;
  for (const step of path.replaceAll(/\[(\w+)\]/g, ".$1").split("."))
    value = Array.isArray(value) ? value[Number(step)] : at(value, step);
  if (value === undefined) throw new CtlError(`field specified in var '${shown}' not found in corresponding resource`);
  return isNull(value) ? "null" : value;
}

type Values = ReadonlyMap<string, YamlValue>;

/** The texts of a list or of a map, one by one. */
function expandAll(value: YamlValue, values: Values, used: Set<string>): YamlValue {
  if (Array.isArray(value)) return value.map((item) => (isScalar(item) ? expandAll(item, values, used) : item));
  if (isMembers(value)) {
    for (const [name, member] of Object.entries(value))
      if (typeof member === "string") put(value, name, expand(member, values, used));
    return value;
  }
  return typeof value === "string" ? expand(value, values, used) : value;
}

/** `$$(A)` stands for `$(A)`. A text that is nothing but a variable gets the value with its type. */
function expand(text: string, values: Values, used: Set<string>): YamlValue {
  const whole = /^\$\(([^()]+)\)$/.exec(text)?.[1];
  const value = whole === undefined ? undefined : values.get(whole);
  if (whole !== undefined && value !== undefined) {
    used.add(whole);
    return copyValue(value);
  }
  return text.replaceAll(/\$(\$|\(([^()]*)\))/g, (found, rest: string, name?: string) => {
    if (rest === "$") return "$";
    const known = name === undefined ? undefined : values.get(name);
    if (name === undefined || known === undefined) return found;
    used.add(name);
    return textOf(known);
  });
}
