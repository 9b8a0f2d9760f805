/** A tutorial, typed in as it is written: files are written, and the commands of a page run in one shell. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished } from "vitest";
import { freePort, run } from "./programs.ts";

export const slow = { timeout: 300_000 };

async function cleanUp(folder: string): Promise<void> {
  for (const data of [".orch", ".orch-upgrade", ".orch-go", "one"])
    await run(process.execPath, [resolve("bin/orch"), "stop", `--data-dir=${join(folder, data)}`]);
  // What a page has started in the background and not ended, because a command before its end has failed.
  for (const pid of readPids(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

const readPids = (folder: string) =>
  existsSync(join(folder, "pids")) ? readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number) : [];

/** What a page prints. Every command must succeed. `npx tsx` stands for any way to run TypeScript: here the programs are bundled before. */
export async function follow(page: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "orch-tutorial-"));
  // Not with afterEach: files of tests share this module, and only the first one would get it.
  onTestFinished(() => cleanUp(folder));
  const bin = join(folder, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(resolve("."), join(folder, "node_modules/orch"));
  for (const name of ["orch", "ctl"]) symlinkSync(resolve("bin", name), join(bin, name));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const text = readFileSync(join("docs", page), "utf8");
  const files = [...text.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)];
  for (const [, name = "", code = ""] of text.matchAll(/^```(?:ts|go|yaml) (\S+)\n([\s\S]*?)^```$/gm))
    writeFileSync(join(folder, name), code);
  for (const [, name = ""] of files)
    await build({
      entryPoints: [join(folder, name)],
      outfile: join(folder, name.replace(/ts$/, "mjs")),
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      target: "node20",
    });
  const port = await freePort();
  const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block = ""]) => block)
    .join("\n")
    .replace(/npx tsx --test (\S+)\.ts/g, "node --test $1.mjs")
    .replace(/npx tsx (\S+)\.ts &/g, "node $1.mjs & program=$!")
    .replace("orch up --nodes=3 --detach", `orch up --nodes=3 --detach --secure-port=${port}`);
  writeFileSync(join(folder, "session.sh"), `set -eu\nprogram=\n${commands}\n[ -z "$program" ] || kill $program\n`);
  const env = { PATH: [bin, process.env["PATH"]].join(delimiter), HOME: folder };
  const command = `cd ${folder} && exec bash session.sh`;
  const { code, stdout, stderr } = await run("bash", ["-c", command], { env, timeoutMs: slow.timeout });
  expect(code, stdout + stderr).toBe(0);
  return stdout;
}
