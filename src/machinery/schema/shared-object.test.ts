import { expect, expectTypeOf, test } from "vitest";
import { optional, string, struct } from "./build.ts";
import { kind } from "./kind.ts";
import { ownMember, type Shared } from "./shared-object.ts";

interface Note {
  metadata: { labels?: Record<string, string> };
  spec?: { text: string; tags?: string[] };
}

test("members that may be shared can be replaced, and the compiler refuses to change them in place", () => {
  const change = (note: Shared<Note>) => {
    note.metadata.labels = { own: "yes" };
    note.spec = { text: "new", tags: [...(note.spec?.tags ?? []), "b"] };
    if (note.spec === undefined) return;
    // @ts-expect-error A member of a member cannot be set,
    note.spec.text = "changed";
    // @ts-expect-error nor an item be added,
    note.spec.tags?.push("c");
    // @ts-expect-error nor may it go to where that could happen.
    const tags: string[] | undefined = note.spec.tags;
    return tags;
  };
  const note: Note = { metadata: {}, spec: { text: "old", tags: ["a"] } };
  change(note);
  expect(note).toEqual({ metadata: { labels: { own: "yes" } }, spec: { text: "changed", tags: ["a", "b", "c"] } });
});

test("a member that the object does not have of the state before may be changed in place", () => {
  const old: Note = Object.freeze({ metadata: {}, spec: Object.freeze({ text: "old" }) });
  expect(ownMember({ ...old }, old, "spec")).toBeUndefined();
  const spec = ownMember<Note, "spec">({ metadata: {}, spec: { text: "new" } }, old, "spec");
  expectTypeOf(spec).toEqualTypeOf<Note["spec"]>();
  expect(spec).toEqual({ text: "new" });
  expect(ownMember<Note, "spec">({ metadata: {} }, undefined, "spec")).toBeUndefined();
});

test("a kind that leaves old members gets objects in which it cannot write to them", () => {
  const fields = { spec: optional(struct("Spec", { text: optional(string()).at(1) })).at(2) };
  const head = {
    group: "",
    version: "v1",
    kind: "Note",
    resource: "notes",
    scope: "Namespaced",
    doc: "",
    fields,
  } as const;
  kind({
    ...head,
    leavesOldMembers: true,
    defaults(note, _, old) {
      // @ts-expect-error It may be a member of `old`.
      if (note.spec) note.spec.text = "x";
      const spec = ownMember(note, old, "spec");
      if (spec) spec.text = "x";
    },
    prepareForUpdate(note) {
      // @ts-expect-error As above.
      if (note.spec) note.spec.text = "x";
      note.spec = { text: "x" };
    },
  });
  kind({
    ...head,
    defaults(note) {
      if (note.spec) note.spec.text = "x";
    },
  });
});
