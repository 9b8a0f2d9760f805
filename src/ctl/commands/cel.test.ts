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
    "before.yaml",
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {min: 3, old: true, list: [{a: 1}, {b: 2}]}\n",
  );
  session.file(
    "both.yaml",
    "kind: Widget\nmetadata: {name: a}\nspec: {min: 1}\n---\nkind: Widget\nmetadata: {name: b}\nspec: {min: 9}\n---\nkind: Widget\n",
  );
  session.file("limits.yaml", "kind: ConfigMap\ndata: {max: 4}\n");
  session.file("broken.yaml", "a: [\n");
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

test("several objects are tried one after the other, each with its name", async () => {
  const { code, out, err } = await session.run(["cel", "self.spec.min < 5", "-f", "both.yaml"]);
  expect({ code, out }).toEqual({
    code: 1,
    out: "widget/a: true\nwidget/b: false\nwidget/-: error: no such key: spec\n",
  });
  expect(err).toContain("widget/b: type bool, cost 4\n");
});

test("the object before and the parameters come from files of their own", async () => {
  const old = ["-f", "widget.yaml", "--old", "before.yaml"];
  expect(await session.ok(["cel", "self.spec.min < oldSelf.spec.min && oldObject.spec.old", ...old])).toBe("true\n");
  expect(await session.ok(["cel", "oldSelf.spec.list.exists(x, has(x.b) && x.b == 2)", ...old])).toBe("true\n");
  const { err } = await session.run(["cel", "self.spec.min < oldSelf.spec.old", ...old]);
  expect(err).toContain("1:15: found no matching overload for '_<_' applied to '(int, bool)'");
  const params = ["-f", "widget.yaml", "--params", "limits.yaml"];
  expect(await session.ok(["cel", "object.spec.min <= params.data.max", ...params])).toBe("true\n");
});

test("a name without its file says which flag names it", async () => {
  const { err } = await session.run(["cel", "self.spec.min < oldSelf.spec.min", "-f", "widget.yaml"]);
  expect(err).toContain("oldSelf is the object before: --old FILENAME\n");
  expect((await session.run(["cel", "params.a"])).err).toContain("--params FILENAME");
  expect((await session.run(["cel", "self.a"])).err).toContain("-f FILENAME");
});

test("a file that cannot be read ends the command", async () => {
  const { code, err } = await session.run(["cel", "self.a == 1", "-f", "broken.yaml"]);
  expect(code).toBe(1);
  expect(err).toContain("error parsing broken.yaml");
  const { err: twice } = await session.run(["cel", "true", "-f", "widget.yaml", "--old", "both.yaml"]);
  expect(twice).toContain("--old: both.yaml must hold one object");
});
