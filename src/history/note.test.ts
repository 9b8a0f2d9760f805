import { expect, test } from "vitest";
import type { Family } from "../machinery/schema/catalog.ts";
import { createWriteNotes, decodeNote, noteTextCharsMax } from "./note.ts";

const family = (isFleeting: boolean) => ({ strategy: { isFleeting } }) as unknown as Family;
const writeNotes = createWriteNotes({ keeps: ({ strategy }) => strategy?.isFleeting !== true, since: () => undefined });
const user = { name: "jane", uid: "", groups: [], extra: new Map() };
const origin = {
  verb: "patch",
  subresource: "scale",
  userAgent: "x".repeat(1_000),
  requestId: "1-2",
  impersonator: "root",
  cause: "pods shop/web 17",
  changedBy: ["webhook a of b", "policy c by d"],
};
const caller = { gone: false, signal: AbortSignal.abort(), deadlineMs: Number.POSITIVE_INFINITY, origin };

test("a note says who wrote, through which request, and because of what; long texts are cut", () => {
  const context = { user, dryRun: false, fieldManager: "ctl", warn() {}, caller };
  const note = writeNotes.noteOf(family(false), "update", context);
  expect(decodeNote(note!)).toEqual({
    operation: "update",
    verb: "patch",
    subresource: "scale",
    user: "jane",
    impersonator: "root",
    userAgent: "x".repeat(noteTextCharsMax),
    manager: "ctl",
    requestId: "1-2",
    cause: "pods shop/web 17",
    admission: "webhook a of b, policy c by d",
  });
});

test("a write of the server itself is by its own user", () => {
  const note = decodeNote(writeNotes.noteOf(family(false), "delete", undefined)!);
  expect(note).toMatchObject({ operation: "delete", verb: "delete", user: "system:apiserver", requestId: "" });
});

test("changes of fleeting kinds have no note, and a note that cannot be read is empty", () => {
  expect(writeNotes.noteOf(family(true), "create", undefined)).toBeUndefined();
  expect(decodeNote(Buffer.from("{"))).toMatchObject({ user: "", operation: "" });
});
