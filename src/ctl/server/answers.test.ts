/** What a user sees when something that is not the server answers. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";
import { runRemoteCtl } from "../streams/remote-session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
});
afterAll(() => session[Symbol.asyncDispose]());

/** Discovery comes from the server, and everything else from what is in between. */
function behind(answer: () => Response) {
  return {
    fetch: (path: string, init?: RequestInit) =>
      /^\/(api|apis|openapi)(\/[^/]+){0,2}$/.test(path) ? session.server.fetch(path, init) : Promise.resolve(answer()),
  };
}
const redirect = () => new Response("", { status: 302, headers: { location: "https://login.example/" } });
const otherKind = () => new Response('{"kind":"LoginPage","apiVersion":"v1","metadata":{"name":"p1"}}');
const page = () => new Response("<html>log in</html>", { headers: { "content-type": "text/html" } });

describe("an answer that is not what was requested", () => {
  const answers = [
    { what: "a redirect", answer: redirect, told: "a redirect (302) to https://login.example/, which is not followed" },
    { what: "another kind", answer: otherKind, told: '"kind":"LoginPage"' },
    { what: "a page", answer: page, told: "<html>log in</html>" },
  ];
  const commands = [
    "delete cm p1",
    "get cm p1",
    "get cm p1 -o yaml",
    "get cm",
    "get cm -o name",
    "get cm -w",
    "label cm p1 a=b",
    "create cm p1",
    "describe cm p1",
    "version",
    "auth can-i get pods",
  ];
  for (const { what, answer, told } of answers)
    for (const command of commands)
      test(`${command}: ${what} is an error that shows what came`, async () => {
        const { code, out, err } = await session.run(command, behind(answer));
        expect({ code, out: out.replace(/^Client Version.*\n/, "") }).toEqual({ code: 1, out: "" });
        expect(err).toContain(told);
      });
});

test("a server that does not answer within --request-timeout is named so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ctl-silent-"));
  const silent = createServer(() => {});
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  try {
    const { port } = silent.address() as AddressInfo; // it listens on a port, not on a path
    const config = join(folder, "config");
    const cluster = { name: "c", cluster: { server: `http://127.0.0.1:${port}` } };
    const contexts = [{ name: "x", context: { cluster: "c", user: "" } }];
    writeFileSync(config, JSON.stringify({ clusters: [cluster], contexts, "current-context": "x" }));
    const { code, err } = await runRemoteCtl("get pods --request-timeout=50ms", { config });
    expect([code, err]).toEqual([
      1,
      "Unable to connect to the server: context deadline exceeded: there was no answer within --request-timeout\n",
    ]);
  } finally {
    silent.closeAllConnections();
    silent.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
