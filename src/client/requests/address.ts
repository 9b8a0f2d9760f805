/** The paths of resources and objects, and the query of a request. */

import type { Kind } from "../../machinery/schema/kind.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Ref, ResourceAddress } from "../contract.ts";

type Declared = Pick<Kind, "group" | "version" | "resource" | "kind" | "scope">;

export function addressOf(kind: Declared, vocabulary: Vocabulary): ResourceAddress {
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

/** Of all objects of a namespace, or of all namespaces. */
export function collectionPath(address: ResourceAddress, namespace: string | undefined): string {
  const root = address.group === "" ? "/api" : `/apis/${address.group}`;
  const scope = address.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}/${address.version}${scope}/${address.resource}`;
}

export function objectPath(address: ResourceAddress, { namespace, name }: Ref, subresource?: string): string {
  const path = `${collectionPath(address, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Absent and empty values are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "" && value !== false)
      parts.push(`${name}=${encodeURIComponent(String(value))}`);
  }
  return parts.length === 0 ? path : `${path}?${parts.join("&")}`;
}
