/** The single executable, as somebody has it who downloads it: in a folder of its own, on a machine without Node. */

import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort, run } from "./programs.ts";

const folder = mkdtempSync(resolve(".cache/single-"));
const home = mkdtempSync(join(tmpdir(), "orch-home-"));
const bin = join(folder, "bin");
const slow = { timeout: 300_000 };
const single = (name: string, ...args: string[]) =>
  run("env", ["-i", `PATH=${bin}`, `HOME=${home}`, join(bin, name), ...args], { timeoutMs: slow.timeout });

beforeAll(async () => {
  mkdirSync(bin);
  const built = join(folder, "built");
  const { code, stderr } = await run(process.execPath, ["scripts/single.mjs", built.slice(resolve(".").length + 1)]);
  expect(code, stderr).toBe(0);
  linkSync(built, join(bin, "orch"));
  symlinkSync("orch", join(bin, "ctl"));
  // What the programs for envtest are written in.
  for (const name of ["sh", "cat", "dirname", "readlink"]) symlinkSync(`/bin/${name}`, join(bin, name));
}, slow.timeout);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
});

test("starts at once from several processes, unpacks once, and is ctl under that name", slow, async () => {
  const versions = await Promise.all([
    single("orch", "version"),
    single("orch", "version"),
    single("ctl", "version", "--client"),
  ]);
  expect(versions.map(({ code, stderr }) => ({ code, stderr }))).toEqual(versions.map(() => ({ code: 0, stderr: "" })));
  expect(versions[0]?.stdout).toMatch(/^orch \d/);
  expect(versions[2]?.stdout).toMatch(/^Client Version/);
  expect(readdirSync(join(home, ".cache/orch"))).toHaveLength(1);
});

test("serves in the background from a durable store, and ctl finds it", slow, async () => {
  const data = join(folder, "data");
  const port = await freePort();
  const up = await single("orch", "up", "--detach", `--secure-port=${port}`, `--data-dir=${data}`);
  expect(up.code, up.stderr).toBe(0);
  try {
    const got = await single("ctl", `--kubeconfig=${join(data, "admin.conf")}`, "get", "namespaces", "-o", "name");
    expect(got.stdout, got.stderr).toContain("namespace/default\n");
  } finally {
    expect((await single("orch", "stop", `--data-dir=${data}`)).code).toBe(0);
  }
});

test("is what the programs for envtest start in place of Node", slow, async () => {
  const { stdout } = await single("orch", "envtest", "--like=kubernetes-1.30");
  const assets = stdout.trim();
  expect(existsSync(join(assets, "etcd"))).toBe(true);
  for (const name of ["kube-apiserver", "kubectl"]) {
    const args = name === "kubectl" ? ["version", "--client"] : ["--version"];
    const started = await run("env", ["-i", `PATH=${bin}`, `HOME=${home}`, join(assets, name), ...args]);
    expect({ name, code: started.code, stderr: started.stderr }).toEqual({ name, code: 0, stderr: "" });
  }
});
