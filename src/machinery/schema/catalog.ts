/** The kinds one server serves, in its vocabulary, found by path or by gvk. */

import type { ApiObject, Kind, Life, Subresource } from "./kind.ts";
import type { Environment, StructSchema } from "./schema.ts";

/** A declared kind in a server's vocabulary. Group, field names and definition names have been renamed. */
export interface BoundKind {
  readonly group: string;
  readonly version: string;
  /** "v1", "batch/v1". */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly schema: StructSchema;
  readonly declaration: Kind;
  /** The life of objects written through this version; they are of the hub version when it is asked. */
  readonly life: Life<ApiObject>;
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** All versions of the resource share one family. */
  readonly family: Family;
  /** Into and out of the hub version. Always gives an object of its own at the top level, with apiVersion and kind set. */
  toHub(object: ApiObject): ApiObject;
  fromHub(object: ApiObject): ApiObject;
}

/** One resource over all its groups and versions: where its objects are kept, and the life they lead. */
export interface Family {
  /** "batch/cronjobs", "core/pods": the folder of its keys and its name in logs and metrics; in orch's names always. */
  readonly name: string;
  readonly namespaced: boolean;
  readonly hub: BoundKind;
  /** The version whose JSON is kept. */
  readonly stored: BoundKind;
  readonly versions: readonly BoundKind[];
  readonly life: Life<ApiObject>;
  readonly environment: Environment;
}

export interface GroupListing {
  readonly group: string;
  /** Best first. */
  readonly versions: readonly string[];
  readonly preferred: string;
}

export interface Catalog {
  readonly environment: Environment;
  /** Of the path /apis/GROUP/VERSION/RESOURCE; undefined: not served. */
  byResource(group: string, version: string, resource: string): BoundKind | undefined;
  byKind(group: string, version: string, kind: string): BoundKind | undefined;
  /** All served kinds of a group version, in the order of discovery (by resource name). */
  ofGroupVersion(group: string, version: string): readonly BoundKind[];
  /** In the order of discovery. The core group has the name "". */
  groups(): readonly GroupListing[];
  families(): readonly Family[];
  /** Grows with every change (kinds may come and go at run time); caches of discovery and OpenAPI compare it. */
  readonly generation: number;
}
