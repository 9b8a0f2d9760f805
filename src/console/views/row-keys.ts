/** The keys of a table of rows: they choose a row, select it, open it and delete it. */

import { useLayoutEffect } from "preact/hooks";
import type { Row } from "../server/tables.ts";
import { isDeleteKey, isTyping } from "./page.ts";

/** How a row is opened, by the key that does it. */
const openings = { Enter: "object", e: "edit", l: "logs", h: "shell", y: "yaml" } as const;
export type Opening = (typeof openings)[keyof typeof openings];
const isOpeningKey = (key: string): key is keyof typeof openings => Object.hasOwn(openings, key);

interface RowKeysOptions {
  readonly rows: readonly Row[];
  /** -1: none. */
  readonly chosenAt: number;
  readonly pageRows: number;
  readonly choose: (at: number) => void;
  /** Undefined: rows cannot be selected. */
  readonly selected: ReadonlySet<string> | undefined;
  readonly onSelect: (row: Row) => void;
  readonly onOpen: (row: Row, how: Opening) => void;
  /** The row that is chosen; undefined: none. */
  readonly onDelete: (row: Row | undefined) => void;
}

export function useRowKeys(options: RowKeysOptions): void {
  // Before the next key is pressed, which acts on the row that this one chose.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (press(event, options)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

/** Whether the key did something. */
function press(event: KeyboardEvent, options: RowKeysOptions): boolean {
  const { rows, chosenAt, choose, selected, onSelect, onOpen, onDelete } = options;
  const row = rows[chosenAt];
  if (isDeleteKey(event)) {
    onDelete(row);
    return true;
  }
  if (isTyping(event)) return false;
  const step = stepsOf(options)[event.key];
  const isOnButton = event.target instanceof HTMLElement && /^(A|BUTTON|SUMMARY)$/.test(event.target.tagName);
  if (step !== undefined) choose(step);
  else if (row === undefined) return false;
  else if (event.key === " " && selected !== undefined && !isOnButton) onSelect(row);
  else if (event.key === "c") void navigator.clipboard.writeText(row.name).catch(() => undefined);
  else if (isOpeningKey(event.key) && !(event.key === "Enter" && isOnButton)) onOpen(row, openings[event.key]);
  else return false;
  return true;
}

const stepsOf = ({ rows, chosenAt, pageRows }: RowKeysOptions): Readonly<Record<string, number>> => ({
  ArrowDown: chosenAt + 1,
  ArrowUp: Math.max(chosenAt, 1) - 1,
  PageDown: chosenAt + pageRows,
  PageUp: chosenAt - pageRows,
  Home: 0,
  End: rows.length - 1,
});
