/** What clients of a server were acknowledged, and whether a store still has it after the server was killed. */

/** Absent: the object does not exist. */
type Content = string | undefined;

interface Expected {
  acknowledged: Content;
  /** Attempts after that, whose outcome nobody knows. */
  readonly tried: Content[];
}

export class KeptWrites {
  readonly #objects = new Map<string, Expected>();
  acknowledged = 0;

  get(key: string): Content {
    return this.#objects.get(key)?.acknowledged;
  }

  /** Before a request is sent; the returned function is called when it was acknowledged. */
  attempt(key: string, content: Content): () => void {
    const expected = this.#objects.get(key) ?? { acknowledged: undefined, tried: [] };
    this.#objects.set(key, expected);
    expected.tried.push(content);
    return () => {
      this.acknowledged += 1;
      this.#objects.set(key, { acknowledged: content, tried: [] });
    };
  }

  /** Throws at a lost, damaged or unknown object; what was found is what counts from now on. */
  verify(found: ReadonlyMap<string, string>): void {
    for (const [key, { acknowledged, tried }] of this.#objects) {
      const content = found.get(key);
      if (content === acknowledged || tried.includes(content)) continue;
      throw new Error(`${key} holds ${content}; ${acknowledged} was acknowledged, and ${tried.join(", ")} tried after`);
    }
    for (const key of found.keys()) if (!this.#objects.has(key)) throw new Error(`${key} came from nowhere`);
    this.#objects.clear();
    for (const [key, content] of found) this.#objects.set(key, { acknowledged: content, tried: [] });
  }
}
