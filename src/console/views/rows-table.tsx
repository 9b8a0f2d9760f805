/** A table of any number of rows: only those in sight are elements of the page. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Row } from "../server/tables.ts";
import { columnWidths, namespaceWidth, type Order } from "../state/rows.ts";
import { type Opening, useRowKeys } from "./row-keys.ts";
import { TableRow } from "./table-row.tsx";

interface RowsTableOptions {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What is said if there are none. */
  readonly empty: string;
  readonly hasNamespaces: boolean;
  readonly isWide: boolean;
  /** When the rows were so; undefined: now. */
  readonly atMs: number | undefined;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  readonly onOpen: (row: Row, how: Opening) => void;
  /** The row that is chosen; undefined: none. */
  readonly onDelete: (row: Row | undefined) => void;
  /** Keys of the rows that are selected for a common act; undefined: there is none. */
  readonly selected: ReadonlySet<string> | undefined;
  readonly onSelect: (row: Row) => void;
  /** All rows, or none if some are selected. */
  readonly onSelectAll: () => void;
}

/** The height of a row in app.css. */
const rowPx = 30;
/** The width of the boxes that select rows, in characters. */
const selectChars = 5;
/** Rows above and below those in sight. */
const spareRows = 10;
const ageEveryMs = 5_000;

export function RowsTable(options: RowsTableOptions) {
  const { label, columns, rows, empty, hasNamespaces, isWide, order, onOrder, onOpen, selected } = options;
  const { onSelect, onSelectAll } = options;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [chosen, setChosen] = useState("");
  const ticking = useNow();
  const now = options.atMs ?? ticking;
  const shown = columns.flatMap((column, at) => (isWide || column.priority === 0 ? [{ column, at }] : []));
  const widths = useMemo(() => columnWidths(columns, rows), [columns, rows]);
  const namespaceChars = useMemo(() => (hasNamespaces ? namespaceWidth(rows) : 0), [rows, hasNamespaces]);
  const chars =
    (selected === undefined ? 0 : selectChars) +
    namespaceChars +
    shown.reduce((sum, { at }) => sum + (widths[at] ?? 0), 0);
  const chosenAt = rows.findIndex(({ key }) => key === chosen);

  const look = () => {
    const { current } = box;
    if (current !== null) setView({ top: current.scrollTop, height: current.clientHeight });
  };
  useLayoutEffect(look, []);
  useEffect(() => {
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, []);

  const choose = (at: number) => {
    const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
    if (row === undefined) return;
    setChosen(row.key);
    scrollTo(box.current, rows.indexOf(row));
  };
  useRowKeys({ ...options, chosenAt, pageRows: Math.max(1, Math.floor(view.height / rowPx) - 2), choose });
  const from = Math.max(0, Math.floor(view.top / rowPx) - spareRows);
  const to = Math.min(rows.length, Math.ceil((view.top + view.height) / rowPx) + spareRows);
  const header = (name: string, column: number, title: string) => {
    const isOrder = order.column === column;
    const sort = isOrder ? (order.isDescending ? "descending" : "ascending") : undefined;
    return (
      <th key={column} scope="col" aria-sort={sort} title={title}>
        <button type="button" onClick={() => onOrder({ column, isDescending: isOrder && !order.isDescending })}>
          {name}
          {isOrder && <span aria-hidden="true">{order.isDescending ? " ↓" : " ↑"}</span>}
        </button>
      </th>
    );
  };
  return (
    <div class="rows" ref={box} onScroll={look}>
      <table
        id="rows"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows of a grid are chosen by arrow keys
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        tabIndex={0}
        style={{ width: `${chars}ch` }}
        aria-activedescendant={chosenAt >= from && chosenAt < to ? `row-${chosenAt}` : undefined}
      >
        <colgroup>
          {selected !== undefined && <col style={{ width: `${selectChars}ch` }} />}
          {hasNamespaces && <col style={{ width: `${namespaceChars}ch` }} />}
          {shown.map(({ at }) => (
            <col key={at} style={{ width: `${widths[at] ?? 0}ch` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selected !== undefined && (
              <td>
                <input
                  type="checkbox"
                  aria-label="Select all"
                  checked={selected.size > 0}
                  indeterminate={selected.size > 0 && selected.size < rows.length}
                  onClick={onSelectAll}
                />
              </td>
            )}
            {hasNamespaces && header("Namespace", -1, "The namespace of the object")}
            {shown.map(({ column, at }) => header(column.name, at, column.description))}
          </tr>
        </thead>
        <tbody>
          <tr class="space" style={{ height: `${from * rowPx}px` }} />
          {rows.slice(from, to).map((row, offset) => (
            <TableRow
              key={row.key}
              row={row}
              at={from + offset}
              isChosen={row.key === chosen}
              columns={columns}
              shown={shown}
              hasNamespaces={hasNamespaces}
              isSelected={selected?.has(row.key)}
              now={now}
              onOpen={() => onOpen(row, "object")}
              onSelect={() => onSelect(row)}
            />
          ))}
          <tr class="space" style={{ height: `${(rows.length - to) * rowPx}px` }} />
        </tbody>
      </table>
      {rows.length === 0 && <p class="note">{empty}</p>}
    </div>
  );
}

function scrollTo(box: HTMLDivElement | null, at: number): void {
  if (box === null) return;
  const top = at * rowPx;
  // The header covers the first row in sight.
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + 2 * rowPx > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * rowPx - box.clientHeight;
}

function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ageEveryMs);
    return () => clearInterval(timer);
  }, []);
  return Math.max(now, Date.now());
}
