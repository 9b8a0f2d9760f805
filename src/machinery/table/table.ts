/** Tables: objects of any kind as rows of cells, for clients that show them without knowing the kind. */

import type { BoundKind } from "../schema/catalog.ts";
import type { Environment } from "../schema/environment.ts";
import type { ApiObject, Column, RowCondition } from "../schema/kind.ts";

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0: shown only by wide output. */
  readonly priority: number;
}

const defaultColumns: readonly Column[] = [
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "The name of the object.",
    cell: (object) => object.metadata.name ?? "",
  },
  {
    name: "Created At",
    type: "date",
    description: "When the object was created.",
    cell: (object) => object.metadata.creationTimestamp,
  },
];

const definitions = new WeakMap<readonly Column[], readonly ColumnDefinition[]>();

/** The columns: what the cells of a row contain. */
export function tableColumns(kind: BoundKind): readonly ColumnDefinition[] {
  const columns = columnsOf(kind);
  let made = definitions.get(columns);
  if (made === undefined) {
    made = columns.map(({ name, type, format = "", description = "", priority = 0 }) => ({
      name,
      type,
      format,
      description,
      priority,
    }));
    definitions.set(columns, made);
  }
  return made;
}

/**
 * The cells of an object, which is of the version of `kind`. Ages follow the clock, so cells are not cached. `inHub`: the same object in the
 * version of the hub, if that has been made already.
 */
export function tableRow(kind: BoundKind, object: ApiObject, environment: Environment, inHub?: ApiObject): unknown[] {
  const subject = asDeclared(kind, object, "columns", inHub);
  return columnsOf(kind).map((column) => column.cell(subject, environment) ?? null);
}

/** The conditions of a row; empty: none, and the row omits them. */
export function rowConditions(
  kind: BoundKind,
  object: ApiObject,
  environment: Environment,
  inHub?: ApiObject,
): readonly RowCondition[] {
  return kind.declaration.rowConditions?.(asDeclared(kind, object, "rowConditions", inHub), environment) ?? [];
}

/** Whether rows of the kind read objects of its hub version, and not of its own. */
export const rowsReadHub = (kind: BoundKind): boolean =>
  kind !== kind.family.hub && (isOfHub(kind, "columns") || isOfHub(kind, "rowConditions"));

/** Whether the rows of the kind have a special order. */
export const hasRowRanks = (kind: BoundKind): boolean => kind.compat.rowRank !== undefined;

export function rowRank(kind: BoundKind, object: ApiObject): number {
  const { rowRank: own } = kind.compat;
  return own?.(inVersionOf(kind, object, own === kind.family.hub.compat.rowRank)) ?? 0;
}

/** Columns that a version shares with the hub read objects of the hub version. */
function asDeclared(
  kind: BoundKind,
  object: ApiObject,
  member: "columns" | "rowConditions",
  inHub?: ApiObject,
): ApiObject {
  return inVersionOf(kind, object, isOfHub(kind, member), inHub);
}

function isOfHub(kind: BoundKind, member: "columns" | "rowConditions"): boolean {
  const own = kind.declaration[member];
  return own !== undefined && own === kind.family.hub.declaration[member];
}

function inVersionOf(kind: BoundKind, object: ApiObject, isOfHub: boolean, inHub?: ApiObject): ApiObject {
  return kind !== kind.family.hub && isOfHub ? (inHub ?? kind.toHub(object)) : object;
}

function columnsOf(kind: BoundKind): readonly Column[] {
  return kind.declaration.columns ?? defaultColumns;
}
