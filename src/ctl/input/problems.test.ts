import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

/** The files of a folder in which nearly everything is wrong. */
const files = {
  "a-good.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n",
  "b-broken.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [\n",
  "c-kinds.yaml":
    "# a comment\napiVersion: apps/v1\nkind: Deploymentt\nmetadata: {name: d}\n---\nmetadata: {name: x}\n",
  "d-refused.yaml": `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: A_B
- apiVersion: v1
  kind: Service
  metadata: {name: web}
  spec:
    type: Nope
    ports:
    - port: 0
`,
  "e-elsewhere.json": `{"apiVersion": "v1", "kind": "ConfigMap",
  "metadata": {"name": "one", "namespace": "nowhere"}}
{"apiVersion": "v1", "kind": "ConfigMap",
  "metadata": {"name": "two", "namespace": "nowhere"}}
`,
  "f-misspelt.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typo}\ndate: {}\nimmutabel: true\n",
};

describe.each(["1.21", "1.35"] as const)(
  "at %s, every problem of a folder is named by file, line and object",
  (level) => {
    let session: Session;
    beforeAll(async () => {
      session = await openSession("ctl", { emulatedVersion: level });
      mkdirSync(join(session.folder, "all"));
      for (const [name, content] of Object.entries(files)) writeFileSync(join(session.folder, "all", name), content);
    });
    afterAll(() => session[Symbol.asyncDispose]());

    const unread = [
      /^all\/b-broken\.yaml:5: it is not YAML: /m,
      /^all\/c-kinds\.yaml:3: deploymentt\.apps\/d: no matches for kind "Deploymentt" in version "apps\/v1"\nDid you mean "kind: Deployment"\?$/m,
      /^all\/c-kinds\.yaml:6: apiVersion and kind must be set|^all\/c-kinds\.yaml:6: apiVersion not set$/m,
    ];
    const refused = [
      /^all\/d-refused\.yaml:7: configmap\/A_B: .*metadata\.name: Invalid value: "A_B"/m,
      /^all\/d-refused\.yaml:12: service\/web: .*spec\.type: Unsupported value: "Nope"/m,
      /^all\/d-refused\.yaml:14: service\/web: .*spec\.ports\[0\]\.port: Invalid value: 0/m,
      /^all\/e-elsewhere\.json:1: configmap\/one: namespaces "nowhere" not found$/m,
      /^all\/e-elsewhere\.json:3: configmap\/two: namespaces "nowhere" not found$/m,
    ];
    const misspelt = [
      /^all\/f-misspelt\.yaml:4: configmap\/typo: .*unknown field "date"/m,
      /^all\/f-misspelt\.yaml:5: configmap\/typo: .*unknown field "immutabel"/m,
    ];

    const commands = [
      { line: "apply -f all", code: 1, done: "configmap/good created\n", told: [...unread, ...refused, ...misspelt] },
      { line: "apply -f all --client-side", code: 1, done: /good/, told: [...unread, ...refused, ...misspelt] },
      {
        line: "diff -f all",
        code: 2,
        done: /^$/,
        told: [...unread, ...refused, /f-misspelt\.yaml:4: .*\.date/, /f-misspelt\.yaml:5: .*\.immutabel/],
      },
      { line: "replace -f all", code: 1, done: "configmap/good replaced\n", told: [...unread, ...misspelt] },
      { line: "delete -f all", code: 1, done: 'configmap "good" deleted\n', told: unread },
      { line: "create -f all", code: 1, done: "configmap/good created\n", told: [...unread, ...refused, ...misspelt] },
      { line: "get -f all", code: 1, done: /good/, told: unread },
      { line: "label -f all a=b", code: 1, done: /good/, told: unread },
    ];
    for (const { line, code, done, told } of commands)
      test(`by ${line}`, async () => {
        const outcome = await session.run(line);
        expect(outcome.code).toBe(code);
        if (typeof done === "string") expect(outcome.out).toBe(done);
        else expect(outcome.out).toMatch(done);
        for (const one of told) expect(outcome.err).toMatch(one);
        expect(outcome.err).not.toContain("error when");
      });

    test("paths that do not exist are all named, and nothing is written then", async () => {
      const { code, out, err } = await session.run("apply -f all/a-good.yaml -f no.yaml -f none.yaml");
      expect([code, out, err]).toEqual([
        1,
        "",
        'the path "no.yaml" does not exist\nthe path "none.yaml" does not exist\n',
      ]);
    });

    test("a server that does not answer is one line", async () => {
      const fetch = () =>
        Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED", address: "a", port: 1 }));
      const { code, err } = await session.run("apply -f all/e-elsewhere.json", { fetch });
      expect([code, err.trim().split("\n").length]).toEqual([1, 1]);
    });

    test("exit codes are those of the refusals", async () => {
      expect((await session.run("create -f all/e-elsewhere.json --exit-codes=rich")).code).toBe(3);
    });
  },
);

test("under the name kubectl errors are those of kubectl", async () => {
  await using session = await openSession("kubectl");
  session.file("x.yaml", files["a-good.yaml"].replace("good", "A_B"));
  expect((await session.run("create -f x.yaml")).err).toMatch(/^The ConfigMap "A_B" is invalid: metadata\.name: /);
});
