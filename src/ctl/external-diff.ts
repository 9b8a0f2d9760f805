/** A difference shown by the program that the user has chosen for it. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./environment.ts";
import { CtlError } from "./errors.ts";

/** Exit codes 0 and 1 of the program mean that it has compared. */
export async function showDiff(
  environment: Environment,
  program: string,
  pair: { readonly name: string; readonly before: string; readonly after: string },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ctl-diff-"));
  try {
    const files = ["LIVE", "MERGED"].map((name) => {
      mkdirSync(join(folder, name), { mode: 0o700 });
      return join(folder, name, pair.name);
    });
    writeFileSync(files[0] ?? "", pair.before, { mode: 0o600 });
    writeFileSync(files[1] ?? "", pair.after, { mode: 0o600 });
    const [command = "diff", ...args] = program.split(/\s+/).filter((word) => /^[\w./=:-]+$/.test(word));
    await new Promise<void>((resolve, reject) => {
      const child = spawn(command, [...args, join(folder, "LIVE"), join(folder, "MERGED")], {
        env: { ...environment.env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout?.on("data", (chunk: Buffer) => environment.stdout.write(chunk.toString("utf8")));
      child.on("error", (error) => reject(new CtlError(`failed to run "${command}"`, { cause: error })));
      child.on("close", (code) =>
        code !== null && code <= 1 ? resolve() : reject(new CtlError(`"${command}" ended with exit code ${code}`)),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
