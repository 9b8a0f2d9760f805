/** Problems of a value as they are found. Messages are made at the end: of the alternatives of a choice only one is reported. */

import {
  type FieldError,
  type FieldReason,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../status/field-error.ts";

interface Finding {
  /** The sentence of the reference. */
  readonly sentence: string;
  readonly tell: () => FieldError;
}

export class Findings {
  readonly #found: Finding[] = [];
  readonly #hasReasons: boolean;
  readonly #needsListed: boolean;
  #isUnsafe = false;

  /**
   * `hasReasons`: reasons tell a wrong type and a value that is too large from other problems, as they do since 1.25. `needsListed`: a value
   * that is not listed is unsafe.
   */
  constructor(hasReasons = false, needsListed = true) {
    this.#hasReasons = hasReasons;
    this.#needsListed = needsListed;
  }

  /** Whether a value does not have the type or the bounds of its schema. */
  get isUnsafe(): boolean {
    return this.#isUnsafe;
  }

  /** A problem because of which nothing can be assumed about the value. */
  unsafe(reason: FieldReason, path: string, value: unknown, detail: string): void {
    this.#isUnsafe = true;
    const told = this.#hasReasons ? reason : "FieldValueInvalid";
    this.#add(detail, () => ({ ...invalid(path, value, detail), reason: told }));
  }

  get count(): number {
    return this.#found.length;
  }

  /** In the order in which they were found, each sentence once: a field may be required by an object and by its alternatives. */
  get errors(): FieldError[] {
    const first = new Map<string, Finding>();
    for (const found of this.#found) if (!first.has(found.sentence)) first.set(found.sentence, found);
    return [...first.values()].map(({ tell }) => tell());
  }

  #add(sentence: string, tell: () => FieldError): void {
    this.#found.push({ sentence, tell });
  }

  invalid(path: string, value: unknown, detail: string): void {
    this.#add(`${path}: ${detail}`, () => invalid(path, value, detail));
  }

  /** Clients match on the sentences of v1.21, which say "in body". */
  inBody(path: string, value: unknown, problem: string): void {
    this.invalid(path, value, `${path} in body should ${problem}`);
  }

  /** The value is not shown: its type says enough. */
  mistyped(path: string, value: unknown, type: string): void {
    const given = typeOf(value);
    this.unsafe("FieldValueTypeInvalid", path, given, `${path} in body must be of type ${type}: "${given}"`);
  }

  /** A text that does not have its format. */
  misformatted(path: string, text: string, format: string): void {
    this.unsafe("FieldValueTypeInvalid", path, text, `${path} in body must be of type ${format}: "${text}"`);
  }

  /** A text of more than `max` characters. */
  tooLong(path: string, text: string, max: number): void {
    this.#tooLarge(path, text, `be at most ${max} chars long`, () => ({
      ...tooLong(path, text, max),
      message: `Too long: may not be more than ${max} bytes`,
    }));
  }

  /** A list or an object of more than `max` items or properties. */
  tooMany(path: string, count: number, max: number, of: "items" | "properties"): void {
    this.#tooLarge(path, count, `have at most ${max} ${of}`, () => ({
      ...tooMany(path, count, max),
      message: `Too many: ${count}: must have at most ${max} item${max === 1 ? "" : "s"}`,
    }));
  }

  #tooLarge(path: string, value: unknown, before: string, tell: () => FieldError): void {
    this.#isUnsafe = true;
    if (this.#hasReasons) this.#add(`${path} in body should ${before}`, tell);
    else this.inBody(path, value, before);
  }

  required(path: string): void {
    this.#isUnsafe = true;
    const sentence = `${path} in body is required`;
    this.#add(sentence, () => required(path, sentence));
  }

  notSupported(path: string, value: unknown, allowed: readonly unknown[]): void {
    this.#isUnsafe ||= this.#needsListed;
    const choices = `${path} in body should be one of [${allowed.map(shown).join(" ")}]`;
    this.#add(choices, () => {
      const error = notSupported(path, value, allowed.map(shown));
      return { ...error, message: `${error.message} (${choices})` };
    });
  }

  /** Appends all findings of `more`. */
  take(more: Findings): void {
    this.#isUnsafe ||= more.#isUnsafe;
    for (const found of more.#found) this.#found.push(found);
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The type of a value as a schema names it. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || value instanceof Number) return "number";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}
