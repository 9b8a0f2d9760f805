/** The headers of one request: names in lower case, repeated ones separate, found by a short scan. */

/** What the name of a header consists of. */
export const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const none: readonly string[] = [];

export class HeaderTable {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  /** `raw` is name, value, name, value as Node and HTTP/2 provide them; pseudo headers (":path") are skipped. */
  constructor(raw: readonly string[]) {
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i]!;
      if (name.charCodeAt(0) === 0x3a) continue;
      this.#names.push(name.toLowerCase());
      this.#values.push(raw[i + 1]!);
    }
  }

  /** The first value of the name. */
  get(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    return index < 0 ? undefined : this.#values[index];
  }

  getAll(name: string): readonly string[] {
    const first = this.#names.indexOf(name);
    if (first < 0) return none;
    const found = [this.#values[first]!];
    for (let i = first + 1; i < this.#names.length; i++) if (this.#names[i] === name) found.push(this.#values[i]!);
    return found;
  }

  names(): readonly string[] {
    return this.#names;
  }
}
