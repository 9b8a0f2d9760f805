import { expect, test } from "vitest";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { customKind } from "../../machinery/schema/custom-kind.suite.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { kind } from "../../machinery/schema/kind.ts";
import type { Action } from "../../registry/contract/action.ts";
import { checkActions } from "./actions.ts";

const names = { group: "toys.orch.io", version: "v1", scope: "Namespaced", doc: "", fields: {} } as const;
const Question = kind({ ...names, kind: "Question", resource: "questions", verbs: ["create"], action: "questions" });
const Robot = kind({
  ...names,
  kind: "Robot",
  resource: "robots",
  subresources: [
    { name: "exec", verbs: ["create"], action: "robots/exec", connects: {} },
    { name: "kick", verbs: ["create"], action: "robots/kick" },
    { name: "status", verbs: ["get"] },
  ],
});
const catalog = createCatalog([Question, Robot], plainEnvironment());
const create: Action = { create: async ({ body }) => ({ object: body, code: 201 }) };
const connect: Action = { connect: async () => {} };
const all = new Map([
  ["questions", create],
  ["robots/exec", connect],
  ["robots/kick", create],
]);

test("a server cannot be constructed while an action that a declaration names is missing", () => {
  expect(() => checkActions(catalog, all)).not.toThrow();
  expect(() => checkActions(catalog, new Map())).toThrow(
    'no action answers toys.orch.io/v1 questions ("questions"), toys.orch.io/v1 robots/exec ("robots/exec"), toys.orch.io/v1 robots/kick ("robots/kick")',
  );
});

test("a connection needs an action that connects, a review one that creates", () => {
  expect(() => checkActions(catalog, new Map([...all, ["robots/exec", create]]))).toThrow("robots/exec");
  expect(() => checkActions(catalog, new Map([...all, ["questions", connect]]))).toThrow("questions");
});

test("a path that accepts creates must name an action", () => {
  const Toy = kind({ ...names, kind: "Toy", resource: "toys", subresources: [{ name: "do", verbs: ["create"] }] });
  expect(() => checkActions(createCatalog([Toy], plainEnvironment()), all)).toThrow("toys.orch.io/v1 toys/do");
});

test("a custom kind must not name an action", () => {
  const custom = customKind({ ...names, kind: "Toy", resource: "toys", action: "questions" });
  expect(() => createCatalog([], plainEnvironment()).replace({ add: [custom] })).toThrow("names an action");
});
