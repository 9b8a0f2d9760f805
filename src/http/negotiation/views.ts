/** Objects and lists as a Table or as their metadata only. */

import type { Release } from "../../base/release.ts";
import { atOnceBytesMax, inTimeSlices, type Steps, TimeSlice } from "../../base/time-slice.ts";
import type { ListMeta } from "../../machinery/codec/envelope.ts";
import { partialMetadataAt } from "../../machinery/codec/meta-types.ts";
import { encodeProtobuf } from "../../machinery/codec/protobuf.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";
import { badRequest } from "../../machinery/status/status.ts";
import {
  hasRowRanks,
  rowConditions,
  rowRank,
  rowsReadHub,
  tableColumns,
  tableRow,
} from "../../machinery/table/table.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Representations } from "./representations.ts";

/** What rows contain besides their cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

export function readIncludeObject(text: string | undefined): IncludeObject {
  if (text === undefined || text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest("includeObject must be None, Metadata or Object");
}

interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly unknown[] | null;
  readonly rows: readonly unknown[];
}

/** `apiVersion` is that of the views: "meta.orch.io/v1". */
export function tableHead(apiVersion: string, kind: BoundKind, metadata: ListMeta): Omit<Table, "rows"> {
  return { apiVersion, kind: "Table", metadata, columnDefinitions: tableColumns(kind) };
}

export function rowOf(
  apiVersion: string,
  representations: Representations,
  entry: Entry,
  include: IncludeObject,
): unknown {
  return rowOfObject(representations.kind, representations.object(entry), include, () =>
    partialOf(apiVersion, representations, entry),
  );
}

/** As `rowOf`, of an entry that may be large. */
export function* rowInSteps(
  apiVersion: string,
  representations: Representations,
  entry: Entry,
  include: IncludeObject,
): Steps<unknown> {
  const { kind } = representations;
  const object = yield* representations.objectInSteps(entry);
  yield;
  const inHub = rowsReadHub(kind) ? yield* kind.toHubInSteps(object) : undefined;
  yield;
  return makeRow(kind, { object, inHub }, include, () => partialOf(apiVersion, representations, entry, object));
}

/** `partial` makes the part of the object's metadata that a row contains. */
export function rowOfObject(
  kind: BoundKind,
  object: ApiObject,
  include: IncludeObject,
  partial: () => unknown,
): unknown {
  return makeRow(kind, { object, inHub: undefined }, include, partial);
}

function makeRow(
  kind: BoundKind,
  { object, inHub }: { readonly object: ApiObject; readonly inHub: ApiObject | undefined },
  include: IncludeObject,
  partial: () => unknown,
): unknown {
  const { environment } = kind.family;
  const cells = tableRow(kind, object, environment, inHub);
  const conditions = rowConditions(kind, object, environment, inHub);
  const said = conditions.length === 0 ? {} : { conditions };
  return { cells, ...said, object: include === "None" ? null : include === "Object" ? object : partial() };
}

/**
 * Entries in the order in which a Table shows them; they arrive sorted by name. Every object may have to be parsed for that,
 * so it is done in time slices.
 */
export async function inRowOrder(
  representations: Representations,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const { kind } = representations;
  if (!hasRowRanks(kind)) return entries;
  const ranked: { readonly entry: Entry; readonly rank: number }[] = [];
  const slice = new TimeSlice();
  for (const entry of entries) {
    const isLarge = entry.length > atOnceBytesMax;
    const object = isLarge
      ? await inTimeSlices(representations.objectInSteps(entry), slice)
      : representations.object(entry);
    ranked.push({ entry, rank: rowRank(kind, object) });
    if (isLarge ? slice.isLong : slice.isOver) await slice.next();
  }
  return ranked.sort((one, other) => one.rank - other.rank).map(({ entry }) => entry);
}

export function partialOf(apiVersion: string, representations: Representations, entry: Entry, object?: ApiObject) {
  // All declared versions have the same metadata, so the stored one will do.
  const isStored = representations.kind.family.conversion.isImmediate && !representations.hasSelfLinks;
  const { metadata } = object ?? (isStored ? entry.object() : representations.object(entry));
  return { apiVersion, kind: "PartialObjectMetadata", metadata: withoutCarried(entry, metadata) };
}

/** How metadata is written in protobuf by a server of the level. */
export function partialForm(level: Release): Pick<ProtobufForm, "encode"> {
  const schema = partialMetadataAt(level);
  return { encode: (partial) => encodeProtobuf(schema, partial) };
}

/** Annotations that represent a field are shown in the whole object only. */
function withoutCarried(entry: Entry, metadata: ObjectMeta): ObjectMeta {
  const { hub, environment } = entry.family;
  const { carried } = hub.compat;
  if (carried === undefined || metadata.annotations === undefined) return metadata;
  const hidden = new Set(carried.map((name) => environment.vocabulary.word(name)));
  const kept = Object.entries(metadata.annotations).filter(([name]) => !hidden.has(name));
  const { annotations: _annotations, ...rest } = metadata;
  return kept.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(kept) };
}
