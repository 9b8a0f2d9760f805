/** What the README and the first steps show, run as it is written: every block belongs to one of these tests. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { describeWith, freePort, kubectl, kubectlPath, run } from "./programs.ts";

const slow = 180_000;
const readme = readFileSync("README.md", "utf8");
const steps = readFileSync("docs/start.md", "utf8");

/** The blocks of a language under a heading; "" is that of a terminal. */
function blocksOf(page: string, heading: string, wanted = ""): string[] {
  const section = page.split(new RegExp(`\\n##+ ${heading}\\n`))[1]?.split(/\n##+ /)[0] ?? "";
  const blocks = [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language, block = ""]) => (language === wanted ? [block] : []));
}

/** A folder that looks like a clone, or like a project that has the package. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orch-readme-"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  symlinkSync(resolve("."), join(modules, "orch"));
  symlinkSync(resolve("bin"), join(folder, "bin"));
  for (const name of ["orch", "ctl"]) symlinkSync(resolve("bin", name), join(modules, ".bin", name));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  return folder;
}

/** What may stand in standard error: npx about this machine, bash about what it ended, and what the programs say beside their output. */
const hints =
  /^(npm warn .*\n|\[\d\].* Terminated .*\n|pod\/\S+ does not run yet: .*\n|orch envtest: .*\n|Open this link .*\n)*$/;

/** A server in such a folder. */
function openClone(flags: readonly string[], program = [join("bin", "orch"), "up"]) {
  const folder = openFolder();
  let server: ChildProcess | undefined;
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
    const ready = join(folder, "ready");
    const args = [...program, `--secure-port=${port}`, `--ready-file=${ready}`, ...flags];
    server = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" });
    await vi.waitFor(() => expect(existsSync(ready)).toBe(true), { timeout: slow, interval: 50 });
  }, slow);
  afterAll(async () => {
    if (server?.exitCode === null && server.kill()) await once(server, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    /** Runs the block; if its last command goes on, it ends when it has shown `watched`. */
    async runBlock(block: string, watched?: string): Promise<string> {
      const commands = block.replaceAll(":6443", `:${port}`).trimEnd().split("\n");
      const last = watched === undefined ? undefined : commands.pop();
      const script = ["shopt -s expand_aliases", "set -eum", ...commands];
      if (last !== undefined)
        script.push(
          ": > watched",
          `${last} > watched & watcher=$!`,
          `until grep -q ${watched} watched; do kill -0 $watcher; sleep 0.1; done`,
          "kill -- -$watcher",
        );
      return runScript(folder, script.join("\n"), { KUBECONFIG: join(folder, ".orch/admin.conf") });
    },
  };
}

async function runScript(folder: string, script: string, env: Record<string, string> = {}): Promise<string> {
  writeFileSync(join(folder, "session.sh"), script);
  const path = [dirname(kubectlPath), join(folder, "programs"), process.env["PATH"]].join(delimiter);
  const { code, stdout, stderr } = await run("bash", ["-c", `cd ${folder} && exec bash session.sh`], {
    env: { PATH: path, HOME: folder, ...env },
    timeoutMs: slow,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(hints) });
  return stdout;
}

/** A program of a page as Node runs it. */
async function writeProgram(folder: string, name: string, code: string): Promise<void> {
  const { code: lowered } = await transform(code, { loader: "ts", format: "esm", target: "node20" });
  writeFileSync(join(folder, name), lowered);
}

describe("on a server as npm start makes it", () => {
  const clone = openClone([], [resolve("scripts/start.mjs")]);

  test("the session with ctl", { timeout: slow }, async () => {
    const [block = ""] = blocksOf(steps, "A session with ctl");
    const out = await clone.runBlock(block, "greeting");
    expect(out).toContain("configmap/greeting created\n");
    expect(out).toMatch(/^greeting +1 /m);
    expect(out).toContain("configmap/greeting patched\n");
    expect(out).toMatch(/^KIND: +Pod$/m);
  });

  test("the session with curl, after it", { timeout: slow }, async () => {
    const [block = ""] = blocksOf(steps, "A session with curl");
    const out = await clone.runBlock(block, "farewell");
    expect(out).toContain('"NamespaceList"');
    expect(out).toMatch(/"text": ?"good night"/);
    expect(out).not.toContain('"Failure"');
  });

  test("the door to a platform: its program runs, and its commands see what it defines", {
    timeout: slow,
  }, async () => {
    const [code = ""] = blocksOf(readme, "Build a platform on the API", "ts");
    const [block = ""] = blocksOf(readme, "Build a platform on the API");
    await writeProgram(clone.folder, "platform.mjs", code);
    const shop = '{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"corner"},"spec":{"shelves":3}}';
    const out = await clone.runBlock(
      [
        "node platform.mjs & platform=$!",
        "until node bin/ctl get shops > shops 2>&1; do kill -0 $platform; sleep 0.2; done",
        `echo '${shop}' | node bin/ctl apply -f -`,
        "node bin/ctl wait --for=create configmap/corner-stock",
        block,
        "kill $platform",
      ].join("\n"),
    );
    expect(out).toContain("configmap/corner-stock");
    expect(out).toMatch(/^KIND: +Shop$/m);
    expect(out).toContain("rolebinding.rbac.authorization.orch.io/jane created\n");
    expect(out).toMatch(/jane/);
  });
});

describe("on a server with simulated nodes", () => {
  const [start = "", ...commands] = (blocksOf(readme, "Simulate a cluster")[0] ?? "").trimEnd().split("\n");
  const clone = openClone(start.split(" ").slice(3));

  test("a deployment is rolled out, and can be looked at", { timeout: slow }, async () => {
    expect(start).toBe("npx orch up --nodes=3");
    const out = await clone.runBlock(commands.join("\n"));
    expect(out).toContain('deployment "web" successfully rolled out\n');
    const [look = ""] = blocksOf(readme, "Learn, or look");
    expect(await clone.runBlock(look, "http://127.0.0.1")).toContain("has all 6 pods available\n");
  });
});

describe("the door to tests", () => {
  const folder = openFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("the test in TypeScript passes", { timeout: slow }, async () => {
    const [code = ""] = blocksOf(readme, "Test my controller", "ts");
    await writeProgram(folder, "rollout.test.mjs", code);
    mkdirSync(join(folder, "config"));
    const labels = { app: "web" };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } };
    Object.assign(spec.template.spec, { containers: [{ name: "web", image: "any" }] });
    const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec };
    writeFileSync(join(folder, "config/web.json"), JSON.stringify(web));
    const out = await runScript(folder, "node --test --test-reporter=tap rollout.test.mjs");
    expect(out).toMatch(/^ok 1 - rolls out although/m);
  });

  test("each command for other languages gives its suite a server", { timeout: slow }, async () => {
    mkdirSync(join(folder, "programs"));
    // What stands for the suites says what it was given.
    const suites = {
      "programs/go": "echo go: $KUBEBUILDER_ASSETS; test -x $KUBEBUILDER_ASSETS/kube-apiserver",
      "programs/pytest": "echo pytest: $(npx ctl version | grep Server)",
      "each-test-has-its-own-copy.sh": "echo forks: $ORCH_FORKS",
    };
    for (const [name, script] of Object.entries(suites))
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const [block = ""] = blocksOf(readme, "Test my controller");
    const out = await runScript(folder, `set -eu\n${block}`);
    expect(out).toMatch(/^go: .*\/bin\/envtest$/m);
    expect(out).toMatch(/^pytest: .*v1\.37\./m);
    expect(out).toMatch(/^forks: https:\/\/127\.0\.0\.1:\d+\/forks$/m);
  });
});

describeWith(kubectl, "on a server with the names that kubectl knows", () => {
  const [start = "", session = ""] = blocksOf(steps, "A session with kubectl");
  const flags = /orch up (.*)/.exec(start)?.[1]?.split(" ") ?? [];
  const clone = openClone(flags);

  test("the session with kubectl", { timeout: slow }, async () => {
    expect(flags).toContain("--like=kubernetes-1.37");
    const out = await clone.runBlock(session, "greeting");
    expect(out).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(out).toContain("configmap/greeting created\n");
    expect(out).toContain("text: hello");
  });
});

test("the README has no block that no test runs", () => {
  const run = ["Test my controller", "Simulate a cluster", "Build a platform on the API", "Learn, or look"];
  const blocks = run.flatMap((heading) => [...blocksOf(readme, heading), ...blocksOf(readme, heading, "ts")]);
  // `npm ci` has been run where tests run, and the first server above is that of `npm start`.
  expect(readme.match(/^```\w*$/gm)).toHaveLength(2 * (blocks.length + 1));
  expect(readme).toContain("```\nnpm ci\nnpm start\n```");
  expect(JSON.parse(readFileSync("package.json", "utf8")).scripts).toMatchObject({
    start: "node scripts/start.mjs",
    test: "node scripts/test.mjs",
  });
});
