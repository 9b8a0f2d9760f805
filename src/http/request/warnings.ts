/** The Warning header (RFC 7234): sentences that tell a client what to change although its request succeeded. */

/** The limit for all sentences of one answer. Above it each is cut and the rest are dropped, as in v1.21. */
export const warningBytesMax = 4_096;
const cutChars = 256;

/** The sentences of one answer, in order and without duplicates, as far as any of them can be sent. */
export class Warnings {
  readonly #sentences = new Set<string>();
  /** How much of the limit they take, each cut, and as they are. */
  #cutBytes = 0;
  #bytes = 0;

  /** An object can have tens of thousands of them, so that those for which there is no space are not kept. */
  add(sentence: string): void {
    if (this.isFull || this.#sentences.has(sentence) || !isPlain(sentence)) return;
    this.#sentences.add(sentence);
    this.#bytes += Buffer.byteLength(sentence);
    this.#cutBytes += Buffer.byteLength(cut(sentence));
  }

  /** Whether there is no space for another one. */
  get isFull(): boolean {
    return this.#cutBytes >= warningBytesMax && this.#bytes > warningBytesMax;
  }

  /** The values of the header. */
  header(): readonly string[] {
    return warningHeader([...this.#sentences]);
  }
}

export function warningHeader(sentences: readonly string[]): readonly string[] {
  const told = sentences.filter(isPlain);
  const bytes = told.reduce((sum, sentence) => sum + Buffer.byteLength(sentence), 0);
  if (bytes <= warningBytesMax) return told.map(format);
  const headers: string[] = [];
  let written = 0;
  for (const sentence of told) {
    if (written >= warningBytesMax) break;
    const short = cut(sentence);
    written += Buffer.byteLength(short);
    headers.push(format(short));
  }
  return headers;
}

/** Empty sentences, and those with a control character, which could end the header, are not sent. */
const isPlain = (sentence: string) => sentence !== "" && sentence.isWellFormed() && !/\p{Cc}/u.test(sentence);

const cut = (sentence: string) => (sentence.length <= cutChars ? sentence : [...sentence].slice(0, cutChars).join(""));

/** Header values are bytes: UTF-8 is sent unchanged. */
function format(sentence: string): string {
  const quoted = sentence.replace(/["\\]/g, (one) => `\\${one}`);
  return `299 - "${Buffer.from(quoted, "utf8").toString("latin1")}"`;
}
