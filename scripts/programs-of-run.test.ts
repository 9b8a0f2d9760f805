import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { expect, test } from "vitest";
import { endPrograms, programsOf } from "./programs-of-run.ts";

const isLinux = existsSync("/proc/self/environ");
const source = (name: string) => new URL(name, import.meta.url).pathname;

/** A process that imports our file as `ours` and does what `lines` say. */
const startNode = (file: string, lines: string) =>
  spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { build } from "esbuild";
       const entryPoints = [${JSON.stringify(source(file))}];
       const { outputFiles: [{ text }] } = await build({ entryPoints, write: false, bundle: true, format: "esm", platform: "node" });
       const ours = await import("data:text/javascript," + encodeURIComponent(text));
       ${lines}`,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );

function startProgram(folder: string) {
  return spawn("sleep", ["600"], { env: { ...process.env, TMPDIR: folder }, stdio: "ignore" });
}

test.skipIf(!isLinux)("programs are known by the temporary folder of their run, and are ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "orch-programs-"));
  const child = startProgram(folder);
  await expect.poll(() => programsOf(folder)).toEqual([{ pid: child.pid, command: "sleep 600" }]);
  expect(endPrograms(folder)).toHaveLength(1);
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  expect(programsOf(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test.skipIf(!isLinux)("when a run is killed, its programs and its folder go", async () => {
  const folder = mkdtempSync(join(tmpdir(), "orch-programs-"));
  const program = startProgram(folder);
  const lines = `ours.endWithRun(${JSON.stringify(folder)}); console.log("watching"); setInterval(() => {}, 1000);`;
  const run = startNode("./programs-of-run.ts", lines);
  await once(run.stdout, "data");
  run.kill("SIGKILL");
  expect(await once(program, "exit")).toEqual([null, "SIGKILL"]);
  await expect.poll(() => existsSync(folder)).toBe(false);
});

test.skipIf(!isLinux)("a run that ends with a program left running fails and names it", async () => {
  const lines = (left: string) => `
    const { spawn } = await import("node:child_process");
    const end = ours.default({ config: {} }, 500);
    const child = spawn("sleep", ["${left}"], { stdio: "ignore" });
    child.unref();
    await end();`;
  const runs = ["600", "0.1"].map(async (seconds) => {
    const run = startNode("./temporary-files.setup.ts", lines(seconds));
    const [said, [code]] = await Promise.all([textOf(run.stderr), once(run, "exit")]);
    return { said, code };
  });
  expect(await Promise.all(runs)).toEqual([
    { said: "tests left programs, which were ended: sleep 600\n", code: 1 },
    { said: "", code: 0 },
  ]);
});
