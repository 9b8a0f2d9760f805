import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
});
afterAll(() => session[Symbol.asyncDispose]());

const map = (name: string, data: string, namespace = "shop") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: ${data}\n`;
const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {a: b}}\n";
const stored = async (name: string) =>
  (await session.server.fetch(`/api/v1/namespaces/shop/configmaps/${name}`)).status === 200;

describe("apply --atomic", () => {
  test("stores all objects, and says what happened to each", async () => {
    const files = [namespace, map("a", "{x: '1'}"), map("b", "{x: '1'}")].join("---\n");
    expect(await session.ok("apply --atomic --dry-run=server -f -", { input: files })).toBe(
      "namespace/shop created (server dry run)\nconfigmap/a created (server dry run)\nconfigmap/b created (server dry run)\n",
    );
    expect(await stored("a")).toBe(false);
    expect(await session.ok("apply --atomic -f -", { input: files })).toBe(
      "namespace/shop created\nconfigmap/a created\nconfigmap/b created\n",
    );
    const changed = [namespace, map("a", "{x: '2'}"), map("b", "{x: '1'}")].join("---\n");
    expect(await session.ok("apply --atomic -f -", { input: changed })).toBe(
      "namespace/shop unchanged\nconfigmap/a configured\nconfigmap/b unchanged\n",
    );
    expect(await session.ok("apply --atomic -o name -f -", { input: changed })).toBe(
      "namespace/shop\nconfigmap/a\nconfigmap/b\n",
    );
  });

  test("stores nothing if one is refused, and names its file", async () => {
    const files = [map("c", "{x: '1'}"), map("d", "{'not a key!': '1'}")].join("---\n");
    const { code, err } = await session.run("apply --atomic -f -", { input: files });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: STDIN: ConfigMap "d" is invalid: .*not a key!.*\nnothing was applied\n$/);
    expect(await stored("c")).toBe(false);
  });

  test.each([
    ["--prune --all", "--atomic cannot be used with --prune"],
    ["--client-side", "--atomic needs --server-side"],
    ["--dry-run=client", "did you mean --dry-run=server"],
  ])("is refused with %s", async (flags, message) => {
    const { code, err } = await session.run(`apply --atomic ${flags} -f -`, { input: namespace });
    expect(code).toBe(1);
    expect(err).toContain(message);
  });
});
