/** The examples that have a folder of their own: each is run by the command that its README begins with. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { shellBlocks } from "./page-blocks.ts";
import { describeWith, freePort, openssl, pythonClient, pythonPath, run } from "./programs.ts";

const slow = { timeout: 300_000 };
const folder = mkdtempSync(join(tmpdir(), "orch-examples-"));
const bin = join(folder, "bin");
mkdirSync(bin);
for (const name of ["orch", "ctl"]) symlinkSync(resolve("bin", name), join(bin, name));
symlinkSync(pythonPath, join(bin, "python3"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tried: string[] = [];
/** What the example prints. */
async function outputOf(name: string): Promise<string> {
  const [command = ""] = shellBlocks(`examples/${name}/README.md`);
  const env = { PATH: [bin, process.env["PATH"]].join(delimiter), PORT: String(await freePort()) };
  const { code, stdout, stderr } = await run("sh", ["-c", command], { env, timeoutMs: slow.timeout });
  expect(code, stdout + stderr).toBe(0);
  return stdout + stderr;
}
const example = (name: string, check: (output: string) => void) => {
  tried.push(name);
  test(`examples/${name} works as its README says`, slow, async () => check(await outputOf(name)));
};

example("tenants", (output) => {
  expect(output).toMatch(/configmap\/prices created/);
  expect(output).toMatch(/rosa does not see team-blue/);
  expect(output).toMatch(/a tenant has no admin/);
  expect(output.match(/team-red has two pods at most/g)).toHaveLength(1);
});

example("autoscaling", (output) => {
  expect(output).toMatch(/deployment "web" successfully rolled out/);
  expect(output).toMatch(/^web +Deployment\/web/m);
});

example("chaos", (output) => expect(output).toMatch(/^\S pass 2$/m));

describeWith(openssl, "with openssl", () => {
  example("aggregated", (output) => {
    expect(output).toMatch(/^hamburg/m);
    expect(output).toMatch(/1\.04$/m);
  });

  example("webhook", (output) => {
    expect(output).toMatch(/name an owner in the annotation owner/);
    expect(output).toMatch(/^prices +0 +\S+ +rosa$/m);
  });
});

describeWith(pythonClient, "with the Python client", () => {
  example("python-operator", (output) => expect(output).toMatch(/ADDED HELLO\nMODIFIED GOODBYE\n/));
});

test("every folder of examples has a page in the list, and every README of one is tried", () => {
  const folders = readdirSync("examples", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const list = readFileSync("examples/README.md", "utf8");
  for (const { name } of folders) expect(list).toContain(`\`${name}/`);
  for (const { name } of folders) {
    const files = readdirSync(join("examples", name));
    const hasTest = files.some((file) => file.endsWith(".test.ts")); // vitest runs it
    if (files.includes("README.md")) expect(hasTest || tried.includes(name), name).toBe(true);
  }
});
