/**
 * The lines of a YAML text, each with the field that it belongs to. Texts that somebody is still typing are read as well: nothing is an
 * error here, and the server has the last word.
 *
 *   spec:                 field  spec
 *     containers:         field  spec.containers
 *     - image: web        field  spec.containers.0.image
 *       args: [a,         field  spec.containers.0.args
 *         b]              more   spec.containers.0.args
 *       com               typed  spec.containers.0
 */

import type { FieldPath, Step } from "../server/json.ts";

export interface YamlLine {
  readonly text: string;
  /**
   * "field": a key, perhaps behind the dashes of items; "item": a dash without a key; "more": the value of an earlier line goes on;
   * "typed": a text that is not a key yet; "none": empty, a comment, or the end of a document.
   */
  readonly role: "field" | "item" | "more" | "typed" | "none";
  /** Of "typed": the object that it would be a field of. */
  readonly path: FieldPath;
  /** Where the key, or what stands for it, begins. */
  readonly column: number;
  /** What follows the colon, or the dash of an item. */
  readonly value: string;
}

interface Frame {
  readonly column: number;
  readonly path: FieldPath;
  readonly isList: boolean;
  /** The last key of an object, the position of the last item of a list. */
  last: Step;
}

export function yamlLines(text: string): YamlLine[] {
  const reader = new LineReader();
  return text.split("\n").map((line) => reader.read(line));
}

class LineReader {
  #frames: Frame[] = [];
  /** The value that following lines may continue: those that begin after this column. */
  #open: { readonly column: number; readonly path: FieldPath; readonly isBlock: boolean } | undefined;

  read(text: string): YamlLine {
    const start = text.search(/\S/);
    const none: YamlLine = { text, role: "none", path: [], column: Math.max(start, 0), value: "" };
    if (this.#open !== undefined) {
      const { column, path, isBlock } = this.#open;
      if ((start < 0 && isBlock) || start > column) return { ...none, role: "more", path };
      if (start >= 0) this.#open = undefined;
    }
    if (/^(---|\.\.\.)(\s|$)/.test(text)) {
      this.#frames = [];
      return none;
    }
    if (start < 0 || text[start] === "#") return none;
    return this.#content(text, start);
  }

  #content(text: string, start: number): YamlLine {
    let column = start;
    let isItem = false;
    for (; /^-(\s|$)/.test(text.slice(column)); column += 1 + text.slice(column + 1).search(/\S|$/)) {
      this.#item(column);
      isItem = true;
    }
    const rest = text.slice(column).trimEnd();
    const key = readKey(rest);
    if (key !== undefined) {
      const path = this.#field(column, key.name);
      this.#opens(key.value, column, path);
      return { text, role: "field", path, column, value: key.value };
    }
    if (isItem) {
      const path = this.#path();
      this.#opens(rest, start, path);
      return { text, role: "item", path, column, value: rest };
    }
    this.#leave(column);
    const path = this.#frames.at(-1)?.column === column ? (this.#frames.at(-1)?.path ?? []) : this.#path();
    return { text, role: "typed", path, column, value: rest };
  }

  /** A value may go on in the lines below, if they begin further to the right. */
  #opens(value: string, column: number, path: FieldPath): void {
    const shown = value.replace(/(^|\s)#.*$/, "").replace(/^(?:[&!]\S*\s*)+/, "");
    if (shown !== "") this.#open = { column, path, isBlock: /^[|>]/.test(shown) };
  }

  /** Where the last key or item leads. */
  #path(): FieldPath {
    const frame = this.#frames.at(-1);
    return frame === undefined ? [] : [...frame.path, frame.last];
  }

  #item(column: number): void {
    while ((this.#frames.at(-1)?.column ?? -1) > column) this.#frames.pop();
    const frame = this.#frames.at(-1);
    if (frame?.isList && frame.column === column) frame.last = Number(frame.last) + 1;
    else this.#frames.push({ column, path: this.#path(), isList: true, last: 0 });
  }

  #field(column: number, name: string): FieldPath {
    this.#leave(column);
    const frame = this.#frames.at(-1);
    if (frame !== undefined && !frame.isList && frame.column === column) frame.last = name;
    else this.#frames.push({ column, path: this.#path(), isList: false, last: name });
    return this.#path();
  }

  /** Ends what a key at this column is not inside of. The items of a list may begin below its key. */
  #leave(column: number): void {
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.column < column || (frame.column === column && !frame.isList)) return;
      this.#frames.pop();
    }
  }
}

/** Undefined: it is not a key with its colon. */
function readKey(text: string): { readonly name: string; readonly value: string } | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*:(?:\s+(.*))?$/.exec(text);
  const [, key = "", value = ""] = quoted ?? /^([^\s"'#[\]{},&*!|>%@`].*?):(?:\s+(.*))?$/.exec(text) ?? [];
  return key === "" ? undefined : { name: plainText(key.replace(/^\? /, "")), value };
}

/** What a scalar of one line says, without its quotes. */
export function plainText(scalar: string): string {
  if (scalar.startsWith("'")) return scalar.slice(1, -1).replaceAll("''", "'");
  if (!scalar.startsWith('"')) return scalar;
  try {
    return String(JSON.parse(scalar));
  } catch {
    return scalar.slice(1, -1);
  }
}
