/** The sessions of the README, run as they are written, one after the other on one server. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { describeWith, freePort, kubectl, kubectlPath, run } from "./programs.ts";

const slow = 180_000;
const page = readFileSync("README.md", "utf8");

/** The command blocks under a heading. */
function blocksOf(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const blocks = [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language, block = ""]) => (language === "" ? [block] : []));
}

/** A server in a folder that looks like a clone. */
function openClone(flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "orch-readme-"));
  let server: ChildProcess | undefined;
  let port = 0;
  beforeAll(async () => {
    symlinkSync(resolve("bin"), join(folder, "bin"));
    port = await freePort();
    const ready = join(folder, "ready");
    const args = ["bin/orch", "up", `--secure-port=${port}`, `--ready-file=${ready}`, ...flags];
    server = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" });
    await vi.waitFor(() => expect(existsSync(ready)).toBe(true), { timeout: slow, interval: 50 });
  }, slow);
  afterAll(async () => {
    if (server?.exitCode === null && server.kill()) await once(server, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    /** Runs the block; its last command watches, and ends when it has shown `watched`. `hint` is what may stand in standard error. */
    async runBlock(block: string, watched: string, hint = /^$/): Promise<string> {
      const commands = block.replaceAll(":6443", `:${port}`).trimEnd().split("\n");
      const last = commands.pop();
      const script = [
        "shopt -s expand_aliases",
        "set -eu",
        ...commands,
        ": > watched",
        `${last} > watched & watcher=$!`,
        `until grep -q ${watched} watched; do kill -0 $watcher; sleep 0.1; done`,
        "kill $watcher",
      ];
      writeFileSync(join(folder, "session.sh"), script.join("\n"));
      const env = { PATH: `${dirname(kubectlPath)}:${process.env["PATH"]}`, HOME: folder };
      const command = `cd ${folder} && exec bash session.sh`;
      const { code, stdout, stderr } = await run("bash", ["-c", command], { env, timeoutMs: slow });
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(hint) });
      return stdout;
    },
  };
}

describe("on a server as npm start makes it", () => {
  const clone = openClone([]);

  test("the session with ctl", { timeout: slow }, async () => {
    const [block = ""] = blocksOf("A first session with ctl");
    const out = await clone.runBlock(block, "greeting");
    expect(out).toContain("configmap/greeting created\n");
    expect(out).toMatch(/^greeting +1 /m);
    expect(out).toContain("configmap/greeting patched\n");
    expect(out).toMatch(/^KIND: +Pod$/m);
  });

  test("the session with curl, after it", { timeout: slow }, async () => {
    const [block = ""] = blocksOf("A first session with curl");
    const out = await clone.runBlock(block, "farewell");
    expect(out).toContain('"NamespaceList"');
    expect(out).toMatch(/"text": ?"good night"/);
    expect(out).not.toContain('"Failure"');
  });
});

describe("on a server with simulated nodes", () => {
  const [session = ""] = blocksOf("What for").filter((block) => block.includes("orch up"));
  const [start = "", ...commands] = session.trimEnd().split("\n");
  const clone = openClone(start.split(" ").slice(3));

  test("a deployment is rolled out", { timeout: slow }, async () => {
    expect(start).toBe("npx orch up --nodes=3");
    const connection = ["export KUBECONFIG=.orch/admin.conf", "alias ctl='node bin/ctl'"];
    const watch = "ctl get deployments -w";
    // On a busy machine `ctl rollout status` says what it waits for.
    const hint = /^(pod\/\S+ does not run yet: .*\n)*$/;
    const out = await clone.runBlock([...connection, ...commands, watch].join("\n"), "web", hint);
    expect(out).toContain('deployment "web" successfully rolled out\n');
    expect(out).toMatch(/^web-\S+ +\d+m? +\d+Mi$/m);
  });
});

describeWith(kubectl, "on a server with the names that kubectl knows", () => {
  const [start = "", session = ""] = blocksOf("A first session with kubectl");
  const flags = /orch up (.*)/.exec(start)?.[1]?.split(" ") ?? [];
  const clone = openClone(flags);

  test("the session with kubectl", { timeout: slow }, async () => {
    expect(flags).toContain("--vocabulary=kubernetes");
    const out = await clone.runBlock(session, "greeting");
    expect(out).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(out).toContain("configmap/greeting created\n");
    expect(out).toContain("text: hello");
  });
});
