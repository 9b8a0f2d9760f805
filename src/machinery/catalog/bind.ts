/** The catalog of one server: which kinds it serves, found by path or by gvk, and how that changes at run time. */

import type { NeutralGroup, SpokenGroup } from "../../vocabulary/vocabulary.ts";
import type { BoundKind, Catalog, CatalogChange, Family } from "../schema/catalog.ts";
import type { Environment } from "../schema/environment.ts";
import type { AnyKind, CustomKind, Kind } from "../schema/kind.ts";
import { isOfLevel } from "../schema/kind-level.ts";
import { type Bind, createBind } from "./bind-family.ts";
import { type IndexOptions, KindIndex, keyOf } from "./kind-index.ts";

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
      ? served !== false && !ours.has(keyOf(group, version, ""))
      : (options.isEnabled?.(group, version, resource) ?? true);
  /** The group versions of built-in kinds: custom kinds cannot be served there. */
  const ours = new Set<string>();
  const order = new Map(
    (options.groups ?? []).map(({ group, versions }) => [environment.vocabulary.group(group), versions]),
  );

  const builtin = bind.builtin(kinds);
  for (const bound of builtin.flatMap((family) => family.versions))
    if (exists(bound) && isEnabled(bound)) ours.add(keyOf(bound.group, bound.version, ""));
  const byDeclaration = new Map(builtin.flatMap(({ versions }) => versions.map((bound) => [bound.declared, bound])));
  return openCatalog({ environment, bind, byDeclaration, builtin, index: { exists, isEnabled, order } });
}

/** What catalogs of the same built-in kinds share. */
interface Shared {
  readonly environment: Environment;
  readonly bind: Bind;
  readonly byDeclaration: ReadonlyMap<AnyKind, BoundKind>;
  readonly builtin: readonly Family[];
  readonly index: IndexOptions;
}

function openCatalog(shared: Shared): ChangingCatalog {
  const { environment, bind, byDeclaration } = shared;
  const index = new KindIndex(shared.builtin, shared.index);
  let generation = 1;
  const listeners = new Set<(change: CatalogChange) => void>();

  return {
    environment,
    byResource: (group, version, resource) => index.byResource(group, version, resource),
    byKind: (group, version, kind) => index.byKind(group, version, kind),
    ofGroupVersion: (group, version) => index.ofGroupVersion(group, version),
    versionsOf: (group) => index.versionsOf(group),
    groups: () => index.groups,
    families: () => index.families,
    family: (id) => index.family(id),
    hasResource: (resource) => index.hasResource(resource),
    of<T>(kind: Kind<T>) {
      const bound = byDeclaration.get(kind as AnyKind);
      if (bound === undefined)
        throw new Error(`${kind.group || "core"}/${kind.version} ${kind.kind} is not in this catalog`);
      return bound as BoundKind<T>; // bound from that very declaration
    },
    isServed: (kind) => index.isServed(kind),
    get generation() {
      return generation;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    replace({ remove = [], add = [] }) {
      const removed = index.declaredBy(remove);
      const added = bind.custom(add);
      index.change(removed, added);
      generation++;
      // A definition that has changed is removed and added; most of its paths are served as before.
      const isGone = ({ group, version, resource }: BoundKind) =>
        index.byResource(group, version, resource) === undefined;
      const gone = removed.flatMap(({ versions }) => versions.filter(isGone));
      const changed = [...new Set([...removed, ...added].map(({ id }) => id))];
      for (const listener of listeners) listener({ gone, changed });
      return added;
    },
    fork: () => openCatalog(shared),
  };
}

const hasGate = ({ declaration: { behind } }: BoundKind, { gates }: Environment): boolean =>
  behind === undefined || gates.enabled(behind);
