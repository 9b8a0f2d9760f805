/** The catalog of one server: which kinds it serves, found by path or by gvk, and how that changes at run time. */

import type { NeutralGroup, SpokenGroup } from "../../vocabulary/vocabulary.ts";
import type { BoundKind, Catalog, Family, GroupListing } from "../schema/catalog.ts";
import type { AnyKind, CustomKind, Kind } from "../schema/kind.ts";
import { isOfLevel } from "../schema/level.ts";
import type { Environment } from "../schema/schema.ts";
import { compareVersions } from "../schema/version-order.ts";
import { type Bind, createBind } from "./bind-family.ts";

interface CatalogOptions {
  /** The order in which discovery lists groups, and their versions, best first. Default: groups by name. */
  readonly groups?: readonly { readonly group: NeutralGroup; readonly versions: readonly string[] }[];
  /** Which versions of built-in kinds are served (--runtime-config), in spoken names. Default: all declared versions. */
  isEnabled?(group: SpokenGroup, version: string, resource: string): boolean;
}

/** A catalog to which kinds can be added and from which they can be removed while the server runs. */
export interface ChangingCatalog extends Catalog {
  /**
   * Removes the families that have one of the kinds of `remove` as a version, and serves `add` instead, in one step.
   * Custom kinds already have spoken names: nothing in them is renamed. Throws, and changes nothing, if
   * something else is served under one of the names. Returns the families that were added.
   */
  replace(change: { readonly remove?: readonly CustomKind[]; readonly add?: readonly CustomKind[] }): readonly Family[];
  /** Another catalog with the same built-in kinds, bound once for both, and no custom ones. */
  fork(): ChangingCatalog;
}

export function createCatalog(
  kinds: readonly Kind[],
  environment: Environment,
  options: CatalogOptions = {},
): ChangingCatalog {
  const bind = createBind(environment);
  const exists = (bound: BoundKind) => isOfLevel(bound) && hasGate(bound, environment);
  const isEnabled = ({ group, version, resource, declaration: { origin, isServed: served } }: BoundKind) =>
    origin === "custom"
      ? served !== false && !ours.has(key(group, version, ""))
      : (options.isEnabled?.(group, version, resource) ?? true);
  /** The group versions of built-in kinds: custom kinds cannot be served there. */
  const ours = new Set<string>();
  const order = new Map(
    (options.groups ?? []).map(({ group, versions }) => [environment.vocabulary.group(group), versions]),
  );

  const builtin = bind.builtin(kinds);
  for (const bound of builtin.flatMap((family) => family.versions))
    if (exists(bound) && isEnabled(bound)) ours.add(key(bound.group, bound.version, ""));
  const byDeclaration = new Map(builtin.flatMap(({ versions }) => versions.map((bound) => [bound.declared, bound])));
  const initial = createIndex(builtin, { exists, isEnabled }, order);
  return openCatalog({ environment, bind, byDeclaration, initial, exists, isEnabled, order });
}

/** What catalogs of the same built-in kinds share. */
interface Shared {
  readonly environment: Environment;
  readonly bind: Bind;
  readonly byDeclaration: ReadonlyMap<AnyKind, BoundKind>;
  readonly initial: Index;
  exists(kind: BoundKind): boolean;
  isEnabled(kind: BoundKind): boolean;
  readonly order: ReadonlyMap<string, readonly string[]>;
}

function openCatalog(shared: Shared): ChangingCatalog {
  const { environment, bind, byDeclaration, exists, isEnabled, order } = shared;
  let index = shared.initial;
  let generation = 1;
  const listeners = new Set<(gone: readonly BoundKind[]) => void>();

  return {
    environment,
    byResource: (group, version, resource) => index.byResource.get(group)?.get(version)?.get(resource),
    byKind: (group, version, kind) => index.byKind.get(key(group, version, kind)),
    ofGroupVersion: (group, version) => index.byGroup.get(group)?.get(version) ?? [],
    groups: () => index.groups,
    families: () => index.families,
    of<T>(kind: Kind<T>) {
      const bound = byDeclaration.get(kind as AnyKind);
      if (bound === undefined)
        throw new Error(`${kind.group || "core"}/${kind.version} ${kind.kind} is not in this catalog`);
      return bound as BoundKind<T>; // bound from that very declaration
    },
    isServed: (kind) => index.served.has(kind),
    get generation() {
      return generation;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    replace({ remove = [], add = [] }) {
      const removed = new Set<AnyKind>(remove);
      const isRemoved = ({ versions }: Family) => versions.some(({ declared }) => removed.has(declared));
      const before = index.all;
      const added = bind.custom(add);
      index = createIndex([...before.filter((one) => !isRemoved(one)), ...added], { exists, isEnabled }, order);
      generation++;
      // A definition that has changed is removed and added; most of its paths are served as before.
      const isGone = ({ group, version, resource }: BoundKind) =>
        index.byResource.get(group)?.get(version)?.has(resource) !== true;
      const gone = before.filter(isRemoved).flatMap(({ versions }) => versions.filter(isGone));
      for (const listener of listeners) listener(gone);
      return added;
    },
    fork: () => openCatalog(shared),
  };
}

interface Index {
  readonly all: readonly Family[];
  /** Every version with a path. */
  readonly served: ReadonlySet<BoundKind>;
  /** Families that are stored and have a served version. */
  readonly families: readonly Family[];
  /** By group, version and resource. Every request looks one up, without building a key. */
  readonly byResource: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, BoundKind>>>;
  readonly byKind: ReadonlyMap<string, BoundKind>;
  readonly byGroup: ReadonlyMap<string, ReadonlyMap<string, readonly BoundKind[]>>;
  readonly groups: readonly GroupListing[];
}

/** A space is in no group, version, resource or kind. */
const key = (group: string, version: string, name: string) => `${group} ${version} ${name}`;

function createIndex(
  all: readonly Family[],
  is: { exists(kind: BoundKind): boolean; isEnabled(kind: BoundKind): boolean },
  order: ReadonlyMap<string, readonly string[]>,
): Index {
  const served = new Set<BoundKind>();
  const byResource = new Map<string, Map<string, Map<string, BoundKind>>>();
  const byKind = new Map<string, BoundKind>();
  const byGroup = new Map<string, Map<string, BoundKind[]>>();
  for (const bound of all.flatMap((family) => family.versions)) {
    if (!is.exists(bound)) continue;
    // Bodies of subresources (Scale, Eviction) always exist, whatever is served.
    if (!hasPath(bound)) put(byKind, key(bound.group, bound.version, bound.kind), bound);
    else if (is.isEnabled(bound)) {
      const resources = getOr(byResource, bound.group, () => new Map<string, Map<string, BoundKind>>());
      put(
        getOr(resources, bound.version, () => new Map<string, BoundKind>()),
        bound.resource,
        bound,
      );
      served.add(bound);
      put(byKind, key(bound.group, bound.version, bound.kind), bound);
      const versions = getOr(byGroup, bound.group, () => new Map<string, BoundKind[]>());
      getOr(versions, bound.version, () => []).push(bound);
    }
  }
  for (const versions of byGroup.values()) {
    for (const kinds of versions.values()) kinds.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }
  const isKept = ({ versions }: Family) => versions.some((bound) => served.has(bound) && isStored(bound));
  return { all, served, families: all.filter(isKept), byResource, byKind, byGroup, groups: listGroups(byGroup, order) };
}

const hasGate = ({ declaration: { gate } }: BoundKind, { gates }: Environment): boolean =>
  gate === undefined || gates.enabled(gate);

/** A kind without verbs has no path. */
function hasPath({ resource, declaration: { verbs } }: BoundKind): boolean {
  return resource !== "" && (verbs === undefined || verbs.length > 0);
}

/** Kinds that only support create are answered at once and not stored. */
function isStored({ declaration: { action, verbs } }: BoundKind): boolean {
  return action === undefined && (verbs === undefined || verbs.includes("get"));
}

function listGroups(
  byGroup: ReadonlyMap<string, ReadonlyMap<string, unknown>>,
  order: ReadonlyMap<string, readonly string[]>,
): GroupListing[] {
  const known = [...order.keys()].filter((group) => byGroup.has(group));
  const others = [...byGroup.keys()].filter((group) => !order.has(group)).sort();
  return [...known, ...others].map((group) => {
    const served = [...(byGroup.get(group)?.keys() ?? [])];
    const first = order.get(group)?.filter((version) => served.includes(version)) ?? [];
    const versions = [...first, ...served.filter((version) => !first.includes(version)).sort(compareVersions)];
    return { group, versions, preferred: versions[0] as string }; // a group is listed because it has a version
  });
}

function put(index: Map<string, BoundKind>, name: string, bound: BoundKind): void {
  if (index.has(name)) throw new Error(`${name} is served already`);
  index.set(name, bound);
}

function getOr<K, V>(map: Map<K, V>, name: K, make: () => V): V {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
}
