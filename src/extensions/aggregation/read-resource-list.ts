/** Reads the list of resources of another server: it becomes part of our own discovery, so nothing in it is taken on trust. */

import type { ApiResource } from "../../http/contract/routes.ts";

/** How many resources of one group version are read. */
export const foreignResourcesMax = 1_000;
/** It is parsed in one step. */
export const resourceListBytesMax = 512 * 1024;
/** The longest name, and how many names one list may have. */
const nameCharsMax = 256;
const namesMax = 64;

/** Throws an Error that says why the list cannot be used. */
export function readResourceList(bytes: Buffer): readonly ApiResource[] {
  if (bytes.length > resourceListBytesMax) throw new Error(`it is larger than ${resourceListBytesMax} bytes`);
  const list: unknown = JSON.parse(bytes.toString("utf8"));
  const { kind, resources } = asObject(list, "the list");
  if (kind !== "APIResourceList" || !Array.isArray(resources)) throw new Error("it is not an APIResourceList");
  if (resources.length > foreignResourcesMax) throw new Error(`it has more than ${foreignResourcesMax} resources`);
  return resources.map(readResource);
}

function readResource(given: unknown, index: number): ApiResource {
  const at = `resources[${index}]`;
  const {
    name,
    singularName = "",
    namespaced,
    group,
    version,
    kind,
    verbs,
    shortNames,
    categories,
  } = asObject(given, at);
  return {
    name: asName(name, `${at}.name`),
    singularName: asName(singularName, `${at}.singularName`),
    namespaced: namespaced === true,
    ...(group ? { group: asName(group, `${at}.group`) } : {}),
    ...(version ? { version: asName(version, `${at}.version`) } : {}),
    kind: asName(kind, `${at}.kind`),
    verbs: asNames(verbs ?? [], `${at}.verbs`),
    ...(shortNames ? { shortNames: asNames(shortNames, `${at}.shortNames`) } : {}),
    ...(categories ? { categories: asNames(categories, `${at}.categories`) } : {}),
  };
}

function asObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${at} is not an object`);
  return value as Readonly<Record<string, unknown>>; // an object, as checked
}

function asName(value: unknown, at: string): string {
  if (typeof value !== "string" || value.length > nameCharsMax) throw new Error(`${at} is not a name`);
  return value;
}

function asNames(value: unknown, at: string): readonly string[] {
  if (!Array.isArray(value) || value.length > namesMax) throw new Error(`${at} is not a list of names`);
  return value.map((name) => asName(name, at));
}
