/** Problems of a value as they are found. Messages are made at the end: of the alternatives of a choice only one is reported. */

import { type FieldError, invalid, notSupported, required } from "../status/field-error.ts";

export class Findings {
  readonly #found: (() => FieldError)[] = [];

  get count(): number {
    return this.#found.length;
  }

  /** In the order in which they were found. */
  get errors(): FieldError[] {
    return this.#found.map((tell) => tell());
  }

  invalid(path: string, value: unknown, detail: string): void {
    this.#found.push(() => invalid(path, value, detail));
  }

  required(path: string): void {
    this.#found.push(() => required(path));
  }

  notSupported(path: string, value: unknown, allowed: readonly unknown[]): void {
    this.#found.push(() => notSupported(path, value, allowed.map(shown)));
  }

  /** Appends all findings of `more`. */
  take(more: Findings): void {
    for (const tell of more.#found) this.#found.push(tell);
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
