/** The notes of a block: most say the same as others, but for the id of their request. */

import { type BytesReader, BytesWriter } from "./segment-bytes.ts";

/** An id as text: 8-4-4-4-12 digits. */
const idChars = 36;
const idBytes = 16;
const dashes = [8, 13, 18, 23] as const;
const dash = 0x2d;

/** What some notes say, without an id. */
interface Saying {
  readonly text: Uint8Array;
  /** Where the id stands in it; undefined: there is none. */
  readonly idAt: number | undefined;
}

/** Which of the texts a note has, and its id: that is random, and nothing makes it smaller than its sixteen bytes. */
export class NotesWriter {
  readonly #known = new Map<string, number>();
  readonly #texts = new BytesWriter();
  readonly #places = new BytesWriter();
  readonly #ids = new BytesWriter();

  add(note: Uint8Array): void {
    const bytes = Buffer.from(note.buffer, note.byteOffset, note.length);
    const idAt = findId(bytes);
    const text = idAt === undefined ? bytes : Buffer.concat([bytes.subarray(0, idAt), bytes.subarray(idAt + idChars)]);
    const name = `${idAt}/${text.toString("latin1")}`;
    const place = this.#known.get(name) ?? this.#known.size;
    if (place === this.#known.size) {
      this.#known.set(name, place);
      this.#texts.number(idAt === undefined ? 0 : idAt + 1);
      this.#texts.number(text.length);
      this.#texts.bytes(text);
    }
    this.#places.number(place);
    if (idAt !== undefined) this.#ids.bytes(packId(bytes, idAt));
  }

  /** Of which the last does not compress. */
  take(): { readonly texts: Buffer; readonly places: Buffer; readonly ids: Buffer } {
    return { texts: this.#texts.take(), places: this.#places.take(), ids: this.#ids.take() };
  }
}

/** Reads the notes in the order in which they were written. */
export class NotesReader {
  readonly #places: BytesReader;
  readonly #ids: BytesReader;
  readonly #sayings: Saying[] = [];

  constructor({ texts, places, ids }: { texts: BytesReader; places: BytesReader; ids: BytesReader }) {
    while (texts.hasMore) {
      const idAt = texts.number();
      this.#sayings.push({ idAt: idAt === 0 ? undefined : idAt - 1, text: texts.bytes(texts.number()) });
    }
    this.#places = places;
    this.#ids = ids;
  }

  /** What makes the next note, when somebody asks for it. */
  next(): () => Uint8Array {
    const saying = this.#sayings[this.#places.number()];
    if (saying === undefined) return () => new Uint8Array();
    const { text, idAt } = saying;
    if (idAt === undefined) return () => text;
    const id = this.#ids.bytes(idBytes);
    return () => Buffer.concat([text.subarray(0, idAt), unpackId(id), text.subarray(idAt)]);
  }
}

/** Where the first id begins. */
function findId(bytes: Buffer): number | undefined {
  for (let from = dashes[0]; ; ) {
    const found = bytes.indexOf(dash, from);
    if (found < 0) return undefined;
    const at = found - dashes[0];
    if (at + idChars <= bytes.length && isId(bytes, at)) return at;
    from = found + 1;
  }
}

function isId(bytes: Buffer, at: number): boolean {
  for (let index = 0; index < idChars; index += 1) {
    const byte = bytes[at + index]!;
    const isDash = index === dashes[0] || index === dashes[1] || index === dashes[2] || index === dashes[3];
    // Digits and a to f: an id with other letters would come back as another one.
    if (isDash ? byte !== dash : !((byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66))) return false;
  }
  return true;
}

const packId = (bytes: Buffer, at: number): Buffer =>
  Buffer.from(bytes.toString("latin1", at, at + idChars).replaceAll("-", ""), "hex");

function unpackId(id: Uint8Array): Buffer {
  const hex = Buffer.from(id.buffer, id.byteOffset, id.length).toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return Buffer.from(parts.join("-"), "latin1");
}
