import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { shownCommand } from "./page-blocks.ts";
import { describeWith, go, java, kubectl, kubectlPath, pythonClient, pythonPath, run } from "./programs.ts";

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

/** What suites in other languages start by themselves. A compiler takes long on a busy machine. */
const assets = { env: { KUBEBUILDER_ASSETS: resolve("bin/envtest") }, timeoutMs: 120_000 };

/** For programs that end soon: no second compiler, and one thread that collects. */
const shortLived = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

describeWith(java, "with Java", () => {
  test("examples/java/Isolated.java works as described", async () => {
    const command = ["--isolated", "--", "java", ...shortLived, "examples/java/Isolated.java"];
    const { code, stdout, stderr } = await run(process.execPath, [orch, "run", ...command], { timeoutMs: 120_000 });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "fork-1 has one\nfork-2 has two\n" });
  });

  test("examples/java/Envtest.java works as described", async () => {
    const { code, stdout, stderr } = await run("java", [...shortLived, "examples/java/Envtest.java"], assets);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "prices is there\nstopped with 0\n" });
  });
});

describeWith(go, "with Go", () => {
  test("examples/go/envtest/envtest_test.go works as described", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orch-go-"));
    cpSync("examples/go/envtest/envtest_test.go", join(folder, "envtest_test.go"));
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(orch, join(folder, "node_modules/.bin/orch"));
    writeFileSync(join(folder, "go.mod"), "module envtest\n");
    const command = shownCommand("docs/coming-from.md", "KUBEBUILDER_ASSETS=$(npx orch envtest)");
    // A result that Go has kept would say nothing about this server.
    const env = { GOFLAGS: "-count=1" };
    const { code, stdout, stderr } = await run("sh", ["-c", `cd ${folder} && ${command}`], { ...assets, env });
    rmSync(folder, { recursive: true });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringMatching(/^ok /) });
  });

  test("examples/go/isolated/main.go works as described", async () => {
    const command = ["--isolated", "--", "go", "run", "examples/go/isolated/main.go"];
    const { code, stdout, stderr } = await run(process.execPath, [orch, "run", ...command]);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "fork-1 has one\nfork-2 has two\n" });
  });

  test("examples/go/main.go works as described", async () => {
    const { code, stdout, stderr } = await run(process.execPath, [
      orch,
      "run",
      "--",
      "go",
      "run",
      "examples/go/main.go",
    ]);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "ADDED greeting\nDELETED greeting\n" });
  });
});
