import { expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import type { KvEntry, KvHistory, KvNoted } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import type { VirtualQuery } from "../registry/contract/allocator.ts";
import { plainTransformer, type Transformed } from "../registry/contract/transformer.ts";
import { keyOf } from "../registry/keys.ts";
import { ChangesSource, changesAtOnceBytesMax, changesBytesMax, changesUnboundBytesMax } from "./changes.ts";

const catalog = createCatalog([ConfigMap], plainEnvironment());
const family = catalog.of(ConfigMap).family;
const user = { name: "a", uid: "", groups: [], extra: new Map() };

/** A history of three changes of one object of so many bytes, whose states are decrypted when the test says so. */
function worldOf(stateBytes: number) {
  const key = keyOf(family, { namespace: "n", name: "c" });
  const revisions = [4n, 3n, 2n];
  const state = (revision: bigint): KvEntry | undefined =>
    revision === 0n
      ? undefined
      : {
          key,
          revision,
          created: 1n,
          value: Buffer.from(
            JSON.stringify({
              apiVersion: "v1",
              kind: "ConfigMap",
              metadata: { name: "c" },
              data: { revision: `${revision}`, filling: "x".repeat(stateBytes) },
            }),
          ),
        };
  const notes: readonly KvNoted[] = revisions.map((revision) => ({
    key,
    revision,
    previous: revision - 1n,
    deleted: false,
    atMs: 0,
    note: Buffer.from("{}"),
  }));
  const history: KvHistory = {
    oldest: { revision: 0n, atMs: 0 },
    async *changes() {
      yield notes;
    },
    change: () => undefined,
    valueAt: (_, revision) => state(revision),
    stateBefore: ({ previous }) => state(previous),
    stateAfter: ({ revision }) => state(revision),
    revisionAt: () => 4n,
    bytes: 0,
  };
  const decrypting: (() => void)[] = [];
  const counts = { decrypted: 0 };
  let isOpen = false;
  const source = new ChangesSource({
    kv: createMemoryKv({}),
    history,
    kinds: { keeps: () => true, since: () => undefined },
    catalog,
    transformer: {
      ...plainTransformer,
      fromStorage: (_key, value) =>
        new Promise<Transformed>((resolve) => {
          counts.decrypted += 1;
          const decrypt = () => resolve({ value, keyId: "" });
          if (isOpen) decrypt();
          else decrypting.push(decrypt);
        }),
    },
  });
  source.use({ name: "all", authorize: async () => ({ outcome: "allow", reason: "" }) });
  const page = (signal?: AbortSignal) =>
    source.page({ namespace: "n", fields: [], limit: 0, after: "", user, signal } satisfies VirtualQuery);
  const decryptAll = () => {
    isOpen = true;
    for (const decrypt of decrypting.splice(0)) decrypt();
  };
  return { page, decrypting, counts, decryptAll };
}

const atOnce = changesAtOnceBytesMax / changesBytesMax;

test("lists of changes of large objects read their states a few at a time", async () => {
  const { page, decrypting, decryptAll } = worldOf(2 * changesUnboundBytesMax);
  const pages = Array.from({ length: 20 }, () => page());
  await expect.poll(() => decrypting.length).toBe(atOnce);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(decrypting.length).toBe(atOnce);
  decryptAll();
  for (const { objects } of await Promise.all(pages)) expect(objects).toHaveLength(3);
});

test("lists of changes of small objects do not wait for others", async () => {
  const { page, decrypting, decryptAll } = worldOf(10);
  const pages = Array.from({ length: 20 }, () => page());
  await expect.poll(() => decrypting.length).toBe(20);
  decryptAll();
  await Promise.all(pages);
});

test("a list whose caller has left reads no further state, and gives its place to the next", async () => {
  const { page, decrypting, decryptAll, counts } = worldOf(2 * changesUnboundBytesMax);
  const gone = new AbortController();
  const left = Array.from({ length: 20 }, () => page(gone.signal).then(String, () => "left"));
  await expect.poll(() => decrypting.length).toBe(atOnce);
  const last = page();
  gone.abort();
  decryptAll();
  expect(new Set(await Promise.all(left))).toEqual(new Set(["left"]));
  const { objects } = await last;
  expect(objects).toHaveLength(3);
  // Each state once, and those that were being read when the others left.
  expect(counts.decrypted).toBe(atOnce + objects.length + 1);
});
