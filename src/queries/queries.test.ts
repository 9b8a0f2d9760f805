import { expect, test } from "vitest";
import { finish } from "../base/time-slice.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { newestLevel } from "../machinery/schema/levels.ts";
import type { Entry } from "../registry/contract/entry.ts";
import { allKinds, testEnvironment } from "../testing/all-kinds.ts";
import { compileCondition } from "./condition.ts";
import { rememberedCharsMax, watchRequirements, whereCharsMax } from "./limits.ts";
import { createQueries } from "./queries.ts";

const kinds = allKinds(testEnvironment({ level: newestLevel }));
const configMap = kinds.find(({ kind, version }) => kind === "ConfigMap" && version === "v1")!;

/** What a condition asks of an entry, and how often the object was read. */
function entryOf(kind: BoundKind, object: object) {
  const read = { times: 0 };
  const entry = {
    version: kind,
    family: kind.family,
    path: "default/a",
    object() {
      read.times++;
      return object;
    },
  };
  return { entry: entry as unknown as Entry, read }; // the parts that a watch uses
}

test("questions that are kept compiled have a limit of characters, over all kinds", async () => {
  const queries = createQueries();
  const where = (at: number) => `self.metadata.name != "${String(at).padStart(whereCharsMax / 2, "x")}"`;
  const listed = kinds.filter(({ declaration }) => declaration.verbs?.includes("list") !== false);
  const first = await queries.condition(configMap, where(0));
  expect(await queries.condition(configMap, where(0))).toBe(first);
  const others = Math.ceil((2 * rememberedCharsMax) / whereCharsMax);
  for (let at = 0; at < others; at++) await queries.condition(listed[at % listed.length]!, where(1));
  expect(await queries.condition(configMap, where(0))).not.toBe(first);
});

test("the same question about several kinds, or versions of a definition, is compiled for each", async () => {
  const queries = createQueries();
  const where = 'self.metadata.name == "a"';
  const one = await queries.condition(configMap, where);
  const changed = { ...configMap };
  const other = await queries.condition(changed, where);
  expect(other).not.toBe(one);
  expect(await queries.condition(changed, where)).toBe(other);
});

test("a watch counts the expression and its characters, which stay compiled", () => {
  const text = `self.metadata.name != "${"x".repeat(5_000)}"`;
  expect(finish(compileCondition(configMap, text)).requirements).toBe(watchRequirements + text.length);
});

test("many watches that ask the same read an object once", () => {
  const condition = finish(compileCondition(configMap, 'self.data["a"] == "1"'));
  const { entry, read } = entryOf(configMap, { metadata: { name: "a" }, data: { a: "1" } });
  for (let watch = 0; watch < 100; watch++) expect(condition.meets(entry)).toBe(true);
  expect(read.times).toBe(1);
});

test("watches that ask different things list the keys of an object once", () => {
  let listed = 0;
  const data = new Proxy(
    { a: "1" },
    {
      ownKeys(target) {
        listed++;
        return Reflect.ownKeys(target);
      },
    },
  );
  const { entry } = entryOf(configMap, { metadata: { name: "a" }, data });
  for (let watch = 0; watch < 100; watch++)
    expect(finish(compileCondition(configMap, `self.data.size() < ${watch}`)).meets(entry)).toBe(watch > 1);
  expect(listed).toBe(1);
});

test("a watch does little work that costs do not show", () => {
  const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, "v"]));
  const { entry } = entryOf(configMap, { metadata: { name: "a" }, data });
  // Within the cost of a watch, but a text of half a megabyte.
  const condition = finish(compileCondition(configMap, '"%s".format([self.data]) != ""'));
  expect(condition.meets(entry)).toBe(false);
});
