/** `ctl` as a process: how it starts, its files and pipes. */

import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { openKubectlSession } from "./kubectl-session.ts";
import { run } from "./programs.ts";

const ctlPath = resolve("bin/ctl");

test("npm can create a Windows command for each bin: it runs the program of the first line", () => {
  const { bin } = JSON.parse(readFileSync("package.json", "utf8")) as { bin: Record<string, string> };
  for (const file of Object.values(bin)) {
    const text = readFileSync(file, "utf8");
    expect([file, text.split("\n")[0], text.includes("\r")]).toEqual([file, "#!/usr/bin/env node", false]);
  }
});

describe("ctl as a process", () => {
  test("prints its version without a server, and its overview fits on a screen", async () => {
    const version = await run(ctlPath, ["version", "--client"]);
    expect([version.code, version.stdout]).toEqual([0, expect.stringMatching(/^Client Version: .*API v1\.21/)]);
    const help = await run(ctlPath, ["--help"]);
    expect(help.stdout.split("\n").length).toBeLessThan(25);
  });
  test("writes configurations and caches that only their owner can read", async () => {
    const session = await openKubectlSession();
    const file = join(session.folder, "written");
    const env = { ...session.env, XDG_CACHE_HOME: join(session.folder, "cache") };
    expect(
      (await run(ctlPath, ["config", "set-credentials", "me", "--token=t", `--kubeconfig=${file}`], { env })).code,
    ).toBe(0);
    expect((await run(ctlPath, ["get", "pods"], { env })).code).toBe(0);
    const folder = join(session.folder, "cache/orch-ctl");
    const { readdirSync } = await import("node:fs");
    const files = [file, ...readdirSync(folder).map((name) => join(folder, name))];
    expect(files.length).toBeGreaterThan(1);
    for (const path of files) expect((await stat(path)).mode & 0o077).toBe(0);
    await session.close();
  });
  test("lists with one request once discovery is cached", async () => {
    const session = await openKubectlSession();
    await run(ctlPath, ["get", "pods"], { env: session.env });
    const { stderr } = await run(ctlPath, ["get", "pods", "-v=6"], { env: session.env });
    expect(stderr.match(/^GET \S+/gm)).toEqual([
      expect.stringMatching(/\/api\/v1\/namespaces\/default\/pods\?limit=500$/),
    ]);
    await session.close();
  });
  test("starts even if a script has emptied the PATH", async () => {
    const { code, stdout } = await run(ctlPath, ["version", "--client", "--short"], { env: { PATH: "" } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Client Version: v1\.21/)]);
  });
  test("accepts a reader that closes the pipe early", async () => {
    const session = await openKubectlSession();
    const { code, stdout } = await run("/bin/sh", ["-c", `"${ctlPath}" api-resources | head -1; exit 0`], {
      env: session.env,
    });
    expect([code, stdout.split("\n").length]).toEqual([0, 2]);
    await session.close();
  });
});
