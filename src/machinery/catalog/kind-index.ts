/**
 * Finds kinds by path, by gvk and by group. A change touches only the groups it is about, so that the ten-thousandth definition
 * costs as much as the first; what lists everything is made again when it is next asked for.
 */

import type { BoundKind, Family, GroupListing } from "../schema/catalog.ts";
import type { FamilyId } from "../schema/identity.ts";
import type { AnyKind } from "../schema/kind.ts";
import { compareVersions } from "../schema/version-order.ts";

export interface IndexOptions {
  /** Whether the level and the gates of the server have the kind. */
  exists(kind: BoundKind): boolean;
  isEnabled(kind: BoundKind): boolean;
  /** The order in which groups are listed, and their versions, best first. */
  readonly order: ReadonlyMap<string, readonly string[]>;
}

/** By group, version and resource. Every request looks one up, without building a key. */
type ByResource = Map<string, Map<string, Map<string, BoundKind>>>;

export class KindIndex {
  readonly #options: IndexOptions;
  readonly #byDeclaration = new Map<AnyKind, Family>();
  readonly #served = new Set<BoundKind>();
  readonly #byResource: ByResource = new Map();
  readonly #byKind = new Map<string, BoundKind>();
  /** By group and version, in the order of discovery. */
  readonly #byGroup = new Map<string, Map<string, BoundKind[]>>();
  /** Those that are stored and have a served version. */
  readonly #kept = new Map<FamilyId, Family>();
  /** How many of them have a resource of this name, in any group. */
  readonly #resources = new Map<string, number>();
  #groups: readonly GroupListing[] | undefined;
  #families: readonly Family[] | undefined;

  constructor(families: Iterable<Family>, options: IndexOptions) {
    this.#options = options;
    this.change([], [...families]);
  }

  byResource(group: string, version: string, resource: string): BoundKind | undefined {
    return this.#byResource.get(group)?.get(version)?.get(resource);
  }
  byKind(group: string, version: string, kind: string): BoundKind | undefined {
    return this.#byKind.get(keyOf(group, version, kind));
  }
  ofGroupVersion(group: string, version: string): readonly BoundKind[] {
    return this.#byGroup.get(group)?.get(version) ?? [];
  }
  versionsOf(group: string): readonly string[] {
    return [...(this.#byGroup.get(group)?.keys() ?? [])];
  }
  isServed(kind: BoundKind): boolean {
    return this.#served.has(kind);
  }
  family(id: FamilyId): Family | undefined {
    return this.#kept.get(id);
  }
  hasResource(resource: string): boolean {
    return this.#resources.has(resource);
  }
  get families(): readonly Family[] {
    this.#families ??= [...this.#kept.values()];
    return this.#families;
  }
  get groups(): readonly GroupListing[] {
    this.#groups ??= listGroups(this.#byGroup, this.#options.order);
    return this.#groups;
  }
  /** The families that have one of these declarations as a version. */
  declaredBy(kinds: readonly AnyKind[]): readonly Family[] {
    return [...new Set(kinds.flatMap((kind) => this.#byDeclaration.get(kind) ?? []))];
  }

  /** Throws, and changes nothing, if something else is served under one of the names. */
  change(remove: readonly Family[], add: readonly Family[]): void {
    this.#check(new Set(remove), add);
    for (const family of remove) this.#remove(family);
    const grown = new Set<BoundKind[]>();
    for (const family of add) this.#add(family, grown);
    this.#families = undefined;
  }

  #check(removed: ReadonlySet<Family>, add: readonly Family[]): void {
    const names = new Set<string>();
    const claim = (name: string, holder: BoundKind | undefined) => {
      if ((holder !== undefined && !removed.has(holder.family)) || names.has(name))
        throw new Error(`${name} is served already`);
      names.add(name);
    };
    for (const bound of add.flatMap(({ versions }) => versions)) {
      const place = this.#placeOf(bound);
      if (place === undefined) continue;
      const { group, version, resource, kind } = bound;
      if (place === "path") claim(`${group}/${version}/${resource}`, this.byResource(group, version, resource));
      claim(keyOf(group, version, kind), this.byKind(group, version, kind));
    }
  }

  #add(family: Family, grown: Set<BoundKind[]>): void {
    for (const bound of family.versions) {
      this.#byDeclaration.set(bound.declared, family);
      const place = this.#placeOf(bound);
      if (place === undefined) continue;
      const { group, version, resource, kind } = bound;
      this.#byKind.set(keyOf(group, version, kind), bound);
      if (place === "type") continue;
      this.#served.add(bound);
      getOr(
        getOr(this.#byResource, group, () => new Map()),
        version,
        () => new Map(),
      ).set(resource, bound);
      const versions = getOr(this.#byGroup, group, () => this.#regroup(new Map<string, BoundKind[]>()));
      // Lists that were given out do not change.
      const before = versions.get(version) ?? this.#regroup<BoundKind[]>([]);
      const kinds = grown.has(before) ? before : [...before];
      insert(kinds, bound);
      versions.set(version, kinds);
      grown.add(kinds);
    }
    if (!family.versions.some((bound) => this.#served.has(bound) && isStored(bound))) return;
    this.#kept.set(family.id, family);
    this.#resources.set(family.hub.resource, (this.#resources.get(family.hub.resource) ?? 0) + 1);
  }

  #remove(family: Family): void {
    for (const bound of family.versions) {
      this.#byDeclaration.delete(bound.declared);
      const place = this.#placeOf(bound);
      if (place === undefined) continue;
      const { group, version, resource, kind } = bound;
      this.#byKind.delete(keyOf(group, version, kind));
      if (!this.#served.delete(bound)) continue;
      const ofGroup = this.#byResource.get(group);
      const ofVersion = ofGroup?.get(version);
      ofVersion?.delete(resource);
      if (ofVersion?.size === 0) ofGroup?.delete(version);
      if (ofGroup?.size === 0) this.#byResource.delete(group);
      const versions = this.#byGroup.get(group);
      const left = versions?.get(version)?.filter((one) => one !== bound) ?? [];
      if (left.length > 0) versions?.set(version, left);
      else if (versions?.delete(version)) this.#groups = undefined;
      if (versions?.size === 0) this.#byGroup.delete(group);
    }
    if (this.#kept.get(family.id) !== family) return;
    this.#kept.delete(family.id);
    const count = (this.#resources.get(family.hub.resource) ?? 1) - 1;
    if (count === 0) this.#resources.delete(family.hub.resource);
    else this.#resources.set(family.hub.resource, count);
  }

  /** Bodies of subresources (Scale, Eviction) always exist as types, whatever is served. Undefined: it is nowhere. */
  #placeOf(bound: BoundKind): "path" | "type" | undefined {
    if (!this.#options.exists(bound)) return undefined;
    if (!hasPath(bound)) return "type";
    return this.#options.isEnabled(bound) ? "path" : undefined;
  }

  /** A group or version is new, so the listing is too. */
  #regroup<T>(fresh: T): T {
    this.#groups = undefined;
    return fresh;
  }
}

/** By the name of the resource. Kinds come one by one, so sorting them all each time would cost more with each. */
function insert(kinds: BoundKind[], bound: BoundKind): void {
  let low = 0;
  for (let high = kinds.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((kinds[middle] as BoundKind).resource < bound.resource) low = middle + 1;
    else high = middle;
  }
  kinds.splice(low, 0, bound);
}

/** A space is in no group, version, resource or kind. */
export const keyOf = (group: string, version: string, name: string) => `${group} ${version} ${name}`;

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

function getOr<K, V>(map: Map<K, V>, name: K, make: () => V): V {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
}
