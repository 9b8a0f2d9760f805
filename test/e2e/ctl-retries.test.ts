/** `ctl` as a process waits as long as a server that is overloaded or not ready asks it to, and does not end in between. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { run } from "./programs.ts";

const ctlPath = resolve("bin/ctl");
let server: Server | undefined;
afterEach(() => server?.close());

/** Refuses the first `refusals` requests with this code and asks for another try, then answers its version. */
async function openBusyServer(code: number, refusals: number): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  server = createServer((_, response) => {
    const isRefused = ++asked <= refusals;
    const reason = code === 429 ? "TooManyRequests" : "ServiceUnavailable";
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", message: "busy", reason, code };
    response.writeHead(isRefused ? code : 200, {
      "content-type": "application/json",
      ...(isRefused ? { "retry-after": refusals > 1 ? "0" : "1" } : {}),
    });
    response.end(JSON.stringify(isRefused ? status : { major: "1", minor: "21", gitVersion: "v1.21.14" }));
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}`, asked: () => asked };
}

test.each([429, 503])(
  "a request that is refused once with %i is sent again after the time that the server names",
  async (code) => {
    const busy = await openBusyServer(code, 1);
    const outcome = await run(process.execPath, [ctlPath, `--server=${busy.url}`, "version"]);
    expect([outcome.code, outcome.stderr, busy.asked()]).toEqual([0, "", 2]);
    expect(outcome.stdout).toContain("v1.21.14");
  },
);

test("a server that refuses every time is an error, and never a success without a word", async () => {
  const busy = await openBusyServer(503, 1_000);
  const outcome = await run(process.execPath, [ctlPath, `--server=${busy.url}`, "get", "pods"]);
  expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("busy") });
  expect(busy.asked()).toBeGreaterThan(5);
});
