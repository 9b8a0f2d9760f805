import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Kv } from "../../kv/contract.ts";
import { openEmbeddedKv } from "../../kv/embedded/embedded.ts";
import { openEtcdKv } from "../../kv/etcd/etcd.ts";
import { findEtcd, startTestEtcd, type TestEtcd } from "../../kv/etcd/server.fixture.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { customKind } from "../../machinery/schema/custom-kind.suite.ts";
import { collect, context, openFixture } from "../fixture.suite.ts";
import { replayedRevisionsMax } from "./follow-store.ts";

const folder = mkdtempSync(join(tmpdir(), "resume-"));
const program = findEtcd();
let etcd: TestEtcd | undefined;
afterAll(async () => {
  await etcd?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const Gadget = () =>
  customKind({
    group: "toys.example.com",
    version: "v1",
    kind: "Gadget",
    resource: "gadgets",
    scope: "Cluster",
    doc: "",
    fields: {},
  });

type Fixture = Awaited<ReturnType<typeof openFixture>>;

function addGadget({ catalog }: Fixture) {
  catalog.replace({ add: [Gadget()] });
  return catalog.byKind("toys.example.com", "v1", "Gadget")!;
}

const watchFrom = async ({ registry }: Fixture, kind: Fixture["kinds"]["note"], since: bigint) =>
  collect(
    await registry.watch(kind, {
      namespace: "",
      resourceVersion: String(since),
      allowBookmarks: false,
      signal: new AbortController().signal,
    }),
  );

/** Each call opens the same store, as a server does after a restart. */
const stores: [name: string, isThere: boolean, make: () => Promise<() => Promise<Kv>>][] = [
  [
    "memory",
    true,
    async () => {
      const kv = createMemoryKv();
      return async () => ({ ...bound(kv), close: async () => {} });
    },
  ],
  [
    "embedded",
    true,
    async () => {
      const own = mkdtempSync(join(folder, "store-"));
      return () => openEmbeddedKv({ folder: own, syncMode: "none" });
    },
  ],
  [
    "etcd",
    program !== undefined,
    async () => {
      etcd ??= await startTestEtcd(program!);
      const options = { endpoints: [etcd.endpoint], prefix: `/resume${Math.random()}`, allowPlaintext: true };
      return () => openEtcdKv(options);
    },
  ],
];

function bound(kv: Kv): Kv {
  const { revision, newest, get, range, put, delete: remove, commit, watch, compact } = kv;
  return {
    revision: revision.bind(kv),
    newest: () => newest?.call(kv),
    get: get.bind(kv),
    range: range.bind(kv),
    put: put.bind(kv),
    delete: remove.bind(kv),
    commit: commit.bind(kv),
    watch: watch.bind(kv),
    compact: compact.bind(kv),
    close: async () => {},
  };
}

for (const [name, isThere, make] of stores) {
  describe.skipIf(!isThere)(`after a restart on ${name}`, () => {
    test("a watch continues where it ended, without a gap, and past states can be listed", async () => {
      const open = await make();
      const firstKv = await open();
      const first = await openFixture({ kv: firstKv });
      const note = (label: string) => ({ metadata: { name: "x", labels: { label } } });
      const begin = (await first.post(first.kinds.note, note("1"))).entry.revision;
      const changed = (await first.replace(first.kinds.note, note("2"))).entry.revision;
      const other = (await first.post(first.kinds.note, { metadata: { name: "y" } })).entry.revision;
      await first.registry.delete(first.kinds.note, { namespace: "a", name: "x" }, {}, context());
      const made = (await first.post(first.kinds.note, { metadata: { name: "z" } })).entry.revision;
      await first.registry.close();
      await firstKv.close();

      const kv = await open();
      const second = await openFixture({ kv });
      const told = await watchFrom(second, second.kinds.note, begin);
      const last = (await second.post(second.kinds.note, { metadata: { name: "new" } })).entry.revision;
      const deleted = told.lines()[2] ?? "";
      expect(told.lines()).toEqual([
        `MODIFIED a/x@${changed}`,
        `ADDED a/y@${other}`,
        expect.stringMatching(/^DELETED a\/x@/),
        `ADDED a/z@${made}`,
        `ADDED a/new@${last}`,
      ]);
      const at = BigInt(deleted.replace(/.*@/, ""));
      expect(at > other && at < made).toBe(true);
      const past = await second.registry.list(second.kinds.note, {
        namespace: "",
        resourceVersion: String(changed),
        resourceVersionMatch: "Exact",
      });
      expect(past.entries.map((entry) => [entry.name, entry.labels.get("label")])).toEqual([["x", "2"]]);
      await second.registry.close();
      await kv.close();
    });

    test("a watch of a custom kind continues as well, although the kind is known only after the start", async () => {
      const open = await make();
      const firstKv = await open();
      const first = await openFixture({ kv: firstKv });
      const gadget = addGadget(first);
      const begin = (await first.post(gadget, { metadata: { name: "a" } })).entry.revision;
      const later = (await first.post(gadget, { metadata: { name: "b" } })).entry.revision;
      await first.registry.delete(gadget, { namespace: "", name: "a" }, {}, context());
      await first.registry.close();
      await firstKv.close();

      const kv = await open();
      const second = await openFixture({ kv });
      const again = addGadget(second);
      const told = await watchFrom(second, again, begin);
      const last = (await second.post(again, { metadata: { name: "c" } })).entry.revision;
      expect(told.lines()).toEqual([`ADDED /b@${later}`, expect.stringMatching(/^DELETED \/a@/), `ADDED /c@${last}`]);
      await second.registry.close();
      await kv.close();
    });

    test("a watch that was cut within a transaction misses none of its changes", async () => {
      const open = await make();
      const kv = await open();
      const fixture = await openFixture({ kv });
      const { registry, kinds, post } = fixture;
      const transaction = registry.begin();
      const writes = [];
      for (const name of ["y", "z"]) {
        const staged = transaction.staged();
        writes.push(post(kinds.note, { metadata: { name } }, "a", { transaction }));
        await staged;
      }
      expect(await transaction.commit()).toBe("stored");
      const [y, z] = (await Promise.all(writes)).map(({ entry }) => entry.revision);
      const told = await watchFrom(fixture, kinds.note, y!);
      const again = y === z ? [`ADDED a/y@${y}`] : [];
      expect(told.lines()).toEqual([...again, `ADDED a/z@${z}`]);
      await registry.close();
      await kv.close();
    });

    test("a watch from a compacted revision ends as too old", async () => {
      const open = await make();
      const firstKv = await open();
      const first = await openFixture({ kv: firstKv });
      const begin = (await first.post(first.kinds.note, { metadata: { name: "x" } })).entry.revision;
      const kept = (await first.post(first.kinds.note, { metadata: { name: "y" } })).entry.revision;
      const after = (await first.post(first.kinds.note, { metadata: { name: "z" } })).entry.revision;
      await firstKv.compact(kept);
      await first.registry.close();
      await firstKv.close();
      const kv = await open();
      const second = await openFixture({ kv });
      const old = await watchFrom(second, second.kinds.note, begin);
      expect(old.outcome).toMatchObject({ ended: true, reason: { reason: "Expired" } });
      const told = await watchFrom(second, second.kinds.note, kept);
      expect(told.lines()).toEqual([`ADDED a/z@${after}`]);
      await second.registry.close();
      await kv.close();
    });
  });
}

test("no more than a bounded number of revisions is read again", async () => {
  const kv = createMemoryKv({ historyChangesMax: 3 * replayedRevisionsMax });
  const first = await openFixture({ kv });
  const begin = (await first.post(first.kinds.note, { metadata: { name: "x" } })).entry.revision;
  await first.registry.close();
  let revision = 0n;
  for (let index = 0; index < replayedRevisionsMax; index += 1) {
    revision = await kv.put("other", new Uint8Array(1), revision);
  }
  const second = await openFixture({ kv });
  const old = await watchFrom(second, second.kinds.note, begin - 1n);
  expect(old.outcome).toMatchObject({ ended: true, reason: { reason: "Expired" } });
  expect((await watchFrom(second, second.kinds.note, begin)).outcome.ended).toBe(false);
  await second.registry.close();
});
