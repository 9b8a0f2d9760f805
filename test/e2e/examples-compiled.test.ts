/** The examples in Java and Go: their compilers and virtual machines take many times what the servers take. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { shownCommand } from "./page-blocks.ts";
import { describeWith, go, java, run } from "./programs.ts";

const orch = resolve("bin/orch");

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
