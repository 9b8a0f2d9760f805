/** The paths of resources and objects, and the query of a request. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Ref, ResourceAddress, ServedKind } from "../contract.ts";

export function addressOf(kind: ServedKind, vocabulary: Vocabulary): ResourceAddress {
  return {
    group: vocabulary.group(kind.group),
    version: kind.version,
    resource: kind.resource,
    kind: kind.kind,
    namespaced: kind.scope === "Namespaced",
  };
}

/** "v1" for the core group, else "batch/v1". */
export function apiVersionOf({ group, version }: Pick<ResourceAddress, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The group in what `apiVersionOf` returns. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
}

/** The path of all objects of a namespace, or of all namespaces. */
export function collectionPath(address: ResourceAddress, namespace: string | undefined): string {
  const root = address.group === "" ? "/api" : `/apis/${address.group}`;
  const scope = address.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}/${address.version}${scope}/${address.resource}`;
}

export function objectPath(address: ResourceAddress, { namespace, name }: Ref, subresource?: string): string {
  const path = `${collectionPath(address, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The query of a request. Absent and empty values and `false` are left out. */
export type RequestQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path with its query, sorted by name: traces show it so. */
export function withQuery(path: string, query: RequestQuery): string {
  const parts: string[] = [];
  for (const name of Object.keys(query).sort()) {
    const value = query[name];
    if (value !== undefined && value !== "" && value !== false)
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  }
  return parts.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${parts.join("&")}`;
}
