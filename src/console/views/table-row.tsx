/** A row of a table of objects: its cells, with the state that they tell. */

import { cellHealth, type HealthState, healthStates, rowHealth } from "../../operations/health.ts";
import type { Column, Row } from "../server/tables.ts";
import { ageOf, isAgeColumn } from "../state/rows.ts";
import { StateIcon, stateWord } from "./status.tsx";

/** How long a changed row is marked. */
const markedMs = 3_000;

interface TableRowOptions {
  readonly row: Row;
  /** Its place among all rows. */
  readonly at: number;
  readonly isChosen: boolean;
  readonly columns: readonly Column[];
  readonly shown: readonly { readonly column: Column; readonly at: number }[];
  readonly hasNamespaces: boolean;
  /** Undefined: rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly now: number;
  readonly onOpen: () => void;
  readonly onSelect: () => void;
}

export function TableRow(options: TableRowOptions) {
  const { row, at, isChosen, columns, shown, hasNamespaces, isSelected, now, onOpen, onSelect } = options;
  const health = rowHealth(
    columns.map(({ name }) => name),
    row.cells,
  );
  const told = shown.find(({ column, at }) => isStateWord(column, row.cells[at] ?? ""));
  return (
    <tr id={`row-${at}`} aria-rowindex={at + 2} aria-selected={isChosen} onClick={onOpen}>
      {isSelected !== undefined && (
        <td>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${row.name}`}
            checked={isSelected}
            onClick={(event) => {
              event.stopPropagation();
              onSelect();
            }}
          />
        </td>
      )}
      {hasNamespaces && <td title={row.namespace}>{row.namespace}</td>}
      {shown.map(({ column, at }, place) => {
        const isAge = isAgeColumn(column);
        const cell = isAge ? ageOf(row.createdMs, now) : (row.cells[at] ?? "");
        const own = isAge ? undefined : cellHealth(column.name, cell);
        // The one word that stands for the whole row tells of the worst: "Running" of a pod that is not ready is not well.
        const state = told?.at === at ? worst(own, health) : own;
        const isChanged = !isAge && isMarked(row, at, now);
        return (
          <td key={at} title={cell} class={`${state === undefined ? "" : `is-${state}`}${isChanged ? " changed" : ""}`}>
            {place === 0 && told !== undefined && health !== undefined && (
              <span class={`lead is-${health}`} aria-hidden="true">
                <StateIcon state={health} />{" "}
              </span>
            )}
            {state !== undefined && told?.at === at && (
              <>
                <StateIcon state={state} label={stateWord(state)} />{" "}
              </>
            )}
            <bdi class={state === undefined || state === "healthy" ? undefined : "told"}>{cell}</bdi>
          </td>
        );
      })}
    </tr>
  );
}

/** "CrashLoopBackOff", not "0/1". */
const isStateWord = ({ name }: Column, cell: string): boolean =>
  cellHealth(name, cell) !== undefined && !/^\d+\/\d+$/.test(cell);

const worst = (a: HealthState | undefined, b: HealthState | undefined): HealthState | undefined =>
  healthStates.find((state) => state === a || state === b);

const isMarked = ({ changedMs, changedCells }: Row, cell: number, nowMs: number): boolean =>
  changedMs > 0 && nowMs - changedMs < markedMs && changedCells.includes(cell);
