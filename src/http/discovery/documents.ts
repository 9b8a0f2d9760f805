/** The discovery documents: which groups, versions and resources exist, and which verbs they have. */

import { createHash } from "node:crypto";
import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { BoundKind, BoundSubresource, Catalog, GroupListing } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import { allVerbs } from "../../machinery/schema/kind.ts";
import type { ApiResource } from "../contract/routes.ts";

/** The documents of the first releases have a kind but no apiVersion; old clients rely on that. */
const withoutApiVersion: ReadonlySet<string> = new Set(["", "extensions"]);

export function coreVersions(versions: readonly string[], serverAddress: string) {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress }];
  return { kind: "APIVersions", versions, serverAddressByClientCIDRs };
}

export function groupList(groups: readonly GroupListing[]) {
  return { apiVersion: "v1", kind: "APIGroupList", groups: groups.map(groupBody) };
}

export function groupDocument(listing: GroupListing) {
  return { apiVersion: "v1", kind: "APIGroup", ...groupBody(listing) };
}

function groupBody({ group, versions, preferred }: GroupListing) {
  const version = (name: string) => ({ groupVersion: `${group}/${name}`, version: name });
  return { name: group, versions: versions.map(version), preferredVersion: version(preferred) };
}

export function resourceList(catalog: Catalog, group: string, version: string, readsOnly = false) {
  const kinds = catalog.ofGroupVersion(group, version); // by name
  const isAscending = kinds.every((kind) => conventionsOf(kind).isListedAscending);
  // v1.21 lists the resources of definitions in no fixed order; here a resource comes before its subresources.
  const resources = (isAscending ? kinds : [...kinds].reverse()).flatMap((kind) => listedOf(kind, isAscending));
  return {
    kind: "APIResourceList",
    ...(withoutApiVersion.has(group) ? {} : { apiVersion: "v1" }),
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: readsOnly ? resources.flatMap(readable) : resources,
  };
}

/** What remains of a resource where objects are listed and watched only. */
function readable(resource: ApiResource): readonly ApiResource[] {
  const verbs = resource.verbs.filter((verb) => verb === "list" || verb === "watch");
  return resource.name.includes("/") || verbs.length === 0 ? [] : [{ ...resource, verbs }];
}

/** A group may have thousands of kinds, and its list is made again when one of them changes. By the bound kind and the order. */
const listed = new WeakMap<BoundKind, { readonly isAscending: boolean; readonly resources: readonly ApiResource[] }>();

/** A resource and its subresources. */
function listedOf(kind: BoundKind, isAscending: boolean): readonly ApiResource[] {
  const known = listed.get(kind);
  if (known?.isAscending === isAscending) {
    if (checksCaches) checkAnswer("listed resources", known.resources, resourcesOf(kind, isAscending));
    return known.resources;
  }
  const resources = resourcesOf(kind, isAscending);
  listed.set(kind, { isAscending, resources });
  return resources;
}

function resourcesOf(kind: BoundKind, isAscending: boolean): readonly ApiResource[] {
  const direction = isAscending ? 1 : -1;
  const subresources = [...kind.subresources.values()].sort((a, b) => (a.name < b.name ? -direction : direction));
  return [resourceOf(kind), ...subresources.map((subresource) => subresourceOf(kind, subresource))];
}

function resourceOf(kind: BoundKind): ApiResource {
  const { declaration } = kind;
  const { shortNames = [], categories = [] } = declaration;
  const verbs = declaration.verbs ?? (declaration.action === undefined ? allVerbs : ["create"]);
  const isStored = declaration.action === undefined && verbs.includes("get");
  return {
    name: kind.resource,
    singularName: declaration.singular ?? (kind.family.environment.has("singularNames") ? kind.kind.toLowerCase() : ""),
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: conventionsOf(kind).verbsShown(verbs),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(isStored ? { storageVersionHash: storageVersionHash(kind.family.stored) } : {}),
  };
}

function subresourceOf(kind: BoundKind, subresource: BoundSubresource): ApiResource {
  const { accepts, shownKind } = subresource;
  const group = accepts?.group ?? kind.group;
  const version = accepts?.version ?? kind.version;
  const elsewhere = group !== kind.group || version !== kind.version;
  return {
    name: `${kind.resource}/${subresource.name}`,
    singularName: "",
    namespaced: kind.namespaced,
    ...(elsewhere && group !== "" ? { group } : {}),
    ...(elsewhere ? { version } : {}),
    kind: shownKind ?? accepts?.kind ?? kind.kind,
    verbs: [...subresource.verbs].sort(),
  };
}

/** Changes when the stored version changes. */
function storageVersionHash({ group, version, kind }: BoundKind): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
