/** Reads what a program writes to its terminal: characters, control characters and sequences that begin with Escape. */

import type { TerminalScreen } from "./terminal-screen.ts";

/** A sequence that is longer is none. */
export const sequenceCharactersMax = 4_096;

/** One for each terminal: what is written may end anywhere, also inside a sequence. */
export class TerminalReader {
  readonly #screen: TerminalScreen;
  #kept = "";

  constructor(screen: TerminalScreen) {
    this.#screen = screen;
  }

  write(text: string): void {
    const all = this.#kept + text;
    this.#kept = "";
    let at = 0;
    while (at < all.length) {
      const code = all.charCodeAt(at);
      if (code === 0x1b) {
        const length = sequenceLength(all, at);
        if (length === undefined) {
          if (all.length - at <= sequenceCharactersMax) this.#kept = all.slice(at);
          return;
        }
        this.#sequence(all.slice(at + 1, at + length));
        at += length;
      } else if (code < 0x20 || code === 0x7f) {
        this.#control(code);
        at += 1;
      } else {
        const character = String.fromCodePoint(all.codePointAt(at) ?? 0x20);
        at += character.length;
        // Control characters of the second set, and those that change the direction of what follows, are not shown.
        if (!/[\x80-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(character)) this.#screen.put(character);
      }
    }
  }

  #control(code: number): void {
    const screen = this.#screen;
    const { row, column } = screen.cursor;
    if (code === 0x08) screen.moveTo(row, column - 1);
    else if (code === 0x09) screen.moveTo(row, (Math.floor(column / 8) + 1) * 8);
    else if (code === 0x0a || code === 0x0b || code === 0x0c) screen.lineFeed();
    else if (code === 0x0d) screen.moveTo(row, 0);
  }

  #sequence(sequence: string): void {
    const screen = this.#screen;
    // Titles and other texts that are not for the screen have nothing here that they could change.
    if (sequence.startsWith("[")) command(screen, sequence.slice(1));
    else if (sequence === "7") screen.save();
    else if (sequence === "8") screen.restore();
    else if (sequence === "D") screen.lineFeed();
    else if (sequence === "M") screen.reverseLineFeed();
    else if (sequence === "c") screen.reset();
    else if (sequence === "E") {
      screen.moveTo(screen.cursor.row, 0);
      screen.lineFeed();
    }
  }
}

/** With the Escape; undefined: its end has not come yet. */
function sequenceLength(all: string, from: number): number | undefined {
  const kind = all[from + 1];
  if (kind === undefined) return undefined;
  if (kind === "[") {
    for (let at = from + 2; at < all.length; at++) {
      const code = all.charCodeAt(at);
      if (code >= 0x40 && code <= 0x7e) return at - from + 1;
      // What cannot stand in a sequence ends it.
      if (code < 0x20 || code > 0x7e) return at - from;
    }
    return undefined;
  }
  if ("]PX^_".includes(kind)) {
    const ends = ["\x07", "\x1b\\"].flatMap((end) => {
      const at = all.indexOf(end, from + 2);
      return at < 0 ? [] : [at + end.length - from];
    });
    return ends.length === 0 ? undefined : Math.min(...ends);
  }
  // Two characters choose a set of characters; all sets are Unicode here.
  if ("()*+-./ #%".includes(kind)) return all[from + 2] === undefined ? undefined : 3;
  return 2;
}

type Act = (screen: TerminalScreen, count: number, parameters: readonly number[]) => void;

const extents = ["end", "start", "all"] as const;

/** By the last character; `count` is the first parameter, at least 1. */
const acts: Readonly<Record<string, Act>> = {
  A: (screen, count) => screen.moveTo(screen.cursor.row - count, screen.cursor.column),
  B: (screen, count) => screen.moveTo(screen.cursor.row + count, screen.cursor.column),
  C: (screen, count) => screen.moveTo(screen.cursor.row, screen.cursor.column + count),
  D: (screen, count) => screen.moveTo(screen.cursor.row, screen.cursor.column - count),
  E: (screen, count) => screen.moveTo(screen.cursor.row + count, 0),
  F: (screen, count) => screen.moveTo(screen.cursor.row - count, 0),
  G: (screen, count) => screen.moveTo(screen.cursor.row, count - 1),
  H: (screen, count, [, column = 1]) => screen.moveTo(count - 1, Math.max(column, 1) - 1),
  f: (screen, count, [, column = 1]) => screen.moveTo(count - 1, Math.max(column, 1) - 1),
  d: (screen, count) => screen.moveTo(count - 1, screen.cursor.column),
  J: (screen, _count, [which = 0]) => {
    if (which === 3) screen.scrolled.length = 0;
    else screen.eraseScreen(extents[which] ?? "end");
  },
  K: (screen, _count, [which = 0]) => screen.eraseLine(extents[which] ?? "end"),
  X: (screen, count) => screen.eraseCells(screen.cursor.column, screen.cursor.column + count),
  L: (screen, count) => screen.insertLines(count),
  M: (screen, count) => screen.insertLines(-count),
  "@": (screen, count) => screen.insertCells(count),
  P: (screen, count) => screen.insertCells(-count),
  S: (screen, count) => screen.scrollUp(count),
  T: (screen, count) => screen.scrollDown(count),
  r: (screen, count, [, bottom = screen.rows]) => screen.setRegion(count - 1, bottom - 1),
  m: (screen, _count, parameters) => screen.setStyle(parameters),
  s: (screen) => screen.save(),
  u: (screen) => screen.restore(),
  n: (screen, count) => {
    if (count === 6) screen.answers.push(`\x1b[${screen.cursor.row + 1};${screen.cursor.column + 1}R`);
    else if (count === 5) screen.answers.push("\x1b[0n");
  },
  c: (screen) => void screen.answers.push("\x1b[?6c"),
};

/** `ESC [`, with a question mark: how the terminal behaves. */
const modes: Readonly<Record<number, (screen: TerminalScreen, isOn: boolean) => void>> = {
  1: (screen, isOn) => {
    screen.hasApplicationKeys = isOn;
  },
  7: (screen, isOn) => screen.setWrapping(isOn),
  25: (screen, isOn) => {
    screen.isCursorShown = isOn;
  },
  47: (screen, isOn) => screen.showSecond(isOn),
  1047: (screen, isOn) => screen.showSecond(isOn),
  1048: (screen, isOn) => (isOn ? screen.save() : screen.restore()),
  1049: (screen, isOn) => screen.showSecond(isOn),
  2004: (screen, isOn) => {
    screen.isPasteMarked = isOn;
  },
};

function command(screen: TerminalScreen, text: string): void {
  const [, sign = "", given = "", last = ""] = /^([?>=!]?)([\d;:]*)[ -/]*([@-~])$/.exec(text) ?? [];
  const parameters = given === "" ? [] : given.split(/[;:]/).map(Number);
  if (sign === "?" && (last === "h" || last === "l")) {
    for (const mode of parameters) modes[mode]?.(screen, last === "h");
  } else if (sign === "" && Object.hasOwn(acts, last))
    acts[last]?.(screen, Math.max(parameters[0] ?? 1, 1), parameters);
}
