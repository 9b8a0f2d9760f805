import { expect, test } from "vitest";
import { names, openFixture, refusal } from "./fixture.suite.ts";

test("selectors of every form select objects", async () => {
  const { registry, kinds, post } = await openFixture();
  const labels: Record<string, Record<string, string>> = {
    a: { env: "prod", tier: "web", n: "1" },
    b: { env: "prod", tier: "db" },
    c: { env: "test", tier: "web", n: "3" },
    d: { constructor: "x" },
    e: {},
  };
  for (const [name, own] of Object.entries(labels)) await post(kinds.note, { metadata: { name, labels: own } });
  const cases: [string, string[]][] = [
    ["env=prod", ["a", "b"]],
    ["env in (prod,test),tier=web", ["a", "c"]],
    ["env notin (prod)", ["c", "d", "e"]],
    ["!tier", ["d", "e"]],
    ["n>1", ["c"]],
    ["constructor", ["d"]],
    ["!constructor", ["a", "b", "c", "e"]],
    ["toString", []],
    ["env=prod,env=test", []],
  ];
  for (const [labelSelector, shows] of cases) {
    expect([
      labelSelector,
      names((await registry.list(kinds.note, { namespace: "a", labelSelector })).entries),
    ]).toEqual([labelSelector, shows]);
  }
  const fields: [string, string[]][] = [
    ["metadata.name=b", ["b"]],
    ["metadata.name!=b", ["a", "c", "d", "e"]],
    ["metadata.name=a,metadata.name=b", []],
    ["metadata.namespace=a", ["a", "b", "c", "d", "e"]],
    ["metadata.namespace=b", []],
  ];
  for (const [fieldSelector, shows] of fields) {
    for (const namespace of ["a", ""]) {
      expect(names((await registry.list(kinds.note, { namespace, fieldSelector })).entries)).toEqual(shows);
    }
  }
  await post(kinds.rule, { metadata: { name: "r" } });
  for (const [fieldSelector, shows] of [
    ["metadata.namespace=a", []],
    ["metadata.namespace!=a", ["r"]],
    ["metadata.namespace=", ["r"]],
  ] as const) {
    expect(names((await registry.list(kinds.rule, { namespace: "", fieldSelector })).entries)).toEqual(shows);
  }
  for (const query of [{ labelSelector: "a b=c" }, { fieldSelector: "data.k=v" }, { fieldSelector: "metadata.name" }]) {
    expect(await refusal(registry.list(kinds.note, { namespace: "a", ...query }))).toEqual({
      code: 400,
      reason: "BadRequest",
    });
  }
  await registry.close();
});

test("a list that uses an index has the same result as one that reads all objects", async () => {
  const { registry, kinds, post } = await openFixture();
  for (let n = 0; n < 500; n += 1) {
    const name = `n${String(n).padStart(3, "0")}`;
    await post(kinds.task, { metadata: { name, labels: { group: `g${n % 50}` } }, spec: { node: `node${n % 25}` } });
  }
  const byLabel = { namespace: "a", labelSelector: "group in (g7,g8)" };
  const byField = { namespace: "a", fieldSelector: "spec.node=node3" };
  const expected = names((await registry.list(kinds.task, byLabel)).entries);
  expect(expected.length).toBe(20);
  for (let again = 0; again < 3; again += 1) {
    expect(names((await registry.list(kinds.task, byLabel)).entries)).toEqual(expected);
    expect((await registry.list(kinds.task, byField)).entries.length).toBe(20);
  }
  await registry.close();
});

test("all versions of a family list the same objects, whichever one wrote them", async () => {
  const { registry, kinds, post } = await openFixture();
  await post(kinds.taskBeta, { metadata: { name: "x" }, host: "n1" });
  const { entries } = await registry.list(kinds.task, { namespace: "a" });
  expect(entries[0]!.object()).toMatchObject({
    apiVersion: "example.orch.io/v1",
    spec: { node: "n1", size: 5 },
    status: { count: 0 },
  });
  await registry.close();
});

test("a list of an unknown namespace is empty", async () => {
  const { registry, kinds, post } = await openFixture();
  await post(kinds.note, { metadata: { name: "x" } });
  for (const namespace of ["..", ".", "a/", "a/x", "%2e%2e", "\0", "A", "a\0"]) {
    expect((await registry.list(kinds.note, { namespace })).entries).toEqual([]);
    expect(await refusal(registry.get(kinds.note, { namespace, name: "x" }))).toMatchObject({ code: 404 });
  }
  for (const name of ["..", "", "a/x", "../notes/a/x", "\ud800"]) {
    expect(await refusal(registry.get(kinds.note, { namespace: "a", name }))).toMatchObject({ code: 404 });
  }
  await registry.close();
});
