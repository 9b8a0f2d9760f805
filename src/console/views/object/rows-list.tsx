/** A few objects of a kind with the server's columns, live, inside another view. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { rowHealth } from "../../../operations/health.ts";
import { followTable, type Row, type TableState } from "../../server/tables.ts";
import { objectOf } from "../../state/route.ts";
import { ageOf, isAgeColumn } from "../../state/rows.ts";
import { ListTable } from "../list-table.tsx";
import { ErrorNote, Waiting } from "../notes.tsx";
import type { Page } from "../page.ts";
import { StateIcon, stateWord } from "../status.tsx";

interface RowsListOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly labels: string;
  readonly fields?: string;
  readonly label: string;
  /** Only those that this controls; absent: all. */
  readonly owner?: string;
}

export function RowsList({ page, resource, namespace, labels, fields = "", label, owner }: RowsListOptions) {
  const [table, setTable] = useState<TableState | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    const request = { resource, namespace, labelSelector: labels, fieldSelector: fields, signal: ended.signal };
    followTable(page.connection, page.discovery.vocabulary, request, setTable);
    return () => ended.abort();
  }, [resource, namespace, labels, fields]);
  if (table === undefined) return <Waiting what={resource.resource} />;
  if (table.error !== undefined && !table.isLost) return <ErrorNote error={table.error} />;
  const rows = table.rows
    .filter((row) => owner === undefined || row.owner === owner)
    .sort((a, b) => b.createdMs - a.createdMs);
  if (rows.length === 0) return <p class="note">None.</p>;
  const shown = table.columns.flatMap((column, at) => (column.priority === 0 ? [{ column, at }] : []));
  const names = table.columns.map(({ name }) => name);
  return (
    <ListTable
      label={label}
      items={rows}
      keyOf={({ key }) => key}
      columns={shown.map(({ column, at }, place) => ({
        name: column.name,
        cell: (row: Row) => {
          const state = rowHealth(names, row.cells);
          if (place === 0)
            return (
              <>
                {state !== undefined && <StateIcon state={state} label={stateWord(state)} />}{" "}
                <a href={objectOf(resource, row)}>
                  <bdi>{row.cells[at]}</bdi>
                </a>
              </>
            );
          return isAgeColumn(column) ? ageOf(row.createdMs, Date.now()) : <bdi>{row.cells[at]}</bdi>;
        },
      }))}
    />
  );
}
