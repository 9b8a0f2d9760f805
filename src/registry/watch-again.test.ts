/** Watches that begin again at any revision see every change once. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { RegistryWatchQuery, WatcherEvent } from "./contract/watch.ts";
import { collect, context, type Fixture, openFixture, settled } from "./fixture.suite.ts";

const open = (fixture: Fixture, query: Partial<RegistryWatchQuery>, kind = fixture.kinds.note) =>
  fixture.registry.watch(kind, {
    namespace: "a",
    allowBookmarks: false,
    signal: new AbortController().signal,
    ...query,
  });
const remove = ({ registry, kinds }: Fixture, name: string, namespace = "a") =>
  registry.delete(kinds.note, { namespace, name }, {}, context());

/** The state a client has after a list and the events of a watch. */
function replayed(initial: readonly string[], events: readonly WatcherEvent[]): string[] {
  const state = new Map(initial.map((text) => [text.split("@")[0]!, text]));
  let last = 0n;
  for (const event of events) {
    if (event.type === "BOOKMARK") continue;
    expect(event.revision).toBeGreaterThan(last);
    last = event.revision;
    const key = `${event.entry.namespace}/${event.entry.name}`;
    expect(state.has(key)).toBe(event.type !== "ADDED");
    if (event.type === "DELETED") state.delete(key);
    else state.set(key, `${key}@${event.entry.revision}`);
  }
  return [...state.values()].sort();
}

const write = fc.record({
  namespace: fc.constantFrom("a", "aa", "b"),
  name: fc.constantFrom("x", "y", "z"),
  label: fc.constantFrom("1", "2"),
  verb: fc.constantFrom("put", "put", "delete"),
});
const selector = fc.constantFrom<Partial<RegistryWatchQuery>>(
  {},
  { namespace: "" },
  { namespace: "", labelSelector: "l=1" },
  { labelSelector: "l in (1,3)" },
  { labelSelector: "l!=1" },
  { fieldSelector: "metadata.name=x" },
  { namespace: "", fieldSelector: "metadata.namespace!=a" },
);

test("list plus events equals a later list, wherever a watch begins again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 60 }), selector, fc.nat({ max: 59 }), async (writes, query, cut) => {
      const fixture = await openFixture();
      const { registry, kinds, post, replace } = fixture;
      const text = (entries: readonly { namespace: string; name: string; revision: bigint }[]) =>
        entries.map((entry) => `${entry.namespace}/${entry.name}@${entry.revision}`).sort();
      const apply = async ({ namespace, name, label, verb }: (typeof writes)[number]) => {
        const body = { metadata: { name, labels: { l: label } }, data: { n: String(Math.random()) } };
        if (verb === "delete") await remove(fixture, name, namespace).catch(() => undefined);
        else if (registry.peek(kinds.note, { namespace, name })) await replace(kinds.note, body, namespace);
        else await post(kinds.note, body, namespace);
      };
      for (const one of writes.slice(0, cut)) await apply(one);
      const first = await registry.list(kinds.note, { namespace: "a", ...query });
      const from = collect(await open(fixture, { ...query, resourceVersion: String(first.revision) }));
      const synthetic = collect(await open(fixture, query));
      const revisions: bigint[] = [first.revision];
      for (const one of writes.slice(cut)) {
        await apply(one);
        revisions.push(await registry.revision());
      }
      const last = await registry.list(kinds.note, { namespace: "a", ...query });
      await settled();
      expect(replayed(text(first.entries), from.seen)).toEqual(text(last.entries));
      const synthesized = synthetic.seen.filter((event) => event.revision > first.revision);
      expect(synthesized).toEqual(from.seen);

      // Resumable: a watch from any version in between gets exactly the events after it.
      for (const revision of revisions) {
        const resumed = collect(await open(fixture, { ...query, resourceVersion: String(revision) }));
        await settled();
        expect(resumed.seen).toEqual(from.seen.filter((event) => event.revision > revision));
        const exact = await registry.list(kinds.note, {
          namespace: "a",
          ...query,
          resourceVersion: String(revision),
          resourceVersionMatch: "Exact",
        });
        expect(replayed(text(exact.entries), resumed.seen)).toEqual(text(last.entries));
      }
      await registry.close();
    }),
    { numRuns: 40 },
  );
  await settled();
});
