/**
 * Prints a large value as YAML in steps, so that other work runs in between: the printer itself cannot be interrupted,
 * and takes several times as long as that of JSON.
 *
 * A value is split until its parts are small, and each is printed in its place:
 *
 *   { a: 1, b: { c: [x, y] } }   ->   "a: 1\n"   "b:\n"   "  c:\n"   "  - x\n  - y\n"
 */

import { sortSteps } from "../../base/sort-steps.ts";
import type { Steps } from "../../base/time-slice.ts";
import { nestingMax } from "../json/json-gate.ts";
import { jsonBytes } from "../json/json-size.ts";
import { isObject, setOwn } from "../json/json-value.ts";
import { compareKeys, encodeYaml, presentKeys, printYamlKey } from "./yaml-print.ts";

/** How much is printed in one step. */
const stepBytes = 16 * 1024;

/** Gives the text of `encodeYaml`, as bytes: a text that was put together of millions of others takes long to encode at once. */
export function* encodeYamlSteps(value: unknown, atOnceBytes = stepBytes): Steps<Buffer> {
  const printer = new Printer(atOnceBytes);
  const pieces: Buffer[] = [];
  for (const piece of printer.print(value, 0)) {
    if (piece !== undefined) pieces.push(Buffer.from(piece));
    yield;
  }
  return Buffer.concat(pieces);
}

class Printer {
  readonly #atOnceBytes: number;

  constructor(atOnceBytes: number) {
    this.#atOnceBytes = atOnceBytes;
  }

  /** Undefined: a step that prints nothing. */
  *print(value: unknown, indent: number): Iterable<string | undefined> {
    if (this.#isLarge(value)) yield* isObject(value) ? this.#members(value, indent) : this.#items(value, indent);
    else yield encodeYaml(value, indent);
  }

  /** Whether a value has parts that are to be printed by themselves. */
  #isLarge(value: unknown): value is Record<string, unknown> | unknown[] {
    return (isObject(value) || Array.isArray(value)) && this.#bytes(value) > this.#atOnceBytes && hasParts(value);
  }

  #bytes(value: unknown): number {
    return jsonBytes(value, this.#atOnceBytes, nestingMax);
  }

  *#members(value: Record<string, unknown>, indent: number): Iterable<string | undefined> {
    let small: Record<string, unknown> = {};
    let bytes = 0;
    yield; // determining that it is large has taken a while
    const keys = presentKeys(value);
    yield;
    for (const key of yield* sorted(keys)) {
      const member = value[key];
      const head = this.#isLarge(member) ? printYamlKey(key) : undefined;
      if (head === undefined) {
        setOwn(small, key, member);
        bytes += key.length + this.#bytes(member);
      }
      if (bytes > this.#atOnceBytes || (head !== undefined && bytes > 0)) {
        yield encodeYaml(small, indent);
        small = {};
        bytes = 0;
      }
      if (head === undefined) continue;
      yield `${" ".repeat(indent)}${head}\n`;
      // Lists have the same indent as their key.
      yield* this.print(member, Array.isArray(member) ? indent : indent + 2);
    }
    if (bytes > 0) yield encodeYaml(small, indent);
  }

  *#items(value: readonly unknown[], indent: number): Iterable<string | undefined> {
    let small: unknown[] = [];
    let bytes = 0;
    for (const item of value) {
      const isLarge = this.#isLarge(item);
      if (isLarge)
        yield; // determining that has taken a while
      else {
        small.push(item);
        bytes += 1 + this.#bytes(item);
      }
      if (bytes > this.#atOnceBytes || (isLarge && bytes > 0)) {
        yield encodeYaml(small, indent);
        small = [];
        bytes = 0;
      }
      if (!isLarge) continue;
      let dash = `${" ".repeat(indent)}- `;
      for (const piece of this.print(item, indent + 2)) {
        if (piece === undefined) yield;
        else yield dash + (dash === "" ? piece : piece.slice(dash.length));
        if (piece !== undefined) dash = "";
      }
    }
    if (bytes > 0) yield encodeYaml(small, indent);
  }
}

/** In the order in which they are printed. */
function* sorted(keys: string[]): Generator<undefined, string[]> {
  const steps = sortSteps(keys, compareKeys);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield;
  }
}

/** Empty lists and objects are printed as such. */
function hasParts(value: Record<string, unknown> | unknown[]): boolean {
  if (Array.isArray(value)) return value.length > 0;
  for (const key in value) if (value[key] !== undefined) return true;
  return false;
}
