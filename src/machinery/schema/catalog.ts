/** The kinds one server serves, in its vocabulary, found by path or by gvk. */

import type { Steps } from "../../base/time-slice.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import type { Codec } from "./codec.ts";
import type { Conversion } from "./convert.ts";
import type { Environment } from "./environment.ts";
import type { FamilyId } from "./identity.ts";
import type { AnyKind, ApiObject, Kind, Subresource } from "./kind.ts";
import type { StructSchema } from "./schema.ts";
import type { Compat, Strategy } from "./strategy.ts";

/** A declared kind in a server's vocabulary. Group, field names and definition names have been renamed. */
export interface BoundKind<T = ApiObject> {
  readonly group: SpokenGroup;
  readonly version: string;
  /** "v1", "batch/v1". */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** @internal */
  readonly schema: StructSchema;
  /** What its declaration says at the server's level. @internal */
  readonly declaration: AnyKind;
  /** The declaration itself, by which kinds are compared. @internal */
  readonly declared: AnyKind;
  /** The strategy of objects written through this version; it gets them in the hub version. @internal */
  readonly strategy: Strategy<ApiObject>;
  /** @internal */
  readonly compat: Compat<ApiObject>;
  /** @internal */
  readonly subresources: ReadonlyMap<string, BoundSubresource>;
  /** All versions of the resource share one family. @internal */
  readonly family: Family;
  /** @internal */
  readonly codec: Codec;
  /**
   * The version in which objects written through this one are admitted, prepared and validated: the family's hub, or the version
   * itself for custom kinds.
   * @internal
   */
  readonly hub: BoundKind;
  /**
   * Drops the fields whose feature gate is off from an object of this version, unless `old` uses the feature; `old` undefined: the object is
   * new. `status`: only those of the status. In place, but nothing that the object shares with `old` is changed.
   * @internal
   */
  dropGated(object: ApiObject, old: ApiObject | undefined, part?: "status"): void;
  /** To and from `hub`. Always returns a new object at the top level, with apiVersion and kind set. @internal */
  toHub(object: T): ApiObject;
  /** @internal */
  fromHub(object: ApiObject): T;
  /** The same of an object that may be large. @internal */
  toHubInSteps(object: T): Steps<ApiObject>;
  /** @internal */
  fromHubInSteps(object: ApiObject): Steps<T>;
}

/** A declared subresource in a server's vocabulary. */
export type BoundSubresource = Subresource<ApiObject, SpokenGroup>;

/** One resource over all its groups and versions: the keys of its objects, and their strategy. */
export interface Family {
  /** The folder of its keys, and its name in logs. */
  readonly id: FamilyId;
  readonly namespaced: boolean;
  readonly hub: BoundKind;
  /** The version whose JSON is stored. */
  readonly stored: BoundKind;
  readonly versions: readonly BoundKind[];
  readonly conversion: Conversion;
  readonly strategy: Strategy<ApiObject>;
  readonly environment: Environment;
}

export interface GroupListing {
  readonly group: SpokenGroup;
  /** Best first. */
  readonly versions: readonly string[];
  readonly preferred: string;
}

export interface Catalog {
  readonly environment: Environment;
  /** Finds the kind of the path /apis/GROUP/VERSION/RESOURCE; undefined: not served. */
  byResource(group: SpokenGroup, version: string, resource: string): BoundKind | undefined;
  byKind(group: SpokenGroup, version: string, kind: string): BoundKind | undefined;
  /** All served kinds of a group version, in the order of discovery (by resource name). */
  ofGroupVersion(group: SpokenGroup, version: string): readonly BoundKind[];
  /** The served versions of a group, in no particular order. */
  versionsOf(group: SpokenGroup): readonly string[];
  /** In the order of discovery. The core group has the name "". */
  groups(): readonly GroupListing[];
  families(): readonly Family[];
  /** One of `families()`, without making the list of all. */
  family(id: FamilyId): Family | undefined;
  /** Whether a family has a resource of this name, in any group. */
  hasResource(resource: string): boolean;
  /**
   * A declared kind of this server, found by the declaration itself: no custom kind can replace it. It exists whether
   * or not its version is served (`isServed`). Throws for a kind that the catalog was not made from.
   */
  of<T>(kind: Kind<T>): BoundKind<T>;
  /** Whether clients can reach the kind: its gate is on and --runtime-config leaves its version in. */
  isServed(kind: BoundKind): boolean;
  /** Grows with every change (kinds may come and go at run time); caches of discovery and OpenAPI compare it. */
  readonly generation: number;
  /** Calls `listener` after every change. Returns a function that removes the listener. */
  onChange(listener: (change: CatalogChange) => void): () => void;
}

export interface CatalogChange {
  /** The kinds whose paths nothing serves now. */
  readonly gone: readonly BoundKind[];
  /** The families that came, went or were replaced. */
  readonly changed: readonly FamilyId[];
}

/** Whether it is a version of the declared kind: found by the declaration, so no custom kind of the same name is. */
export function isVersionOf({ declared: own }: BoundKind, declared: Pick<AnyKind, "hub">): boolean {
  return (own.hub ?? own) === (declared.hub ?? declared);
}

/** All kinds that clients can reach, in the order of discovery. */
export const servedKinds = (catalog: Catalog): readonly BoundKind[] =>
  catalog.groups().flatMap(({ group, versions }) => versions.flatMap((each) => catalog.ofGroupVersion(group, each)));
