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
  /** Deletes this object, not a later one of its name. */
  readonly uid: string;
  /** What controls it: of a pod of a deployment, the deployment. "": nothing. */
  readonly owner: string;
  /** When a watch last changed it; 0: as listed. */
  readonly changedMs: number;
  /** The cells whose text that change made another; all of a new row. */
  readonly changedCells: readonly number[];
}

export interface TableState {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly isLive: boolean;
  readonly error: Error | undefined;
  /** The connection was lost and is tried again; the rows are those from before. */
  readonly isLost: boolean;
}

interface TableRequest {
  readonly resource: DiscoveredResource;
  /** "": all; several have commas between them. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly signal: AbortSignal;
}

export const tableAccept = (vocabulary: Vocabulary): string =>
  `application/json;as=Table;v=v1;g=${vocabulary.group("meta.orch.io")}, application/json`;

/** With more, all namespaces are followed and the others left out: a browser has six connections to a host. */
const followedNamespacesMax = 3;

export const namespacesOf = (namespace: string): string[] => [
  ...new Set(
    namespace
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean),
  ),
];

/** Changes that come close together are shown together, in one frame of the page. */
const showEveryMs = 100;

export function followTable(
  connection: Connection,
  vocabulary: Vocabulary,
  request: TableRequest,
  show: (state: TableState) => void,
): void {
  const { resource, namespace, labelSelector, fieldSelector, signal } = request;
  const chosen = namespacesOf(namespace);
  const followed = chosen.length > 0 && chosen.length <= followedNamespacesMax ? chosen : [""];
  const rows = new Map<string, Row>();
  const live = new Set<string>();
  let columns: readonly Column[] = [];
  let error: Error | undefined;
  let isLost = false;
  let isWaiting = false;
  const showNow = () => {
    isWaiting = false;
    const isLive = live.size === followed.length;
    if (!signal.aborted) show({ columns, rows: [...rows.values()], isLive, error, isLost });
  };
  const showSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => requestAnimationFrame(showNow), showEveryMs);
  };
  const take = (table: Json, changedMs: number): Row[] => {
    columns = columnsAfter(table, columns);
    const taken = parts(table, "rows")
      .map((one) => rowOf(one, changedMs))
      .filter((row) => chosen.length === 0 || chosen.includes(row.namespace));
    for (const row of taken) rows.set(row.key, changedMs === 0 ? row : withChanges(row, rows.get(row.key)));
    return taken;
  };
  const query = { labelSelector, fieldSelector };
  const accept = tableAccept(vocabulary);
  for (const one of followed) {
    /** Rows from before that the list has not named yet. */
    let stale = new Set<string>();
    void follow(
      connection,
      { resource, namespace: one, query, accept, signal },
      {
        listed(list, isFirst) {
          const isEmpty = rows.size === 0;
          if (isFirst)
            stale = new Set(
              [...rows.values()].filter((row) => one === "" || row.namespace === one).map(({ key }) => key),
            );
          for (const { key } of take(list, 0)) stale.delete(key);
          [error, isLost] = [undefined, false];
          if (isEmpty) showNow();
          else showSoon();
        },
        complete(isWatched) {
          for (const key of stale) rows.delete(key);
          if (isWatched) live.add(one);
          showSoon();
        },
        changed(type, table) {
          if (type === "DELETED") for (const row of parts(table, "rows")) rows.delete(rowOf(row, 0).key);
          else take(table, Date.now());
          showSoon();
        },
        failed(failure, isFinal) {
          live.delete(one);
          [error, isLost] = [failure, !isFinal];
          showSoon();
        },
      },
    );
  }
}

/**
 * Every part of a list and the first event of a watch name the columns. While these are the same, rows keep their order and what was found
 * out about them.
 */
export function columnsAfter(table: Json, before: readonly Column[]): readonly Column[] {
  const named = parts(table, "columnDefinitions").map(columnOf);
  const isSame =
    named.length === before.length &&
    named.every(({ name, description, priority }, at) => {
      const one = before[at];
      return one?.name === name && one.description === description && one.priority === priority;
    });
  return named.length === 0 || isSame ? before : named;
}

/** Which cells differ from those before. */
export const withChanges = (row: Row, before: Row | undefined): Row => ({
  ...row,
  changedCells: row.cells.flatMap((cell, at) => (cell === before?.cells[at] ? [] : [at])),
});

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
    uid: text(metadata, "uid"),
    owner: ownerName(metadata),
    changedMs,
    changedCells: [],
  };
}

/** A replica set of a deployment has its name and a hash of its template, which pods have as a label. */
function ownerName(metadata: Json): string {
  const controller = parts(metadata, "ownerReferences").find((one) => one["controller"] === true);
  const [name, kind] = [text(controller, "name"), text(controller, "kind")];
  const hash = kind === "ReplicaSet" ? text(metadata, "labels", "pod-template-hash") : "";
  return hash !== "" && name.endsWith(`-${hash}`) ? name.slice(0, -hash.length - 1) : name;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return isJson(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}
