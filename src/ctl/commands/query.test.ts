/** Questions of the command line: `get --where`, `--order-by`, `--count`, and `query`. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
  const maps = [
    ["a", "1"],
    ["b", "3"],
    ["c", "2"],
  ].map(([name, size]) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", labels: { size } },
    data: { size },
  }));
  await session.server.load(maps);
});
afterAll(() => session[Symbol.asyncDispose]());

const where = "self.metadata.name != 'a' && 'size' in self.data";

describe("get", () => {
  test("shows in every format what an expression is true of, in the order of the server", async () => {
    const asked = ["get", "configmaps", "--where", where, "--order-by", "data.size desc"];
    expect(await session.ok([...asked, "-o", "name"])).toBe("configmap/b\nconfigmap/c\n");
    expect(await session.ok([...asked, "--no-headers"])).toMatch(/^b\s+1\s+\S+\nc\s+1\s+\S+\n$/);
    expect(await session.ok([...asked, "--no-headers", "--chunk-size=1"])).toMatch(/^b\s+1\s+\S+\nc\s+1\s+\S+\n$/);
  });

  test("counts", async () => {
    expect(await session.ok(["get", "configmaps", "--where", where, "--count"])).toBe("2\n");
    expect(await session.ok("get configmaps,secrets -l size --count")).toBe(
      "3\tconfigmap in default\n0\tsecret in default\n",
    );
  });

  test("watches", async () => {
    const { out } = await session.run(["get", "configmaps", "--where", where, "-w", "-o", "name"], {
      stopAt: "configmap/c",
    });
    expect(out).toBe("configmap/b\nconfigmap/c\n");
  });

  test.each([
    [["get", "configmap", "a", "--where", "true"], "is about a list of objects"],
    [["get", "configmaps", "--where", ""], "--where is empty"],
    [["get", "configmaps", "--count", "-o", "json"], "--count prints numbers"],
    [["get", "configmaps", "-w", "--count"], "--watch goes together with --where"],
    [["get", "configmaps", "--order-by", "data.size", "--sort-by", ".data.size"], "give one of them"],
    [["get", "configmaps", "--where", "self.nothing"], "undefined field 'nothing'"],
  ])("refuses %s", async (words, message) => {
    const { code, err } = await session.run(words);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });
});

test("query says how many there are, and how they were found", async () => {
  const { out } = await session.run(["query", "configmaps", "self.metadata.labels['size'] == '3'", "-l", "size"]);
  expect(out).toMatch(
    /^matched {4}1 of 3 objects that were looked at\nfound by {3}looking at every object\ncost {7}\d+\n$/,
  );
});

test("a server that ignores questions is not asked", async () => {
  const fetch = async (path: string, init?: RequestInit) => {
    const answer = await session.server.fetch(path, init);
    const headers = new Headers(answer.headers);
    headers.delete("orch-plan");
    return new Response(answer.body, { status: answer.status, headers });
  };
  for (const words of [
    ["get", "configmaps", "--where", "true"],
    ["get", "configmaps", "--where", "true", "-o", "name"],
    ["get", "configmaps", "--count"],
    ["query", "configmaps", "true"],
  ]) {
    const { code, out, err } = await session.run(words, { fetch: fetch as never });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("the server does not know where and orderBy");
  }
});
