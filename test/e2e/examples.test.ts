import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { describeWith, kubectl, kubectlPath, pythonClient, pythonPath, run } from "./programs.ts";

/** Those that vitest does not run itself. They use the built package, as its users do. */
const outputs: Record<string, RegExp> = {
  "controller.mjs": /^Hello, you\nHello, all\ngone\n$/,
  "informer.mjs": /^added web\nupdated web Running\n(updated .*\n)*deleted web\n$/,
  "node-test.mjs": /^\S pass 4\n/m,
  "watch.mjs": /^ADDED greeting\nDELETED greeting\n$/,
};

test("every example is run by a test", () => {
  const files = readdirSync("examples").filter((name) => name.endsWith(".mjs"));
  expect(files.sort()).toEqual(Object.keys(outputs).sort());
});

for (const [name, output] of Object.entries(outputs)) {
  test(`examples/${name} works as described`, async () => {
    const { code, stdout, stderr } = await run(process.execPath, [`examples/${name}`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(output);
  });
}

const orch = resolve("bin/orch");
const patched =
  /^configmap\/greeting created\nconfigmap\/greeting patched\ngood morning\nconfigmap "greeting" deleted\n$/;

test("examples/first-steps.sh works as described with ctl", async () => {
  const folder = mkdtempSync(join(tmpdir(), "orch-example-"));
  symlinkSync(resolve("bin/ctl"), join(folder, "ctl"));
  const env = { PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  const { code, stdout } = await run(process.execPath, [orch, "run", "--", "sh", "examples/first-steps.sh"], { env });
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  expect(stdout).toMatch(patched);
});

describeWith(kubectl, "with kubectl", () => {
  test("examples/first-steps.sh works as described", async () => {
    const command = ["--", "env", `CTL=${kubectlPath}`, "sh", "examples/first-steps.sh"];
    const { code, stdout } = await run(process.execPath, [orch, "run", "--vocabulary=kubernetes", ...command]);
    expect(code).toBe(0);
    expect(stdout).toMatch(patched);
  });
});

describeWith(pythonClient, "with the Python client", () => {
  test("examples/first-steps.py works as described", async () => {
    const command = ["--", pythonPath, "examples/first-steps.py"];
    const { code, stdout, stderr } = await run(process.execPath, [orch, "run", "--vocabulary=kubernetes", ...command]);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "ADDED greeting\nDELETED greeting\n" });
  });
});

describeWith(pythonClient, "with the Python client, isolated", () => {
  test("examples/isolated.py works as described", async () => {
    const command = ["--isolated", "--vocabulary=kubernetes", "--", pythonPath, "examples/isolated.py"];
    const { code, stderr } = await run(process.execPath, [orch, "run", ...command]);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^Ran 2 tests in/m);
  });
});
