import { expect, test } from "vitest";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import type { Transformer } from "../contract/transformer.ts";
import { Unreadable } from "../contract/transformer.ts";
import { collect, context, openFixture, refusal } from "../fixture.suite.ts";

/** Marks values with a letter instead of encrypting them; reads those whose letters it knows. */
function letterTransformer(writes: string, reads: string) {
  const listeners = new Set<() => void>();
  let known = reads;
  const transformer: Transformer & { learn(letters: string): void } = {
    toStorage: (_key, value) => ({ value: Buffer.concat([Buffer.from(writes), value]), keyId: writes }),
    fromStorage(_key, stored) {
      const letter = String.fromCharCode(stored[0]!);
      if (!known.includes(letter)) throw new Unreadable(`the letter ${letter} is not known`);
      return { value: stored.subarray(1), keyId: letter };
    },
    writesWith: () => writes,
    encrypts: () => true,
    onChange(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    learn(letters) {
      known = letters;
      for (const listener of listeners) listener();
    },
  };
  return transformer;
}

async function openTwo() {
  const kv = createMemoryKv();
  const other = await openFixture({ kv, transformer: letterTransformer("B", "AB") });
  const transformer = letterTransformer("A", "A");
  const own = await openFixture({ kv, transformer });
  return { own, other, transformer, note: own.kinds.note };
}

const caughtUp = async ({ own, other }: Awaited<ReturnType<typeof openTwo>>) => {
  const revision = String(await other.registry.revision());
  await own.registry.list(own.kinds.space, { namespace: "", resourceVersion: revision });
};

test("an object that another server writes with an unknown key ends watches, and lists of it fail until the key is known", async () => {
  const two = await openTwo();
  const { own, other, transformer, note } = two;
  await own.post(note, { metadata: { name: "x" }, data: { a: "1" } });
  const signal = new AbortController().signal;
  const told = collect(await own.registry.watch(note, { namespace: "a", allowBookmarks: false, signal }));
  await other.registry.update(
    other.kinds.note,
    { namespace: "a", name: "x" },
    (current) => ({ ...current!, data: { a: "2" } }),
    context(),
  );
  await caughtUp(two);
  expect(told.seen.map(({ type }) => type)).toEqual(["ADDED"]);
  expect(told.outcome).toMatchObject({ ended: true, reason: { reason: "Expired" } });
  expect(await refusal(own.registry.list(note, { namespace: "" }))).toMatchObject({ code: 500 });
  expect(await refusal(own.registry.list(note, { namespace: "a" }))).toMatchObject({ code: 500 });
  expect((await own.registry.list(note, { namespace: "b" })).entries).toEqual([]);
  expect(own.registry.unreadable()).toBe(1);
  await expect(own.registry.get(note, { namespace: "a", name: "x" })).rejects.toThrow(
    'Internal error occurred: notes "a/x" cannot be read: the letter B is not known',
  );

  transformer.learn("AB");
  await expect.poll(() => own.registry.unreadable()).toBe(0);
  const { entries } = await own.registry.list(note, { namespace: "a" });
  expect(entries.map((entry) => entry.object()["data"])).toEqual([{ a: "2" }]);
  await own.registry.close();
  await other.registry.close();
});

test("an unreadable object that another server rewrites or deletes is no longer unreadable", async () => {
  const two = await openTwo();
  const { own, other, note } = two;
  await other.post(other.kinds.note, { metadata: { name: "x" } });
  await other.post(other.kinds.note, { metadata: { name: "y" } });
  await caughtUp(two);
  expect(own.registry.unreadable()).toBe(2);
  await other.registry.delete(other.kinds.note, { namespace: "a", name: "x" }, {}, context());
  await caughtUp(two);
  expect(own.registry.unreadable()).toBe(1);
  expect(await refusal(own.registry.get(note, { namespace: "a", name: "x" }))).toMatchObject({ code: 404 });
  await own.registry.close();
  await other.registry.close();
});

test("a value is decrypted once, however often it is read", async () => {
  const kv = createMemoryKv();
  const other = await openFixture({ kv, transformer: letterTransformer("A", "A") });
  await other.post(other.kinds.note, { metadata: { name: "x" } });
  let decrypted = 0;
  const transformer = letterTransformer("A", "A");
  const { fromStorage } = transformer;
  transformer.fromStorage = (key, stored) => {
    decrypted += 1;
    return fromStorage(key, stored);
  };
  const own = await openFixture({ kv, transformer });
  const { note } = own.kinds;
  for (let round = 0; round < 3; round += 1) {
    await own.registry.get(note, { namespace: "a", name: "x" });
    await own.registry.list(note, { namespace: "" });
  }
  expect(decrypted).toBe(1);
  await own.post(note, { metadata: { name: "y" } });
  await own.registry.get(note, { namespace: "a", name: "y" });
  expect(decrypted).toBe(1); // its own write comes back with the very bytes that it gave to the store
  await own.registry.close();
  await other.registry.close();
});
