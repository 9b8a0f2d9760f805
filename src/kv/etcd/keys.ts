/** Where our keys lie among etcd's: all below one prefix, beside a range for the store's own internal keys. */

/**
 * With the prefix "/registry":
 *
 *     /registry/              the progress key: written to make every watch move, never shown (our own keys are not empty)
 *     /registry/pods/…        the key "pods/…"
 *     /registry0              the first key behind ours
 *     /registry.writes/…      outcome slots, outside of what is watched
 *     /registry.writes/read/… reservations of revisions that are being read, and of the history
 *     /registry.history       the notes of the newest commit that had any; its versions are the notes of all
 */
export class EtcdKeys {
  readonly #text: string;
  readonly #bytes: Buffer;
  readonly progress: Buffer;
  readonly end: Buffer;
  readonly slots: string;
  readonly reservations: string;
  readonly history: Buffer;

  constructor(prefix: string) {
    const bare = prefix.replace(/\/+$/, "");
    this.#text = `${bare}/`;
    this.#bytes = Buffer.from(this.#text);
    this.progress = this.#bytes;
    this.end = behindPrefix(this.#bytes);
    this.slots = `${bare}.writes/`;
    this.reservations = `${bare}.writes/read/`;
    this.history = Buffer.from(`${bare}.history`);
  }

  encode(key: string): Buffer {
    return Buffer.from(this.#text + key);
  }

  decode(bytes: Buffer): string {
    return bytes.toString("utf8", this.#bytes.length);
  }

  /** The bounds of the keys under a prefix, from `start` on. */
  range(prefix: string, start: string | undefined): { key: Buffer; rangeEnd: Buffer } {
    // The progress key is the empty key; starting one byte later excludes it.
    const first = prefix === "" ? Buffer.concat([this.#bytes, Buffer.of(0)]) : this.encode(prefix);
    const from = start === undefined ? first : this.encode(start);
    return { key: Buffer.compare(from, first) < 0 ? first : from, rangeEnd: behindPrefix(this.encode(prefix)) };
  }
}

/** The first key that is greater than all keys with this prefix. UTF-8 has no 0xff, so the last byte can be raised. */
function behindPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  end[end.length - 1]! += 1;
  return end;
}
