/** Objects and lists seen as a Table or as their metadata alone. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { badRequest } from "../../machinery/status/status.ts";
import { rowConditions, tableColumns, tableRow } from "../../machinery/table/table.ts";
import type { Entry } from "../../registry/contract.ts";
import { objectOf } from "./entry-forms.ts";

/** What rows carry besides their cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

export function readIncludeObject(text: string | undefined): IncludeObject {
  if (text === undefined || text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest("includeObject must be None, Metadata or Object");
}

export interface ListMetadata {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMetadata;
  readonly columnDefinitions: readonly unknown[] | null;
  readonly rows: readonly unknown[];
}

/** `apiVersion` is that of the views: "meta.orch.io/v1". */
export function tableHead(apiVersion: string, kind: BoundKind, metadata: ListMetadata): Omit<Table, "rows"> {
  return { kind: "Table", apiVersion, metadata, columnDefinitions: tableColumns(kind) };
}

export function rowOf(apiVersion: string, kind: BoundKind, entry: Entry, include: IncludeObject): unknown {
  const object = objectOf(entry, kind);
  const { environment } = kind.family;
  const cells = tableRow(kind, object, environment);
  const conditions = rowConditions(kind, object, environment);
  const said = conditions.length === 0 ? {} : { conditions };
  return {
    cells,
    ...said,
    object: include === "None" ? null : include === "Object" ? object : partialOf(apiVersion, entry),
  };
}

export function partialOf(apiVersion: string, entry: Entry) {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: entry.object().metadata };
}
