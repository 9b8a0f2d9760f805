/** What kustomize calls the id of a resource: group, version, kind, namespace and name. */

import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { isClusterScoped } from "./scopes.ts";

/** Absent or "": any. */
export interface KindSelector {
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
}

export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Id extends Gvk {
  readonly name: string;
  /** "": none was given. */
  readonly namespace: string;
}

/** The namespace of previous ids of a kind without one. */
const noNamespace = "_non_namespaceable_";

/** Groups are compared by the names that kustomize's tables use, whichever vocabulary a file speaks. */
export function gvkOf(apiVersion: string, kind: string): Gvk {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return { group: group === "" ? "" : kubernetes.group(group), version: apiVersion.slice(slash + 1), kind };
}

export function isSelectedBy(gvk: Gvk, { group, version, kind }: KindSelector): boolean {
  return (!group || group === gvk.group) && (!version || version === gvk.version) && (!kind || kind === gvk.kind);
}

/** The namespace in which an object of this id would be stored. */
export function effectiveNamespace(id: Id): string {
  if (isClusterScoped(id)) return noNamespace;
  return id.namespace === "" ? "default" : id.namespace;
}

/** Equal ids have equal keys. */
export const keyOf = (id: Id): string => [id.group, id.version, id.kind, effectiveNamespace(id), id.name].join("|");

/** As in kustomize's messages: "Deployment.v1.apps/web.shop". */
export function shownId({ group, version, kind, name, namespace }: Id): string {
  const shown = [kind || "[noKind]", version || "[noVer]", group || "[noGrp]"].join(".");
  return `${shown}/${name || "[noName]"}.${namespace || "[noNs]"}`;
}
