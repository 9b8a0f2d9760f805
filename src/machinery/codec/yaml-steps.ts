/**
 * Prints a large value as YAML in steps, so that others have their turn in between: the printer itself cannot be interrupted,
 * and takes several times as long as that of JSON.
 *
 * A value is taken apart until its parts are small, and what is printed of them is indented to its place:
 *
 *   { a: 1, b: { c: [x, y] } }   ->   "a: 1\n"   "b:\n"   "  c:\n"   "  - x\n  - y\n"
 */

import type { Steps } from "../../base/turns.ts";
import { jsonBytes } from "../patch/json-size.ts";
import { isObject, setOwn } from "../schema/json-value.ts";
import { nestingMax } from "./json-gate.ts";
import { encodeYaml } from "./yaml.ts";

/** What is printed in one step. */
const stepBytes = 16 * 1024;

/** The same text as `encodeYaml` gives. */
export function* encodeYamlSteps(value: unknown, atOnceBytes = stepBytes): Steps<string> {
  const printer = new Printer(atOnceBytes);
  let text = "";
  for (const piece of printer.print(value, 0)) {
    text += piece;
    yield;
  }
  return printer.endsOpen ? text + documentEnd : text;
}

/** Printed behind a text that ends with empty lines, where nothing else follows. */
const documentEnd = "...\n";

class Printer {
  readonly #atOnceBytes: number;
  /** Whether what was printed last needs the end of the document behind it. */
  endsOpen = false;

  constructor(atOnceBytes: number) {
    this.#atOnceBytes = atOnceBytes;
  }

  *print(value: unknown, indent: number): Iterable<string> {
    if (this.#isLarge(value)) yield* isObject(value) ? this.#members(value, indent) : this.#items(value, indent);
    else yield this.#atOnce(value, indent);
  }

  #atOnce(value: unknown, indent: number): string {
    const text = encodeYaml(value);
    this.endsOpen = text.endsWith(`\n${documentEnd}`);
    return indented(this.endsOpen ? text.slice(0, -documentEnd.length) : text, indent);
  }

  /** Whether a value has parts that are to be printed by themselves. */
  #isLarge(value: unknown): value is Record<string, unknown> | unknown[] {
    return (isObject(value) || Array.isArray(value)) && hasParts(value) && this.#bytes(value) > this.#atOnceBytes;
  }

  #bytes(value: unknown): number {
    return jsonBytes(value, this.#atOnceBytes, nestingMax);
  }

  *#members(value: Record<string, unknown>, indent: number): Iterable<string> {
    let small: Record<string, unknown> = {};
    let bytes = 0;
    for (const key of Object.keys(value).sort()) {
      const member = value[key];
      if (member === undefined) continue;
      const head = this.#isLarge(member) ? headOf(key) : undefined;
      if (head === undefined) {
        setOwn(small, key, member);
        bytes += key.length + this.#bytes(member);
      }
      if (bytes > this.#atOnceBytes || (head !== undefined && bytes > 0)) {
        yield this.#atOnce(small, indent);
        small = {};
        bytes = 0;
      }
      if (head === undefined) continue;
      yield `${" ".repeat(indent)}${head}\n`;
      // Lists stand as far in as what they belong to.
      yield* this.print(member, Array.isArray(member) ? indent : indent + 2);
    }
    if (bytes > 0) yield this.#atOnce(small, indent);
  }

  *#items(value: readonly unknown[], indent: number): Iterable<string> {
    let small: unknown[] = [];
    let bytes = 0;
    for (const item of value) {
      const isLarge = this.#isLarge(item);
      if (!isLarge) {
        small.push(item);
        bytes += 1 + this.#bytes(item);
      }
      if (bytes > this.#atOnceBytes || (isLarge && bytes > 0)) {
        yield this.#atOnce(small, indent);
        small = [];
        bytes = 0;
      }
      if (!isLarge) continue;
      let dash = `${" ".repeat(indent)}- `;
      for (const piece of this.print(item, indent + 2)) {
        yield dash + (dash === "" ? piece : piece.slice(dash.length));
        dash = "";
      }
    }
    if (bytes > 0) yield this.#atOnce(small, indent);
  }
}

/** What is empty is printed as such. */
function hasParts(value: Record<string, unknown> | unknown[]): boolean {
  if (Array.isArray(value)) return value.length > 0;
  for (const key in value) if (value[key] !== undefined) return true;
  return false;
}

/** The key and its colon; undefined: the key has a form of its own, over several lines. */
function headOf(key: string): string | undefined {
  const text = encodeYaml({ [key]: null });
  const end = ": null\n";
  return text.endsWith(end) && text.indexOf("\n") === text.length - 1 && !text.startsWith("? ")
    ? text.slice(0, -end.length + 1)
    : undefined;
}

/** Empty lines, which only texts of several lines have, stay empty. */
function indented(text: string, indent: number): string {
  return indent === 0 ? text : text.replace(/^(?=.)/gm, " ".repeat(indent));
}
