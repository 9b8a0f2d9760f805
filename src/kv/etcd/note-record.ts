/** What the history key holds: the notes of one commit. */

import { MessageFields, MessageWriter } from "../../base/protobuf-message.ts";
import type { KvWrite } from "../contract.ts";
import type { LoggedNote } from "./note-log.ts";

/** What a note counts for besides its contents, in every server alike. */
const overheadBytes = 100;

/** Undefined: none of the writes has a note. */
export function encodeNoteRecord(writes: readonly KvWrite[], atMs: number): Buffer | undefined {
  const noted = writes.filter(({ note, keeps }) => note !== undefined && !keeps);
  if (noted.length === 0) return undefined;
  const notes = noted.map(({ key, value, expected, note }) =>
    new MessageWriter()
      .text(1, key)
      .int(2, expected)
      .bool(3, value === undefined)
      .int(4, value?.byteLength ?? 0)
      .bytes(5, note!),
  );
  return new MessageWriter().int(1, Math.floor(atMs)).messages(2, notes).finish();
}

/** The notes of the commit with that revision. */
export function decodeNoteRecord(bytes: Uint8Array, revision: bigint): LoggedNote[] {
  let atMs = 0;
  const notes: LoggedNote[] = [];
  const fields = new MessageFields(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  while (fields.next()) {
    if (fields.number === 1) atMs = Number(fields.int);
    else if (fields.number === 2) notes.push(decodeNote(fields.fields, revision, notes.length));
  }
  return notes.map((note) => ({ ...note, atMs }));
}

function decodeNote(
  fields: MessageFields,
  revision: bigint,
  place: number,
): Omit<LoggedNote, "atMs"> & { atMs: number } {
  const read = { key: "", previous: 0n, deleted: false, valueBytes: 0, note: new Uint8Array(0) };
  while (fields.next()) {
    const { number } = fields;
    if (number === 1) read.key = fields.bytes.toString();
    else if (number === 2) read.previous = fields.int;
    else if (number === 3) read.deleted = fields.int === 1n;
    else if (number === 4) read.valueBytes = Number(fields.int);
    // A copy: it lives long, and a view would keep the whole message alive with it.
    else if (number === 5) read.note = new Uint8Array(fields.bytes);
  }
  const { valueBytes, ...noted } = read;
  const bytes = overheadBytes + read.key.length * 3 + valueBytes + read.note.byteLength;
  return { ...noted, revision, atMs: 0, bytes, ...(place > 0 && { place }) };
}
