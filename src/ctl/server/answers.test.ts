/** What a user sees when something that is not the server answers. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goldenLevels } from "../../machinery/schema/levels.ts";
import { openSession, type Session } from "../session.suite.ts";
import { runRemoteCtl } from "../streams/remote-session.suite.ts";

/** Discovery comes from the server, and everything else from what is in between. */
function behind(session: Session, answer: () => Response) {
  return {
    fetch: (path: string, init?: RequestInit) =>
      /^\/(api|apis|openapi)(\/[^/]+){0,2}$/.test(path) ? session.server.fetch(path, init) : Promise.resolve(answer()),
  };
}
const redirect = () => new Response("", { status: 302, headers: { location: "https://login.example/" } });
const otherKind = () => new Response('{"kind":"LoginPage","apiVersion":"v1","metadata":{"name":"p1"}}');
const page = () => new Response("<html>log in</html>", { headers: { "content-type": "text/html" } });

describe.each(goldenLevels)("at level %s, an answer that is not what was requested", (emulatedVersion) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", { emulatedVersion });
  });
  afterAll(() => session[Symbol.asyncDispose]());
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
        const { code, out, err } = await session.run(command, behind(session, answer));
        expect({ code, out: out.replace(/^Client Version.*\n/, "") }).toEqual({ code: 1, out: "" });
        expect(err).toContain(told);
      });
});

describe("a server that does not answer within --request-timeout is named so by", () => {
  const folder = mkdtempSync(join(tmpdir(), "ctl-silent-"));
  const config = join(folder, "config");
  let session: Session;
  /** Answers what commands ask first, and never what they are about. */
  const silent = createServer(async (request, answer) => {
    const path = request.url ?? "";
    if (/\/log\?.*follow=true/.test(path)) answer.writeHead(200, { "content-type": "text/plain" }).write("begun\n");
    if (/\/(log|exec|attach|portforward)\b|\/pods\?/.test(path)) return;
    const { status, headers, body } = await session.server.fetch(path, { headers: { accept: "application/json" } });
    answer.writeHead(status, { "content-type": headers.get("content-type") ?? "" });
    answer.end(body === null ? "" : Buffer.from(await new Response(body).arrayBuffer()));
  }).on("upgrade", () => {});
  beforeAll(async () => {
    session = await openSession("ctl");
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    const { port } = silent.address() as AddressInfo; // it listens on a port, not on a path
    const cluster = { name: "c", cluster: { server: `http://127.0.0.1:${port}` } };
    const contexts = [{ name: "x", context: { cluster: "c", user: "" } }];
    writeFileSync(config, JSON.stringify({ clusters: [cluster], contexts, "current-context": "x" }));
    const containers = [{ name: "main", image: "example" }];
    await session.ok("create -f -", {
      input: JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "web" },
        spec: { nodeName: "n", containers },
      }),
    });
    await session.server.fetch("/api/v1/namespaces/default/pods/web/status", {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ status: { phase: "Running" } }),
    });
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    silent.closeAllConnections();
    silent.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const command of [
    "get pods",
    "logs web",
    "logs -f web",
    "exec web -- true",
    "attach web",
    "port-forward web 0:80",
    "cp web:/etc/hosts copied",
  ])
    for (const program of ["ctl", "kubectl"])
      test(`${program} ${command}`, async () => {
        // What is asked before the log must be answered in time on a busy machine too.
        const timeout = command === "logs -f web" ? "2s" : "500ms";
        const { code, err } = await runRemoteCtl(`--request-timeout=${timeout} ${command}`, { config, program });
        expect(code).toBe(1);
        expect(err.split("\n").at(-2)).toBe(
          command === "logs -f web"
            ? "error: context deadline exceeded while reading body: the answer did not end within --request-timeout"
            : "Unable to connect to the server: context deadline exceeded: there was no answer within --request-timeout",
        );
      });
});
