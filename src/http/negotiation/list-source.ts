/** A list independent of its encoding: its metadata, and how each of its items is shown. */

import type { Steps } from "../../base/time-slice.ts";
import type { ListMeta } from "../../machinery/codec/envelope.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Representations } from "./representations.ts";
import { type IncludeObject, partialOf, rowInSteps, rowOf, tableHead } from "./views.ts";

export interface ListSource {
  readonly head: Readonly<Record<string, unknown>>;
  readonly itemsName: "items" | "rows";
  /** What the reference prints for an empty list. */
  readonly whenEmpty: "[]" | "null";
  item(entry: Entry): unknown;
  /** The same of an entry that may be large. */
  itemInSteps(entry: Entry): Steps<unknown>;
}

export function objectList(representations: Representations, metadata: ListMeta): ListSource {
  const { kind } = representations;
  const shown = (object: ApiObject) => {
    if (conventionsOf(kind).hasTypedItems) return object;
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    return rest;
  };
  return {
    head: { apiVersion: kind.apiVersion, kind: kind.listKind, metadata },
    itemsName: "items",
    whenEmpty: "[]",
    item: (entry) => shown(representations.object(entry)),
    *itemInSteps(entry) {
      return shown(yield* representations.objectInSteps(entry));
    },
  };
}

/** `apiVersion` is that of the views: "meta.orch.io/v1". */
export function tableList(
  apiVersion: string,
  representations: Representations,
  metadata: ListMeta,
  include: IncludeObject,
): ListSource {
  const { kind } = representations;
  return {
    head: { ...tableHead(apiVersion, kind, metadata) },
    itemsName: "rows",
    // In the reference, the Table of a kind without its own columns has no `rows` list if there are no objects.
    whenEmpty: kind.declaration.columns === undefined ? "null" : "[]",
    item: (entry) => rowOf(apiVersion, representations, entry, include),
    itemInSteps: (entry) => rowInSteps(apiVersion, representations, entry, include),
  };
}

/** At early levels the number of remaining items is not shown here. */
export function partialList(apiVersion: string, representations: Representations, given: ListMeta): ListSource {
  const { remainingItemCount: _count, ...rest } = given;
  const metadata = representations.kind.family.environment.has("remainingOfMetadata") ? given : rest;
  return {
    head: { apiVersion, kind: "PartialObjectMetadataList", metadata },
    itemsName: "items",
    whenEmpty: "null",
    item: (entry) => partialOf(apiVersion, representations, entry),
    *itemInSteps(entry) {
      return partialOf(apiVersion, representations, entry, yield* representations.objectInSteps(entry));
    },
  };
}
