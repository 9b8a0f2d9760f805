import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession();
  session.file(
    "widget.yaml",
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {min: 1, max: 5, name: x}\n",
  );
  session.file(
    "definition.yaml",
    `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {min: {type: number}, max: {type: number}}}}}}
`,
  );
});
afterAll(() => session[Symbol.asyncDispose]());

test("an expression is tried on an object, with its type and cost", async () => {
  const { code, out, err } = await session.run(["cel", "self.spec.min < self.spec.max", "-f", "widget.yaml"]);
  expect({ code, out, err }).toEqual({ code: 0, out: "true\n", err: "type bool, cost 7\n" });
});

test("a type error names the column", async () => {
  const { code, err } = await session.run(["cel", "self.spec.min < self.spec.name", "-f", "widget.yaml"]);
  expect(code).toBe(1);
  expect(err).toBe(
    "ERROR: <input>:1:15: found no matching overload for '_<_' applied to '(int, string)'\n | self.spec.min < self.spec.name\n | ..............^\n",
  );
});

test("a field that the object does not have is looked for when the expression is evaluated", async () => {
  expect(await session.ok(["cel", "!has(self.spec.other) || self.spec.other > 1", "-f", "widget.yaml"])).toBe("true\n");
});

test("types come from the definition if it is there", async () => {
  const { out } = await session.run(["cel", "self.spec.min + 0.5", "-f", "widget.yaml", "-f", "definition.yaml"]);
  expect(out).toBe("1.5\n");
  const { err } = await session.run(["cel", "self.spec.name", "-f", "widget.yaml", "-f", "definition.yaml"]);
  expect(err).toContain("1:10: undefined field 'name'");
});

test("an expression needs no object; an error has the exit code 1", async () => {
  expect(await session.ok(["cel", "[1, 2].map(x, x * 2)"])).toBe("[2, 4]\n");
  const { code, out } = await session.run(["cel", "1 / 0"]);
  expect({ code, out }).toEqual({ code: 1, out: "error: division by zero\n" });
});
