/**
 * The screen of a terminal: what programs write becomes rows of characters with colours.
 *
 * It understands what shells, editors and pagers send to an xterm: movements of the cursor, erasing, inserting, scroll regions, colours, the second
 * screen, and questions for the position. After `writeScreen(screen, "a\x1b[1mb\r\n")` the first row has the cells "a" and a bold "b", and the
 * cursor is at the start of the second. What it does not understand is left out and never shown.
 */

import { type CellStyle, plainStyle, styledBy } from "./terminal-style.ts";

interface Cell {
  /** One character with its combining marks; "": the second half of a wide one. */
  readonly text: string;
  readonly style: CellStyle;
}

export type ScreenRow = Cell[];

/** Rows that have left the screen at the top, the newest. */
export const scrolledRowsMax = 2_000;
/** Marks on one character: more are left out. */
const marksMax = 8;

interface Cursor {
  row: number;
  column: number;
  style: CellStyle;
}

export class TerminalScreen {
  columns: number;
  rows: number;
  readonly scrolled: ScreenRow[] = [];
  lines: ScreenRow[];
  cursor: Cursor = { row: 0, column: 0, style: plainStyle };
  isCursorShown = true;
  /** Arrow keys send other bytes, as full-screen programs ask. */
  hasApplicationKeys = false;
  /** Pasted text is marked, so that a shell does not run it at once. */
  isPasteMarked = false;
  /** What programs ask for, to be sent back. */
  readonly answers: string[] = [];
  #top = 0;
  #bottom: number;
  #wraps = true;
  /** The next character goes to the next row: a full row wraps only then. */
  #isFull = false;
  #saved: Cursor = { row: 0, column: 0, style: plainStyle };
  /** The first screen, while the second is shown. */
  #first: { lines: ScreenRow[]; cursor: Cursor } | undefined;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.#bottom = rows - 1;
    this.lines = Array.from({ length: rows }, () => []);
  }

  resize(columns: number, rows: number): void {
    if (columns === this.columns && rows === this.rows) return;
    this.columns = columns;
    this.lines = resized(this.lines, rows, this.#first === undefined ? this.scrolled : undefined, this.cursor);
    if (this.#first !== undefined)
      this.#first.lines = resized(this.#first.lines, rows, this.scrolled, this.#first.cursor);
    this.rows = rows;
    [this.#top, this.#bottom] = [0, rows - 1];
    this.moveTo(this.cursor.row, this.cursor.column);
  }

  /** Writes one character. */
  put(text: string): void {
    const width = widthOf(text);
    if (width === 0) this.#mark(text);
    else this.#place(text, width);
  }

  #place(text: string, width: 1 | 2): void {
    if (this.#isFull || this.cursor.column + width > this.columns) {
      if (this.#wraps) {
        this.cursor.column = 0;
        this.lineFeed();
      } else this.cursor.column = Math.max(0, this.columns - width);
    }
    const line = this.#line();
    const { column, style } = this.cursor;
    fill(line, column);
    line[column] = { text, style };
    if (width === 2) line[column + 1] = { text: "", style };
    this.#isFull = column + width >= this.columns;
    this.cursor.column = Math.min(column + width, this.columns - 1);
  }

  moveTo(row: number, column: number): void {
    this.cursor.row = Math.min(Math.max(row, 0), this.rows - 1);
    this.cursor.column = Math.min(Math.max(column, 0), this.columns - 1);
    this.#isFull = false;
  }

  lineFeed(): void {
    this.#isFull = false;
    if (this.cursor.row === this.#bottom) this.scrollUp(1);
    else if (this.cursor.row < this.rows - 1) this.cursor.row += 1;
  }

  reverseLineFeed(): void {
    if (this.cursor.row === this.#top) this.scrollDown(1);
    else this.moveTo(this.cursor.row - 1, this.cursor.column);
  }

  scrollUp(count: number): void {
    for (let left = Math.min(count, this.rows); left > 0; left--) {
      const [gone] = this.lines.splice(this.#top, 1);
      this.lines.splice(this.#bottom, 0, []);
      if (this.#top === 0 && this.#first === undefined && gone !== undefined) this.scrolled.push(gone);
    }
    if (this.scrolled.length > scrolledRowsMax) this.scrolled.splice(0, this.scrolled.length - scrolledRowsMax);
  }

  scrollDown(count: number): void {
    for (let left = Math.min(count, this.rows); left > 0; left--) {
      this.lines.splice(this.#bottom, 1);
      this.lines.splice(this.#top, 0, []);
    }
  }

  /** Inserts empty rows at the cursor, or removes rows with a negative count. */
  insertLines(count: number): void {
    const { row } = this.cursor;
    if (row < this.#top || row > this.#bottom) return;
    for (let left = Math.min(Math.abs(count), this.rows); left > 0; left--) {
      this.lines.splice(count > 0 ? this.#bottom : row, 1);
      this.lines.splice(count > 0 ? row : this.#bottom, 0, []);
    }
    this.cursor.column = 0;
  }

  /** Inserts blanks at the cursor, or removes characters with a negative count. */
  insertCells(count: number): void {
    const line = this.#line();
    const { column, style } = this.cursor;
    fill(line, column);
    const some = Math.min(Math.abs(count), this.columns);
    if (count < 0) line.splice(column, some);
    else line.splice(column, 0, ...Array.from({ length: some }, () => ({ text: " ", style })));
    line.length = Math.min(line.length, this.columns);
  }

  /** "end": from the cursor on; "start": up to the cursor. */
  eraseLine(which: "end" | "start" | "all"): void {
    const { column } = this.cursor;
    this.eraseCells(which === "end" ? column : 0, which === "start" ? column + 1 : this.columns);
  }

  eraseCells(from: number, to: number): void {
    const line = this.#line();
    const { style } = this.cursor;
    const isPlain = style.back === undefined && !style.isInverse;
    if (to >= this.columns && isPlain) {
      line.length = Math.min(line.length, from);
      return;
    }
    fill(line, from);
    for (let at = from; at < Math.min(to, this.columns); at++) line[at] = { text: " ", style };
  }

  eraseScreen(which: "end" | "start" | "all"): void {
    const { row } = this.cursor;
    const emptied = (at: number) => which === "all" || (which === "end" ? at > row : at < row);
    this.lines = this.lines.map((line, at) => (emptied(at) ? [] : line));
    if (which !== "all") this.eraseLine(which);
  }

  save(): void {
    this.#saved = { ...this.cursor };
  }

  restore(): void {
    this.cursor.style = this.#saved.style;
    this.moveTo(this.#saved.row, this.#saved.column);
  }

  setRegion(top: number, bottom: number): void {
    if (top >= bottom || bottom >= this.rows) [this.#top, this.#bottom] = [0, this.rows - 1];
    else [this.#top, this.#bottom] = [top, bottom];
    this.moveTo(0, 0);
  }

  setWrapping(wraps: boolean): void {
    this.#wraps = wraps;
  }

  /** Full-screen programs have a screen of their own, and leave the first as it was. */
  showSecond(isSecond: boolean): void {
    if (isSecond === (this.#first !== undefined)) return;
    if (isSecond) {
      this.#first = { lines: this.lines, cursor: { ...this.cursor } };
      this.lines = Array.from({ length: this.rows }, () => []);
    } else if (this.#first !== undefined) {
      this.lines = this.#first.lines;
      this.cursor = this.#first.cursor;
      this.#first = undefined;
    }
    [this.#top, this.#bottom] = [0, this.rows - 1];
    this.moveTo(this.cursor.row, this.cursor.column);
  }

  setStyle(parameters: readonly number[]): void {
    this.cursor.style = styledBy(this.cursor.style, parameters);
  }

  reset(): void {
    this.showSecond(false);
    this.lines = Array.from({ length: this.rows }, () => []);
    this.cursor.style = plainStyle;
    this.#wraps = true;
    this.isCursorShown = true;
    this.hasApplicationKeys = false;
    this.isPasteMarked = false;
    this.setRegion(0, this.rows - 1);
  }

  #line(): ScreenRow {
    const line = this.lines[this.cursor.row] ?? [];
    this.lines[this.cursor.row] = line;
    return line;
  }

  /** A mark belongs to the character before it. */
  #mark(text: string): void {
    const line = this.#line();
    const at = this.#isFull ? this.cursor.column : this.cursor.column - 1;
    const cell = line[at];
    if (cell !== undefined && cell.text !== "" && [...cell.text].length <= marksMax)
      line[at] = { ...cell, text: cell.text + text };
  }
}

function fill(line: ScreenRow, to: number): void {
  while (line.length < to) line.push({ text: " ", style: plainStyle });
}

/** Rows leave at the top, and come back from what was scrolled away, so that the cursor stays with its text. */
function resized(
  lines: readonly ScreenRow[],
  rows: number,
  scrolled: ScreenRow[] | undefined,
  cursor: Cursor,
): ScreenRow[] {
  const kept = [...lines];
  while (kept.length > rows) {
    if (cursor.row < kept.length - 1) kept.pop();
    else {
      const gone = kept.shift();
      if (gone !== undefined) scrolled?.push(gone);
      cursor.row -= 1;
    }
  }
  while (kept.length < rows) {
    const back = scrolled?.pop();
    if (back === undefined) kept.push([]);
    else {
      kept.unshift(back);
      cursor.row += 1;
    }
  }
  return kept;
}

/** Columns that a character takes. */
function widthOf(text: string): 0 | 1 | 2 {
  const code = text.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(text)) return 0;
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return isWide ? 2 : 1;
}
