/** `--request-timeout` of a watch over a real connection, where it must end a response that has begun. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminToken } from "../cluster/call.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";
import { run } from "./programs.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-watch-"));
let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer(folder, ["--store=memory"]);
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.exited;
  server.agent.destroy();
  rmSync(folder, { recursive: true, force: true });
});

for (const timeout of ["2s", "2", "2000ms"])
  test(`get -w --request-timeout=${timeout} lists, watches until the time is over, and exits with 0`, async () => {
    const begun = performance.now();
    const access = [`--server=https://127.0.0.1:${server.port}`, "--insecure-skip-tls-verify", `--token=${adminToken}`];
    const args = ["get", "namespaces", "-w", "-o", "name", `--request-timeout=${timeout}`, ...access];
    const ended = await run(process.execPath, [resolve("bin/ctl"), ...args]);
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect(ended.stdout).toContain("namespace/default\n");
    expect(performance.now() - begun).toBeGreaterThan(2_000);
  });
