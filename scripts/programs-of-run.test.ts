import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endPrograms, programsOf } from "./programs-of-run.ts";

const isLinux = existsSync("/proc/self/environ");
const module = new URL("./programs-of-run.ts", import.meta.url).pathname;

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
  const run = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { build } from "esbuild"; import { writeFileSync } from "node:fs";
       const { outputFiles: [{ text }] } = await build({ entryPoints: [${JSON.stringify(module)}], write: false, format: "esm", platform: "node" });
       const { endWithRun } = await import("data:text/javascript," + encodeURIComponent(text));
       endWithRun(${JSON.stringify(folder)}); console.log("watching"); setInterval(() => {}, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(run.stdout, "data");
  run.kill("SIGKILL");
  expect(await once(program, "exit")).toEqual([null, "SIGKILL"]);
  await expect.poll(() => existsSync(folder)).toBe(false);
});
