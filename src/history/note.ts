/** The note that is kept with each write: who wrote, how, and because of what. */

import type { KeptKinds, WriteNotes, WriteOperation } from "../registry/contract/history.ts";
import { serverUser } from "../registry/contract/server-writes.ts";
import type { WriteContext } from "../registry/contract/write-context.ts";

/** Longer texts of clients are cut off. */
export const noteTextCharsMax = 256;

/** What a note says. Texts are "" where there is none. */
export interface Note {
  readonly operation: WriteOperation;
  /** Of the request; for a write of the server itself, the operation. */
  readonly verb: string;
  readonly subresource: string;
  readonly user: string;
  readonly impersonator: string;
  readonly userAgent: string;
  readonly manager: string;
  readonly requestId: string;
  readonly cause: string;
  /** The webhooks and policies that changed the object, separated by commas. */
  readonly admission: string;
}

/** Of a list, so that names need not be repeated in each note; new members come last. */
const members = [
  "operation",
  "verb",
  "subresource",
  "user",
  "impersonator",
  "userAgent",
  "manager",
  "requestId",
  "cause",
  "admission",
] as const satisfies readonly (keyof Note)[];

export const createWriteNotes = (kinds: KeptKinds): WriteNotes => ({
  noteOf: (family, operation, context) => (kinds.keeps(family) ? encodeNote(operation, context) : undefined),
  keeps: kinds.keeps,
  since: kinds.since,
});

/** Of the write that only encrypts an object with another key. */
export const reencryptNote = (): Uint8Array => {
  const note: Partial<Note> = { operation: "update", verb: "update", user: serverUser.name, cause: "reencrypt" };
  return Buffer.from(JSON.stringify(members.map((name) => note[name] ?? "")));
};

function encodeNote(operation: WriteOperation, context: WriteContext | undefined): Uint8Array {
  const origin = context?.caller?.origin;
  return Buffer.from(
    JSON.stringify([
      operation,
      origin?.verb ?? operation,
      origin?.subresource ?? "",
      cut((context?.user ?? serverUser).name),
      cut(origin?.impersonator ?? ""),
      cut(origin?.userAgent ?? ""),
      cut(context?.fieldManager ?? ""),
      origin?.requestId ?? "",
      cut(origin?.cause ?? ""),
      ...(origin === undefined || origin.changedBy.length === 0 ? [] : [cut(origin.changedBy.join(", "))]),
    ]),
  );
}

const cut = (text: string): string => (text.length > noteTextCharsMax ? text.slice(0, noteTextCharsMax) : text);

/** A note of a later release may have more members; what cannot be read is "". */
export function decodeNote(bytes: Uint8Array): Note {
  const values = readList(bytes);
  const textOf = (name: keyof Note): string => {
    const value = values[members.indexOf(name)];
    return typeof value === "string" ? value : "";
  };
  return {
    operation: textOf("operation") as WriteOperation, // as it was encoded
    verb: textOf("verb"),
    subresource: textOf("subresource"),
    user: textOf("user"),
    impersonator: textOf("impersonator"),
    userAgent: textOf("userAgent"),
    manager: textOf("manager"),
    requestId: textOf("requestId"),
    cause: textOf("cause"),
    admission: textOf("admission"),
  };
}

function readList(bytes: Uint8Array): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(textIn(bytes));
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

/** Without a copy of the bytes. */
const textIn = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();
