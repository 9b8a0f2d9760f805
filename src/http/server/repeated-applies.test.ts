import { expect, test } from "vitest";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { kind } from "../../machinery/schema/kind.ts";
import { RepeatedApplies, repeatedAppliesMax } from "./repeated-applies.ts";

const names = { group: "toys.orch.io", version: "v1", scope: "Namespaced", doc: "", fields: {} } as const;
const Robot = kind({ ...names, kind: "Robot", resource: "robots" });
const bind = () => createCatalog([Robot], plainEnvironment()).of(Robot);

const of = (name: string, bytes = "{}", more = {}) => ({
  kind: robots,
  namespace: "default",
  name,
  subresource: "",
  manager: "m",
  force: false,
  bytes: Buffer.from(bytes),
  ...more,
});
const robots = bind();

test("an apply is found by its configuration, its object, its path, its manager and force", () => {
  const applies = new RepeatedApplies();
  applies.remember(of("a"), "7", "uid");
  expect(applies.find(of("a"))).toMatchObject({ version: "7", uid: "uid" });
  const others = [
    { manager: "n" },
    { force: true },
    { subresource: "status" },
    { namespace: "other" },
    { kind: bind() },
  ];
  for (const other of others) expect(applies.find(of("a", "{}", other))).toBeUndefined();
  expect(applies.find(of("a", "{ }"))).toBeUndefined();
  expect(applies.find(of("b"))).toBeUndefined();
});

test("of more than repeatedAppliesMax applies of a kind, the least recently used are forgotten", () => {
  const applies = new RepeatedApplies();
  for (let n = 0; n <= repeatedAppliesMax; n += 1) applies.remember(of(`a${n}`), "7", "");
  expect(applies.find(of("a0"))).toBeUndefined();
  expect(applies.find(of("a1"))).toBeDefined();
});
