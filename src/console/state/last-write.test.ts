import { expect, test } from "vitest";
import { bulkActs, patchOf } from "./bulk-acts.ts";
import { asChangeOf, createLastWrites, type LastWrite, withoutVersion } from "./last-write.ts";

const textOf = (version: string, colour: string) =>
  `apiVersion: v1\ndata:\n  resourceVersion: mine\n  colour: ${colour}\nkind: ConfigMap\nmetadata:\n  generation: 3\n  name: a\n  resourceVersion: "${version}"\n`;

test("what was there before is written as a change of what is there now", () => {
  expect(asChangeOf(textOf("5", "red"), textOf("7", "blue"))).toBe(textOf("7", "red"));
});

test("versions are no difference, and data of the same name is", () => {
  expect(withoutVersion(textOf("5", "red"))).toBe(
    "apiVersion: v1\ndata:\n  resourceVersion: mine\n  colour: red\nkind: ConfigMap\nmetadata:\n  name: a\n",
  );
});

test("the last write is told until it is cleared", () => {
  const writes = createLastWrites();
  const heard: (string | undefined)[] = [];
  const stop = writes.listen((write) => heard.push(write?.name));
  writes.made({ name: "a" } as LastWrite); // the rest is not looked at
  writes.clear();
  stop();
  writes.made({ name: "b" } as LastWrite); // nor here
  expect(heard).toEqual([undefined, "a", undefined]);
});

test("acts of the kind come before labels and annotations, and depend on the object", () => {
  expect(bulkActs({ group: "apps", resource: "deployments" }).slice(0, 4)).toEqual([
    "Restart",
    "Pause",
    "Resume",
    "Set a label",
  ]);
  expect(patchOf("Restart", "", "").patch).toBe(undefined);
  expect(patchOf("Set a label", "a", "b").patch).toEqual({ metadata: { labels: { a: "b" } } });
  expect(patchOf("Remove an annotation", "a", "b").patch).toEqual({ metadata: { annotations: { a: null } } });
});
