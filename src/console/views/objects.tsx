/** The objects of one kind, with the server's columns, live. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { may } from "../server/objects.ts";
import { followTable, namespacesOf, type Row, type TableState } from "../server/tables.ts";
import { pluralOf } from "../state/nav.ts";
import { createOf, editOf, formatRoute, type ObjectsRoute, objectOf } from "../state/route.ts";
import { filterRows, type Order, type Sorted, sortRows } from "../state/rows.ts";
import { BulkAct } from "./bulk-act.tsx";
import { BulkDelete } from "./bulk-delete.tsx";
import { NamespaceField } from "./namespace-field.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import type { Page } from "./page.ts";
import type { Opening } from "./row-keys.ts";
import { RowsTable } from "./rows-table.tsx";
import { SelectorField } from "./selector-field.tsx";
import { StateChips } from "./state-chips.tsx";

export interface ObjectsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly route: ObjectsRoute;
}

export function Objects({ page, resource, route }: ObjectsOptions) {
  const { namespace, labels, fields } = route;
  const { connection } = page;
  const seen = useRef(connection);
  const [table, setTable] = useState<TableState | undefined>(undefined);
  const [filter, setFilter] = useState(route.filter);
  const [isWide, setWide] = useState(false);
  const [order, setOrder] = useState<Order>({ column: 0, isDescending: false });
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [mayDelete, setMayDelete] = useState(false);
  const [mayCreate, setMayCreate] = useState(false);
  const [mayPatch, setMayPatch] = useState(false);
  const [isChanging, setChanging] = useState(false);
  /** The rows that a question is about. */
  const [asked, setAsked] = useState<readonly Row[]>([]);
  useEffect(() => {
    const ref = { name: "", namespace: namespacesOf(namespace)[0] ?? "" };
    may("delete", { ...page, resource, ref }).then(setMayDelete, () => undefined);
    if (resource.verbs.includes("patch")) may("patch", { ...page, resource, ref }).then(setMayPatch, () => undefined);
    if (resource.verbs.includes("create"))
      may("create", { ...page, resource, ref }).then(setMayCreate, () => undefined);
    setSelected(new Map());
  }, [namespace, connection]);
  const toggle = (row: Row) => {
    const next = new Map(selected);
    if (!next.delete(row.key)) next.set(row.key, row);
    setSelected(next);
  };
  useEffect(() => {
    const ended = new AbortController();
    // Another moment of the same list changes what is there; nothing blinks.
    if (seen.current === connection) setTable(undefined);
    seen.current = connection;
    const request = { resource, namespace, labelSelector: labels, fieldSelector: fields, signal: ended.signal };
    followTable(connection, page.discovery.vocabulary, request, setTable);
    return () => ended.abort();
  }, [resource.resource, resource.group, namespace, labels, fields, connection]);
  const sorted = useRef<Sorted | undefined>(undefined);
  const shown = useMemo(() => {
    if (table === undefined) return [];
    const { columns } = table;
    const rows = sortRows(filterRows(table.rows, columns, filter), columns, order, sorted.current);
    sorted.current = { rows, columns, order };
    return rows;
  }, [table, filter, order]);
  const changeFilter = (value: string) => {
    setFilter(value);
    // No entry of the history for each letter.
    history.replaceState(null, "", formatRoute({ ...route, filter: value }));
  };
  const go = (change: { namespace?: string; labels?: string; fields?: string }) => {
    location.hash = formatRoute({ ...route, filter, ...change });
  };
  return (
    <div class="objects">
      <div class="tools">
        <h1>
          {pluralOf(resource)} <small>{resource.group || "core"}</small>
        </h1>
        {resource.namespaced && (
          <NamespaceField
            connection={page.connection}
            value={namespace}
            onChange={(value) => go({ namespace: value })}
          />
        )}
        <input
          id="filter"
          type="search"
          aria-label="Filter"
          placeholder="Filter  /"
          value={filter}
          onInput={(event) => changeFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!["Escape", "Enter", "ArrowDown"].includes(event.key)) return;
            event.preventDefault();
            document.getElementById("rows")?.focus();
          }}
        />
        <SelectorField
          label="Label selector"
          hint="Labels  app=web"
          value={labels}
          onChange={(value) => go({ labels: value })}
        />
        <SelectorField
          label="Field selector"
          hint="Fields  spec.x=y"
          value={fields}
          onChange={(value) => go({ fields: value })}
        />
        <label>
          <input type="checkbox" checked={isWide} onChange={(event) => setWide(event.currentTarget.checked)} /> Wide
        </label>
        {mayCreate && (
          <a class="button" href={createOf(resource, namespacesOf(namespace)[0] ?? "")}>
            Create
          </a>
        )}
        {selected.size > 0 && mayPatch && (
          <button type="button" onClick={() => setChanging(true)}>
            Change {selected.size} …
          </button>
        )}
        {selected.size > 0 && mayDelete && (
          <button type="button" class="danger" onClick={() => setAsked([...selected.values()])}>
            Delete {selected.size} …
          </button>
        )}
        <span class="count" role="status">
          {table === undefined ? "" : countText(shown.length, table.rows.length)}
          {table?.isLive && <span class="live"> live</span>}
        </span>
      </div>
      {table?.error !== undefined &&
        (table.isLost ? (
          <p class="note warning" role="status">
            The connection is lost: {table.error.message}. Trying again …
          </p>
        ) : (
          <ErrorNote error={table.error} />
        ))}
      {table !== undefined && <StateChips table={table} filter={filter} onFilter={changeFilter} />}
      {table === undefined && <Waiting what={resource.resource} />}
      {table !== undefined && table.columns.length > 0 && (
        <RowsTable
          label={resource.resource}
          columns={table.columns}
          rows={shown}
          empty={emptyText(table.rows.length, labels !== "" || fields !== "", namespace)}
          hasNamespaces={resource.namespaced && namespacesOf(namespace).length !== 1}
          isWide={isWide}
          atMs={connection.at === "" ? undefined : Date.parse(connection.at)}
          order={order}
          onOrder={setOrder}
          selected={mayDelete || mayPatch ? new Set(selected.keys()) : undefined}
          onSelect={toggle}
          onSelectAll={() => setSelected(selected.size > 0 ? new Map() : new Map(shown.map((row) => [row.key, row])))}
          onOpen={(row, how) => {
            if (how === "edit") location.hash = editOf(resource, row);
            else if (!needsSubresource[how] || resource.subresources.includes(needsSubresource[how]))
              location.hash = objectOf(resource, row, how === "object" ? "" : how);
          }}
          onDelete={(row) => {
            if (!mayDelete) return;
            setAsked(selected.size > 0 ? [...selected.values()] : row === undefined ? [] : [row]);
          }}
        />
      )}
      {isChanging && selected.size > 0 && (
        <BulkAct page={page} resource={resource} rows={[...selected.values()]} onClose={() => setChanging(false)} />
      )}
      {asked.length > 0 && (
        <BulkDelete
          page={page}
          resource={resource}
          rows={asked}
          onClose={() => {
            setAsked([]);
            setSelected(new Map());
          }}
        />
      )}
    </div>
  );
}

/** What a row can only be opened with if its kind has it. */
const needsSubresource: Readonly<Partial<Record<Opening, string>>> = { logs: "log", shell: "exec" };

function emptyText(all: number, isSelected: boolean, namespace: string): string {
  if (all > 0) return "No row matches the filter.";
  const where = namespace === "" ? "" : ` in ${namespace}`;
  return isSelected ? `No objects match the selectors${where}.` : `No objects${where}.`;
}

const countText = (shown: number, all: number): string => (shown === all ? `${all}` : `${shown} of ${all}`);
