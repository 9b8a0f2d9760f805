/**
 * A JSON parser that keeps what JSON.parse loses: integers beyond 2^53 (as bigint), the form in which numbers were
 * written, and the event loop: it works in slices. It is several times slower, so it is used only for texts that need it.
 */

import { badRequest } from "../status/status.ts";
import { setOwn } from "./json-value.ts";

/** Clients match on its beginning. */
const notJson = "couldn't get version/kind; json parse error: the body is not JSON";

export interface ExactOptions {
  /**
   * Whether 3.0 and 3e0 are distinguished from 3: they become a boxed Number, which no integer field accepts. Values of fields
   * without a type must be unboxed, as `copyJson` does.
   */
  readonly keepNumberForm: boolean;
}

type Container = unknown[] | Record<string, unknown>;

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

/** Parses a text of checked size and depth. `step` works through about `budget` values and says whether it is done. */
export class ExactParser {
  readonly #text: string;
  readonly #keepNumberForm: boolean;
  readonly #stack: Container[] = [];
  /** The keys under which the containers on the stack, and the value to come, belong to their parents. */
  readonly #keys: string[] = [];
  #at = 0;
  #result: unknown;
  #done = false;

  constructor(text: string, { keepNumberForm }: ExactOptions) {
    this.#text = text;
    this.#keepNumberForm = keepNumberForm;
  }

  get result(): unknown {
    return this.#result;
  }

  step(budget: number): boolean {
    for (let left = budget; left > 0 && !this.#done; left--) this.#value();
    return this.#done;
  }

  /** One scalar, or the opening of one container; then everything that closes. */
  #value(): void {
    const next = this.#peek();
    if (next === "{" || next === "[") this.#open(next);
    else this.#put(this.#scalar(next));
  }

  #scalar(next: string | undefined): unknown {
    if (next === '"') return this.#string();
    if (next === "t") return this.#word("true", true);
    if (next === "f") return this.#word("false", false);
    return next === "n" ? this.#word("null", null) : this.#number();
  }

  #open(opening: "{" | "["): void {
    this.#at++;
    const container = opening === "{" ? {} : [];
    if (this.#peek() === (opening === "{" ? "}" : "]")) {
      this.#at++;
      this.#put(container);
      return;
    }
    this.#stack.push(container);
    if (opening === "{") this.#key();
  }

  /** Puts a finished value into its container, and closes the containers that end here. */
  #put(value: unknown): void {
    let finished = value;
    for (;;) {
      const parent = this.#stack.at(-1);
      if (parent === undefined) break;
      const isList = Array.isArray(parent);
      if (isList) parent.push(finished);
      else setOwn(parent, this.#keys.pop() as string, finished); // a key was read before every member
      const next = this.#peek();
      this.#at++;
      if (next === ",") {
        if (!isList) this.#key();
        return;
      }
      if (next !== (isList ? "]" : "}")) this.#fail(this.#at - 1);
      this.#stack.pop();
      finished = parent;
    }
    if (this.#peek() !== undefined) this.#fail(this.#at);
    this.#result = finished;
    this.#done = true;
  }

  #key(): void {
    if (this.#peek() !== '"') this.#fail(this.#at);
    this.#keys.push(this.#string());
    if (this.#peek() !== ":") this.#fail(this.#at);
    this.#at++;
  }

  /** The next character that is not space. */
  #peek(): string | undefined {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return this.#text[this.#at];
      this.#at++;
    }
  }

  #string(): string {
    const start = this.#at;
    let plain = true;
    for (let at = start + 1; ; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        return plain ? this.#text.slice(start + 1, at) : this.#unescape(start, at + 1);
      }
      if (code === 0x5c) {
        plain = false;
        at++;
      } else if (!(code >= 0x20)) {
        this.#fail(at); // a control character, or the end
      }
    }
  }

  #unescape(start: number, end: number): string {
    try {
      // Half a surrogate pair has no UTF-8; it becomes the replacement character as it does in v1.21.
      return (JSON.parse(this.#text.slice(start, end)) as string).replace(/\p{Surrogate}/gu, "\ufffd");
    } catch {
      return this.#fail(start);
    }
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail(this.#at);
    this.#at += word.length;
    return value;
  }

  #number(): unknown {
    number.lastIndex = this.#at;
    const match = number.exec(this.#text);
    if (match === null) return this.#fail(this.#at);
    const digits = match[0];
    this.#at += digits.length;
    const value = Number(digits);
    if (!Number.isFinite(value)) return this.#fail(this.#at);
    if (match[1] !== undefined || match[2] !== undefined) {
      return this.#keepNumberForm && Number.isInteger(value) ? Object(value) : value;
    }
    if (Number.isSafeInteger(value) || digits.length > 20) return value;
    const exact = BigInt(digits);
    return exact <= int64Max && exact >= int64Min ? exact : value;
  }

  #fail(at: number): never {
    if (at >= this.#text.length) throw badRequest(`${notJson}: it ends too early`);
    throw badRequest(`${notJson}: unexpected character at position ${at}`);
  }
}
