/** Other representations of an object (another version, protobuf, a table row) and how much memory they may take in total. */

/** How many bytes of cached representations one registry keeps. */
export const formsBytesMax = 32 * 1024 * 1024;
/** The assumed size of a representation whose size is not known: an object, or a plain value. */
const objectBytes = 1_024;
const plainBytes = 64;

type Representations = Map<string, unknown>;

/** Drops the oldest representations when there are too many; they are made again on demand. */
export class RepresentationCache {
  readonly #bytesMax: number;
  #queue: { readonly representations: WeakRef<Representations>; readonly bytes: number }[] = [];
  #head = 0;
  #bytes = 0;

  constructor(bytesMax = formsBytesMax) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Called after `value` was added to `representations`. */
  remember(representations: Representations, value: unknown): void {
    const bytes = bytesOf(value);
    this.#queue.push({ representations: new WeakRef(representations), bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#queue[this.#head]!;
    this.#head += 1;
    this.#bytes -= oldest.bytes;
    oldest.representations.deref()?.clear();
    if (this.#head > 1_000 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** Bytes, and objects that are large, say it themselves. */
function bytesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return plainBytes;
  return "byteLength" in value && typeof value.byteLength === "number" ? value.byteLength : objectBytes;
}
