/** The objects of one kind, with the server's columns, live. */

import type { ComponentChildren } from "preact";
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

interface ObjectsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly route: ObjectsRoute;
}

export function Objects({ page, resource, route }: ObjectsOptions) {
  const { namespace, labels, fields } = route;
  const { connection } = page;
  const [filter, setFilter] = useState(route.filter);
  const [isWide, setWide] = useState(false);
  const [order, setOrder] = useState<Order>({ column: 0, isDescending: false });
  const [isChanging, setChanging] = useState(false);
  /** The rows that a question is about. */
  const [asked, setAsked] = useState<readonly Row[]>([]);
  const rights = useRights({ page, resource, route });
  const { selected, rows, select, toggle } = useSelection(page, namespace);
  const table = useTable({ page, resource, route });
  const shown = useShown(table, filter, order);
  return (
    <div class="objects">
      <Tools page={page} resource={resource} route={route} filter={filter} onFilter={setFilter}>
        <label>
          <input type="checkbox" checked={isWide} onChange={(event) => setWide(event.currentTarget.checked)} /> Wide
        </label>
        {rights.create && (
          <a class="button" href={createOf(resource, namespacesOf(namespace)[0] ?? "")}>
            Create
          </a>
        )}
        {selected.size > 0 && (
          <SelectionButtons
            count={selected.size}
            rights={rights}
            onChange={() => setChanging(true)}
            onDelete={() => setAsked(rows)}
          />
        )}
        <span class="count" role="status">
          {table === undefined ? "" : countText(shown.length, table.rows.length)}
          {table?.isLive && <span class="live"> live</span>}
        </span>
      </Tools>
      <TableProblem table={table} />
      {table !== undefined && (
        <StateChips table={table} filter={filter} onFilter={(value) => changeFilter(route, value, setFilter)} />
      )}
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
          selected={rights.delete || rights.patch ? new Set(selected.keys()) : undefined}
          onSelect={toggle}
          onSelectAll={() => select(selected.size > 0 ? [] : shown)}
          onOpen={(row, how) => open(resource, row, how)}
          onDelete={(row) => {
            if (!rights.delete) return;
            setAsked(selected.size > 0 ? rows : row === undefined ? [] : [row]);
          }}
        />
      )}
      {isChanging && selected.size > 0 && (
        <BulkAct page={page} resource={resource} rows={rows} onClose={() => setChanging(false)} />
      )}
      {asked.length > 0 && (
        <BulkDelete
          page={page}
          resource={resource}
          rows={asked}
          onClose={() => {
            setAsked([]);
            select([]);
          }}
        />
      )}
    </div>
  );
}

/** The selected rows by their keys; another list has others. */
function useSelection({ connection }: Page, namespace: string) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const select = (rows: readonly Row[]) => setSelected(new Map(rows.map((row) => [row.key, row])));
  useEffect(() => select([]), [namespace, connection]);
  const rows = [...selected.values()];
  const toggle = (row: Row) =>
    select(selected.has(row.key) ? rows.filter(({ key }) => key !== row.key) : [...rows, row]);
  return { selected, rows, select, toggle };
}

interface SelectionButtonsOptions {
  readonly count: number;
  readonly rights: ReturnType<typeof useRights>;
  readonly onChange: () => void;
  readonly onDelete: () => void;
}

/** What may be done to the selected rows. */
function SelectionButtons({ count, rights, onChange, onDelete }: SelectionButtonsOptions) {
  return (
    <>
      {rights.patch && (
        <button type="button" onClick={onChange}>
          Change {count} …
        </button>
      )}
      {rights.delete && (
        <button type="button" class="danger" onClick={onDelete}>
          Delete {count} …
        </button>
      )}
    </>
  );
}

/** What the user may do to objects of the list, as far as it is known. */
function useRights({ page, resource, route: { namespace } }: ObjectsOptions) {
  const [rights, setRights] = useState({ create: false, delete: false, patch: false });
  useEffect(() => {
    const ref = { name: "", namespace: namespacesOf(namespace)[0] ?? "" };
    for (const verb of ["delete", "patch", "create"] as const) {
      if (verb !== "delete" && !resource.verbs.includes(verb)) continue;
      const learn = (isAllowed: boolean) => setRights((known) => ({ ...known, [verb]: isAllowed }));
      may(verb, { ...page, resource, ref }).then(learn, () => undefined);
    }
  }, [namespace, page.connection]);
  return rights;
}

/** Undefined: the server has not answered. */
function useTable({ page, resource, route: { namespace, labels, fields } }: ObjectsOptions): TableState | undefined {
  const { connection } = page;
  const seen = useRef(connection);
  const [table, setTable] = useState<TableState | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    // Another moment of the same list changes what is there; nothing blinks.
    if (seen.current === connection) setTable(undefined);
    seen.current = connection;
    const request = { resource, namespace, labelSelector: labels, fieldSelector: fields, signal: ended.signal };
    followTable(connection, page.discovery.vocabulary, request, setTable);
    return () => ended.abort();
  }, [resource.resource, resource.group, namespace, labels, fields, connection]);
  return table;
}

/** The rows that the filter leaves, in order. */
function useShown(table: TableState | undefined, filter: string, order: Order): readonly Row[] {
  const sorted = useRef<Sorted | undefined>(undefined);
  return useMemo(() => {
    if (table === undefined) return [];
    const { columns } = table;
    const rows = sortRows(filterRows(table.rows, columns, filter), columns, order, sorted.current);
    sorted.current = { rows, columns, order };
    return rows;
  }, [table, filter, order]);
}

function changeFilter(route: ObjectsRoute, value: string, setFilter: (value: string) => void): void {
  setFilter(value);
  // No entry of the history for each letter.
  history.replaceState(null, "", formatRoute({ ...route, filter: value }));
}

interface ToolsOptions extends ObjectsOptions {
  readonly filter: string;
  readonly onFilter: (value: string) => void;
  readonly children: ComponentChildren;
}

/** Which objects are shown. */
function Tools({ page, resource, route, filter, onFilter, children }: ToolsOptions) {
  const { namespace, labels, fields } = route;
  const go = (change: { namespace?: string; labels?: string; fields?: string }) => {
    location.hash = formatRoute({ ...route, filter, ...change });
  };
  return (
    <div class="tools">
      <h1>
        {pluralOf(resource)} <small>{resource.group || "core"}</small>
      </h1>
      {resource.namespaced && (
        <NamespaceField connection={page.connection} value={namespace} onChange={(value) => go({ namespace: value })} />
      )}
      <input
        id="filter"
        type="search"
        aria-label="Filter"
        placeholder="Filter  /"
        value={filter}
        onInput={(event) => changeFilter(route, event.currentTarget.value, onFilter)}
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
      {children}
    </div>
  );
}

function TableProblem({ table }: { readonly table: TableState | undefined }) {
  if (table?.error === undefined) return null;
  if (!table.isLost) return <ErrorNote error={table.error} />;
  return (
    <p class="note warning" role="status">
      The connection is lost: {table.error.message}. Trying again …
    </p>
  );
}

function open(resource: DiscoveredResource, row: Row, how: Opening): void {
  const needed = needsSubresource[how];
  if (how === "edit") location.hash = editOf(resource, row);
  else if (needed === undefined || resource.subresources.includes(needed))
    location.hash = objectOf(resource, row, how === "object" ? "" : how);
}

/** What a row can only be opened with if its kind has it. */
const needsSubresource: Readonly<Partial<Record<Opening, string>>> = { logs: "log", shell: "exec" };

function emptyText(all: number, isSelected: boolean, namespace: string): string {
  if (all > 0) return "No row matches the filter.";
  const where = namespace === "" ? "" : ` in ${namespace}`;
  return isSelected ? `No objects match the selectors${where}.` : `No objects${where}.`;
}

const countText = (shown: number, all: number): string => (shown === all ? `${all}` : `${shown} of ${all}`);
