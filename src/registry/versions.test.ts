import { describe, expect, test } from "vitest";
import { context, names, openFixture, refusal, settled } from "./fixture.suite.ts";

/** Writes a, b, c, remembers the state, then writes d; `token` continues after a. */
async function prepared() {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  for (const name of ["a", "b", "c"]) await post(kinds.note, { metadata: { name } });
  const page = await registry.list(kinds.note, { namespace: "a", limit: 1 });
  const d = await post(kinds.note, { metadata: { name: "d" } });
  return { ...fixture, token: page.continue, old: String(page.revision), newest: String(d.entry.revision) };
}

const forbidden = (...causes: string[]) => ({
  code: 422,
  reason: "Invalid",
  details: { group: "meta.orch.io", kind: "ListOptions", causes },
});
const match = "FieldValueForbidden resourceVersionMatch";
const abcd = ["a", "b", "c", "d"];

describe("resourceVersion x resourceVersionMatch x paging", () => {
  const cases = [
    { query: {}, shows: abcd },
    { query: { resourceVersion: "0" }, shows: abcd },
    { query: { resourceVersion: "OLD" }, shows: abcd },
    { query: { limit: 2 }, shows: ["a", "b"], remaining: 2 },
    { query: { resourceVersion: "0", limit: 2 }, shows: abcd },
    { query: { resourceVersion: "OLD", limit: 2 }, shows: ["a", "b"], remaining: 1 },
    { query: { resourceVersion: "NEW", limit: 2 }, shows: ["a", "b"], remaining: 2 },
    { query: { continue: "TOKEN" }, shows: ["b", "c"] },
    { query: { continue: "TOKEN", limit: 1 }, shows: ["b"], remaining: 1 },
    { query: { continue: "TOKEN", resourceVersion: "0", limit: 2 }, shows: ["b", "c"] },
    { query: { continue: "TOKEN", resourceVersion: "OLD" }, refused: { code: 400, reason: "BadRequest" } },
    { query: { resourceVersionMatch: "Exact", resourceVersion: "OLD" }, shows: ["a", "b", "c"] },
    { query: { resourceVersionMatch: "Exact", resourceVersion: "NEW" }, shows: abcd },
    { query: { resourceVersionMatch: "Exact", resourceVersion: "OLD", limit: 2 }, shows: ["a", "b"], remaining: 1 },
    { query: { resourceVersionMatch: "Exact" }, refused: forbidden(match) },
    { query: { resourceVersionMatch: "Exact", limit: 2 }, refused: forbidden(match) },
    { query: { resourceVersionMatch: "Exact", resourceVersion: "0" }, refused: forbidden(match) },
    { query: { resourceVersionMatch: "Exact", resourceVersion: "OLD", continue: "TOKEN" }, refused: forbidden(match) },
    { query: { resourceVersionMatch: "NotOlderThan" }, refused: forbidden(match) },
    { query: { resourceVersionMatch: "NotOlderThan", continue: "TOKEN" }, refused: forbidden(match, match) },
    { query: { resourceVersionMatch: "NotOlderThan", resourceVersion: "0" }, shows: abcd },
    {
      query: { resourceVersionMatch: "NotOlderThan", resourceVersion: "OLD", limit: 2 },
      shows: ["a", "b"],
      remaining: 2,
    },
    { query: { resourceVersionMatch: "", resourceVersion: "OLD" }, shows: abcd },
    {
      query: { resourceVersionMatch: "Nearest" },
      refused: forbidden(match, "FieldValueNotSupported resourceVersionMatch"),
    },
    {
      query: { resourceVersionMatch: "Nearest", resourceVersion: "0" },
      refused: forbidden("FieldValueNotSupported resourceVersionMatch"),
    },
  ];
  for (const { query, shows, refused, remaining } of cases) {
    test(`${JSON.stringify(query)} ${shows ? `shows ${shows}` : "is refused"}`, async () => {
      const { registry, kinds, token, old, newest } = await prepared();
      const text = JSON.stringify({ namespace: "a", ...query })
        .replace("OLD", old)
        .replace("NEW", newest)
        // Last: a token may have any letters.
        .replace("TOKEN", token);
      const listed = registry.list(kinds.note, JSON.parse(text));
      if (refused) {
        expect(await refusal(listed)).toEqual(refused);
      } else {
        const { entries, remainingItemCount } = await listed;
        expect([names(entries), remainingItemCount]).toEqual([shows, remaining]);
      }
      await registry.close();
    });
  }
});

test("Exact shows the past state, including deleted objects and old values", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  await post(kinds.note, { metadata: { name: "a" }, data: { k: "old" } });
  await post(kinds.note, { metadata: { name: "b" } });
  const before = await registry.list(kinds.note, { namespace: "a" });
  await replace(kinds.note, { metadata: { name: "a" }, data: { k: "new" } });
  await registry.delete(kinds.note, { namespace: "a", name: "b" }, {}, context());
  const exact = await registry.list(kinds.note, {
    namespace: "a",
    resourceVersion: String(before.revision),
    resourceVersionMatch: "Exact",
  });
  expect(exact.entries).toEqual(before.entries);
  await registry.close();
});

test("only a plain decimal number is a version", async () => {
  const { registry, kinds } = await openFixture();
  for (const text of [
    "abc",
    "-1",
    "1.5",
    "0x10",
    " 1",
    "1 ",
    "1e3",
    "01",
    "+1",
    "9223372036854775808",
    "٣",
    "1".repeat(400),
  ]) {
    const bad = { code: 400, reason: "BadRequest" };
    expect(await refusal(registry.list(kinds.note, { namespace: "a", resourceVersion: text }))).toEqual(bad);
    expect(await refusal(registry.get(kinds.note, { namespace: "a", name: "x" }, { resourceVersion: text }))).toEqual(
      bad,
    );
    const query = {
      namespace: "a",
      resourceVersion: text,
      allowBookmarks: false,
      signal: new AbortController().signal,
    };
    expect(await refusal(registry.watch(kinds.note, query))).toEqual(bad);
  }
  await registry.close();
});

test("a read waits for a future version, but for a limited time", async () => {
  const { registry, kinds, post, clock } = await openFixture();
  const { entry } = await post(kinds.note, { metadata: { name: "a" } });
  const next = String(entry.revision + 1n);
  const soon = registry.get(kinds.note, { namespace: "a", name: "b" }, { resourceVersion: next });
  await settled();
  await post(kinds.note, { metadata: { name: "b" } });
  expect((await soon).name).toBe("b");

  const tooLarge = {
    code: 504,
    reason: "Timeout",
    details: { causes: ["ResourceVersionTooLarge undefined"], retryAfterSeconds: 1 },
  };
  const far = "99999999";
  const refused = [
    refusal(registry.get(kinds.note, { namespace: "a", name: "a" }, { resourceVersion: far })),
    refusal(registry.list(kinds.note, { namespace: "a", resourceVersion: far })),
    refusal(registry.list(kinds.note, { namespace: "a", resourceVersion: far, limit: 1 })),
    refusal(registry.list(kinds.note, { namespace: "a", resourceVersion: far, resourceVersionMatch: "Exact" })),
  ];
  await settled();
  clock.advance(3_000);
  for (const one of refused) expect(await one).toEqual(tooLarge);
  await registry.close();
});

test("a wait ends when the client disconnects, and when the registry closes", async () => {
  const { registry, kinds } = await openFixture();
  const gone = new AbortController();
  const list = registry.list(kinds.note, { namespace: "a", resourceVersion: "99999", signal: gone.signal });
  gone.abort(new Error("gone"));
  await expect(list).rejects.toThrow("gone");
  const other = refusal(registry.list(kinds.note, { namespace: "a", resourceVersion: "99999" }));
  await settled();
  await registry.close();
  expect(await other).toEqual({ code: 503, reason: "ServiceUnavailable" });
});
