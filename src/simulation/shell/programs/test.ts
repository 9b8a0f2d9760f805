/** `test` and `[`: compares texts and numbers, and looks at files. */

import { posix } from "node:path";
import type { ProgramCall, ShellProgram } from "../host.ts";
import { complains } from "./answers.ts";

/** `test EXPRESSION` and `[ EXPRESSION ]`. */
export const test: ShellProgram = {
  name: "test",
  *run(call) {
    const isBracket = call.name.endsWith("[");
    if (isBracket && call.args.at(-1) !== "]") return yield* complains(call, "missing ]", 2);
    const words = isBracket ? call.args.slice(0, -1) : call.args;
    try {
      return new Expression(call, words).value() ? 0 : 1;
    } catch (error) {
      if (error instanceof TestError) return yield* complains(call, error.message, 2);
      throw error;
    }
  },
};

export const bracket: ShellProgram = { ...test, name: "[" };

class TestError extends Error {}

const binary: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  "=": (a, b) => a === b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "-eq": (a, b) => number(a) === number(b),
  "-ne": (a, b) => number(a) !== number(b),
  "-lt": (a, b) => number(a) < number(b),
  "-le": (a, b) => number(a) <= number(b),
  "-gt": (a, b) => number(a) > number(b),
  "-ge": (a, b) => number(a) >= number(b),
};

function number(text: string): number {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new TestError(`${text.slice(0, 100)}: bad number`);
  return Number(text);
}

/** With the old rules: `!`, `-a`, `-o` and parentheses. */
class Expression {
  readonly #call: ProgramCall;
  #left: readonly string[];

  constructor(call: ProgramCall, words: readonly string[]) {
    this.#call = call;
    this.#left = words;
  }

  value(): boolean {
    if (this.#left.length === 0) return false;
    const result = this.#or();
    if (this.#left.length > 0) throw new TestError(`${this.#left[0]}: unknown operand`);
    return result;
  }

  #or(): boolean {
    let result = this.#and();
    while (this.#takes("-o")) result = this.#and() || result;
    return result;
  }

  #and(): boolean {
    let result = this.#not();
    while (this.#takes("-a")) result = this.#not() && result;
    return result;
  }

  #not(): boolean {
    let isNegated = false;
    while (this.#left.length > 1 && !Object.hasOwn(binary, this.#left[1] ?? "") && this.#takes("!"))
      isNegated = !isNegated;
    return this.#primary() !== isNegated;
  }

  #primary(): boolean {
    const [first = "", second, third] = this.#left;
    if (second !== undefined && third !== undefined && Object.hasOwn(binary, second)) {
      this.#left = this.#left.slice(3);
      return binary[second]!(first, third);
    }
    if (first === "(" && this.#left.length > 2) {
      this.#left = this.#left.slice(1);
      const result = this.#or();
      if (!this.#takes(")")) throw new TestError("closing paren expected");
      return result;
    }
    if (/^-[a-zA-Z]$/.test(first) && second !== undefined) {
      this.#left = this.#left.slice(2);
      return this.#unary(first, second);
    }
    this.#left = this.#left.slice(1);
    return first !== "";
  }

  #unary(operator: string, text: string): boolean {
    if (operator === "-z") return text === "";
    if (operator === "-n") return text !== "";
    const { host, folder } = this.#call;
    const path = posix.resolve(folder, text);
    const kind = path === "/dev/null" ? "device" : host.files.kind(path);
    switch (operator) {
      case "-e":
      case "-r":
      case "-w":
      case "-x":
        return kind !== undefined;
      case "-f":
        return kind === "file";
      case "-d":
        return kind === "folder";
      case "-s":
        return kind === "folder" || (kind === "file" && host.files.sizeOf(path) > 0);
      case "-h":
      case "-L":
      case "-p":
      case "-S":
      case "-b":
      case "-t":
        return false;
      case "-c":
        return kind === "device";
      default:
        throw new TestError(`${operator}: unknown operand`);
    }
  }

  #takes(word: string): boolean {
    if (this.#left[0] !== word) return false;
    this.#left = this.#left.slice(1);
    return true;
  }
}
