import fc from "fast-check";
import { expect, test } from "vitest";
import { context, names, openFixture, refusal, settled } from "./fixture.suite.ts";

const badRequest = { code: 400, reason: "BadRequest" };

test("chunks show one state despite concurrent writes, and count the remaining items", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  for (const name of ["a", "b", "c", "d", "e"]) await post(kinds.note, { metadata: { name } });
  const first = await registry.list(kinds.note, { namespace: "a", limit: 2 });
  expect([names(first.entries), first.remainingItemCount]).toEqual([["a", "b"], 3]);
  await registry.delete(kinds.note, { namespace: "a", name: "d" }, {}, context());
  await registry.delete(kinds.note, { namespace: "a", name: "b" }, {}, context());
  await post(kinds.note, { metadata: { name: "bb" } });
  await replace(kinds.note, { metadata: { name: "e" }, data: { k: "new" } });
  const second = await registry.list(kinds.note, { namespace: "a", limit: 2, continue: first.continue });
  expect([names(second.entries), second.remainingItemCount]).toEqual([["c", "d"], 1]);
  const third = await registry.list(kinds.note, { namespace: "a", limit: 2, continue: second.continue });
  expect([names(third.entries), third.remainingItemCount, third.continue]).toEqual([["e"], undefined, ""]);
  expect(third.entries[0]!.object()["data"]).toBeUndefined();
  expect(new Set([first.revision, second.revision, third.revision]).size).toBe(1);
  await registry.close();
});

test("with selectors nothing is counted, and a later chunk may use another selector", async () => {
  const { registry, kinds, post } = await openFixture();
  for (const name of ["a", "b", "c", "d", "e"]) await post(kinds.note, { metadata: { name, labels: { p: "x" } } });
  const first = await registry.list(kinds.note, { namespace: "a", limit: 2, labelSelector: "p=x" });
  expect([names(first.entries), first.remainingItemCount]).toEqual([["a", "b"], undefined]);
  const other = await registry.list(kinds.note, {
    namespace: "a",
    limit: 2,
    labelSelector: "p=y",
    continue: first.continue,
  });
  expect([names(other.entries), other.continue]).toEqual([[], ""]);
  const rest = await registry.list(kinds.note, {
    namespace: "a",
    fieldSelector: "metadata.name!=d",
    continue: first.continue,
  });
  expect(names(rest.entries)).toEqual(["c", "e"]);
  await registry.close();
});

test("a chunk that is full has a token as long as any object follows, selected or not", async () => {
  const { registry, kinds, post } = await openFixture();
  for (const name of ["a", "b", "c", "d"])
    await post(kinds.note, { metadata: { name, ...(name === "d" ? {} : { labels: { p: "x" } }) } });
  const select = (limit: number, token?: string) =>
    registry.list(kinds.note, { namespace: "a", limit, labelSelector: "p=x", ...(token && { continue: token }) });
  const full = await select(3);
  expect(names(full.entries)).toEqual(["a", "b", "c"]);
  expect(full.continue).not.toBe("");
  expect(await select(3, full.continue)).toMatchObject({ entries: [], continue: "" });
  expect(await select(4)).toMatchObject({ continue: "" });
  const one = await registry.list(kinds.note, { namespace: "a", limit: 1, fieldSelector: "metadata.name=a" });
  expect([names(one.entries), one.continue]).toEqual([["a"], ""]);
  await registry.close();
});

test("a limit that is just reached, or is negative, leaves nothing to continue", async () => {
  const { registry, kinds, post } = await openFixture();
  for (const name of ["a", "b"]) await post(kinds.note, { metadata: { name } });
  for (const limit of [2, 10, -1]) {
    const { entries, continue: token } = await registry.list(kinds.note, { namespace: "a", limit });
    expect([names(entries), token]).toEqual([["a", "b"], ""]);
  }
  await registry.close();
});

test("a token that was changed in any way, or belongs to another list, is refused", async () => {
  const { registry, kinds, post } = await openFixture();
  for (const name of ["a", "b", "c"]) await post(kinds.note, { metadata: { name } });
  const { continue: token } = await registry.list(kinds.note, { namespace: "a", limit: 1 });
  const list = (of: typeof kinds.note, namespace: string, text: string) =>
    refusal(registry.list(of, { namespace, limit: 1, continue: text }));
  for (const text of ["garbage", "e30", " ", `${token}x!`, `${token}=`, token.slice(1), "x".repeat(100_000)]) {
    expect(await list(kinds.note, "a", text)).toEqual(badRequest);
  }
  expect(await list(kinds.note, "b", token)).toEqual(badRequest);
  expect(await list(kinds.note, "", token)).toEqual(badRequest);
  expect(await list(kinds.task, "a", token)).toEqual(badRequest);
  const bytes = Buffer.from(token, "base64url");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), async (bit) => {
      const altered = Buffer.from(bytes);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(await list(kinds.note, "a", altered.toString("base64url"))).toEqual(badRequest);
    }),
    { numRuns: 300 },
  );
  await registry.close();
});

test("a token is valid on every server of the store, and after a restart", async () => {
  const one = await openFixture();
  for (const name of ["a", "b", "c"]) await one.post(one.kinds.note, { metadata: { name } });
  const other = await openFixture({ kv: one.kv });
  const first = await one.registry.list(one.kinds.note, { namespace: "a", limit: 1 });
  await one.registry.close();
  const next = await other.registry.list(other.kinds.note, { namespace: "a", continue: first.continue });
  expect(names(next.entries)).toEqual(["b", "c"]);
  await other.registry.close();
});

test("a list whose revision is no longer kept is 410, and may continue at the newest revision", async () => {
  const { registry, kinds, post, kv } = await openFixture({ historyEventsMax: 3 });
  for (const name of ["a", "b", "c", "d"]) await post(kinds.note, { metadata: { name } });
  const first = await registry.list(kinds.note, { namespace: "a", limit: 2 });
  for (let n = 0; n < 10; n += 1) await post(kinds.note, { metadata: { name: `z${n}` } });

  // The cache no longer has the state, but the store does.
  const second = await registry.list(kinds.note, { namespace: "a", limit: 1, continue: first.continue });
  expect([names(second.entries), second.remainingItemCount, second.revision]).toEqual([["c"], 1, first.revision]);
  const selected = await registry.list(kinds.note, {
    namespace: "a",
    fieldSelector: "metadata.name=d",
    continue: first.continue,
  });
  expect(names(selected.entries)).toEqual(["d"]);

  await kv.compact(await kv.revision());
  const error = await registry.list(kinds.note, { namespace: "a", limit: 3, continue: first.continue }).catch((e) => e);
  expect([error.code, error.reason]).toEqual([410, "Expired"]);
  expect(error.message).toContain("The provided continue parameter is too old to display a consistent list result");
  const going = await registry.list(kinds.note, { namespace: "a", limit: 3, continue: error.continueToken });
  expect(names(going.entries)).toEqual(["c", "d", "z0"]);
  expect(going.revision).toBeGreaterThan(first.revision);
  const exact = { namespace: "a", resourceVersion: "3", resourceVersionMatch: "Exact" } as const;
  expect(await refusal(registry.list(kinds.note, exact))).toEqual({ code: 410, reason: "Expired" });
  await expect(registry.list(kinds.note, exact)).rejects.toThrow(
    "The resourceVersion for the provided list is too old",
  );
  await registry.close();
});

test("a chain of chunks shows one revision, whatever is written in between", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.boolean()), { maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      async (writes, limit, selected) => {
        const { registry, kinds, post } = await openFixture({ historyEventsMax: 5 });
        for (let n = 0; n < 30; n += 1) {
          await post(kinds.note, { metadata: { name: `n${n}`, labels: { parity: n % 2 ? "odd" : "even" } } });
        }
        const query = { namespace: "", ...(selected ? { labelSelector: "parity=odd" } : {}) };
        const whole = await registry.list(kinds.note, query);
        let page = await registry.list(kinds.note, { ...query, limit });
        const found = [...page.entries];
        let at = 0;
        while (page.continue !== "") {
          for (const [n, gone] of writes.slice(at, at + 5)) {
            const write = gone
              ? registry.delete(kinds.note, { namespace: "a", name: `n${n}` }, {}, context())
              : post(kinds.note, { metadata: { name: `n${n}` } });
            await write.catch(() => undefined);
          }
          at += 5;
          page = await registry.list(kinds.note, { ...query, limit, continue: page.continue });
          found.push(...page.entries);
          expect(page.revision).toBe(whole.revision);
        }
        expect(found.map((entry) => entry.bytes.toString())).toEqual(
          whole.entries.map((entry) => entry.bytes.toString()),
        );
        await registry.close();
      },
    ),
    { numRuns: 25 },
  );
  await settled();
});
