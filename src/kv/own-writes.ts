/** The values of this process's own writes, so that a watch which gets them back from another process passes on the very arrays. */

/** How many writes wait for the watch, and how many bytes of them; older ones are then read as if another process had written them. */
export const ownWritesMax = 1_024;
export const ownBytesMax = 16 * 1024 * 1024;

interface OwnWrite {
  readonly key: string;
  readonly value: Uint8Array;
}

/**
 * Equal bytes under the same key are the same state, so nothing else has to be known of a write:
 *
 *     add(a, "x")    the store is asked to write "x"
 *     take(a, "x")   -> that array, once        take(a, "y")   -> undefined: another process has written it
 */
export class OwnWrites {
  /** Writes are delivered in nearly the order in which they began, so a search ends near the front. */
  readonly #waiting: OwnWrite[] = [];
  #bytes = 0;

  add(key: string, value: Uint8Array): void {
    this.#waiting.push({ key, value });
    this.#bytes += value.byteLength;
    while (this.#waiting.length > ownWritesMax || this.#bytes > ownBytesMax) this.#drop(0);
  }

  /** It was not written, or need not be recognised. */
  forget(value: Uint8Array): void {
    const at = this.#waiting.findIndex((write) => write.value === value);
    if (at >= 0) this.#drop(at);
  }

  /** What was written under this key with the same content. */
  take(key: string, content: Uint8Array): Uint8Array | undefined {
    const at = this.#waiting.findIndex((write) => write.key === key && Buffer.compare(write.value, content) === 0);
    if (at < 0) return undefined;
    const { value } = this.#waiting[at]!;
    this.#drop(at);
    return value;
  }

  #drop(at: number): void {
    const [write] = this.#waiting.splice(at, 1);
    this.#bytes -= write!.value.byteLength;
  }
}
