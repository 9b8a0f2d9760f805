/** A resource as the rows of the server's Table, kept up to date. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Connection } from "./connection.ts";
import { follow } from "./follow.ts";
import { isJson, type Json, part, parts, text } from "./json.ts";

export interface Column {
  readonly name: string;
  readonly description: string;
  /** 0: always shown; more: only in the wide form. */
  readonly priority: number;
}

export interface Row {
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  readonly createdMs: number;
  readonly cells: readonly string[];
  /** When a watch last changed it; 0: as listed. */
  readonly changedMs: number;
}

export interface TableState {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly isLive: boolean;
  readonly error: Error | undefined;
}

export interface TableRequest {
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly signal: AbortSignal;
}

export const tableAccept = (vocabulary: Vocabulary): string =>
  `application/json;as=Table;v=v1;g=${vocabulary.group("meta.orch.io")}, application/json`;

/** Changes that come close together are shown together. */
const showEveryMs = 200;

export function followTable(
  connection: Connection,
  vocabulary: Vocabulary,
  request: TableRequest,
  show: (state: TableState) => void,
): void {
  const { resource, namespace, labelSelector, fieldSelector, signal } = request;
  const rows = new Map<string, Row>();
  let columns: readonly Column[] = [];
  let isLive = false;
  let error: Error | undefined;
  let isWaiting = false;
  const showSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      if (!signal.aborted) show({ columns, rows: [...rows.values()], isLive, error });
    }, showEveryMs);
  };
  const take = (table: Json, changedMs: number) => {
    if (parts(table, "columnDefinitions").length > 0) columns = parts(table, "columnDefinitions").map(columnOf);
    for (const row of parts(table, "rows").map((one) => rowOf(one, changedMs))) rows.set(row.key, row);
  };
  void follow(
    connection,
    { resource, namespace, query: { labelSelector, fieldSelector }, accept: tableAccept(vocabulary), signal },
    {
      listed(list, isFirst) {
        if (isFirst) rows.clear();
        error = undefined;
        take(list, 0);
        if (isFirst && !signal.aborted) show({ columns, rows: [...rows.values()], isLive, error });
        else showSoon();
      },
      live() {
        isLive = true;
        error = undefined;
        showSoon();
      },
      changed(type, table) {
        if (type === "DELETED") for (const row of parts(table, "rows")) rows.delete(rowOf(row, 0).key);
        else take(table, Date.now());
        showSoon();
      },
      failed(failure) {
        isLive = false;
        error = failure;
        showSoon();
      },
    },
  );
}

const columnOf = (column: Json): Column => ({
  name: text(column, "name"),
  description: text(column, "description"),
  priority: Number(column["priority"] ?? 0),
});

function rowOf(row: Json, changedMs: number): Row {
  const metadata = part(row, "object", "metadata");
  const [name, namespace] = [text(metadata, "name"), text(metadata, "namespace")];
  const cells = Array.isArray(row["cells"]) ? row["cells"] : [];
  return {
    key: `${namespace}/${name}`,
    name,
    namespace,
    createdMs: Date.parse(text(metadata, "creationTimestamp")) || 0,
    cells: cells.map(cellText),
    changedMs,
  };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return isJson(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}
