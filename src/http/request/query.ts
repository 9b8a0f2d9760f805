/** The query of a request target, parsed once by our own rules, so that no other code parses it differently. */

/**
 * Pairs are split at "&"; ";" is an ordinary character. A pair with an invalid escape is dropped (the reference does
 * so) and recorded in `malformed`, for handlers that must not act on part of a query.
 */
export class Query {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  readonly malformed: boolean;

  constructor(text: string) {
    let malformed = false;
    for (let start = 0; start < text.length; ) {
      let end = text.indexOf("&", start);
      if (end < 0) end = text.length;
      if (end > start) {
        const equals = text.indexOf("=", start);
        const split = equals < 0 || equals > end ? end : equals;
        const name = decodePart(text.slice(start, split));
        const value = decodePart(text.slice(Math.min(split + 1, end), end));
        if (name === undefined || value === undefined) malformed = true;
        else {
          this.#names.push(name);
          this.#values.push(value);
        }
      }
      start = end + 1;
    }
    this.malformed = malformed;
  }

  /** The first value; "" for a name without a value; undefined: absent. */
  get(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    return index < 0 ? undefined : this.#values[index];
  }

  getAll(name: string): string[] {
    return this.#values.filter((_, index) => this.#names[index] === name);
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  get empty(): boolean {
    return this.#names.length === 0;
  }
}

export const emptyQuery = new Query("");

function decodePart(text: string): string | undefined {
  if (!text.includes("%")) return text.includes("+") ? text.replaceAll("+", " ") : text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** Reads a boolean as v1.21 does: "false" and "0" are false, any other value is true. */
export function queryFlag(value: string | undefined): boolean {
  return value !== undefined && value !== "0" && value.toLowerCase() !== "false";
}
