/** Shows a difference with the program that the user has chosen. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProgramEnvironment } from "./environment.ts";
import { CtlError } from "./errors.ts";

/** An object before and after; `name` is the name of its file. */
export interface Pair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** One run of the program shows all objects. Its exit codes 0 (no difference) and 1 mean that it has compared them. */
export async function showDiff(
  environment: ProgramEnvironment,
  program: string,
  pairs: readonly Pair[],
): Promise<number> {
  const [live, merged] = [mkdtempSync(join(tmpdir(), "LIVE-")), mkdtempSync(join(tmpdir(), "MERGED-"))];
  try {
    for (const { name, before, after } of pairs) {
      // An object that does not exist before or afterwards has no file, which diff programs treat as empty.
      if (before !== "") writeFileSync(join(live, name), before, { mode: 0o600 });
      if (after !== "") writeFileSync(join(merged, name), after, { mode: 0o600 });
    }
    const [command = "diff", ...args] = program.split(/\s+/).filter((word) => /^[\w./=:-]+$/.test(word));
    return await new Promise<number>((resolve, reject) => {
      const child = spawn(command, [...args, live, merged], {
        env: { ...environment.env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout?.on("data", (chunk: Buffer) => environment.stdout.write(chunk.toString("utf8")));
      child.on("error", (error) => reject(new CtlError(`failed to run "${command}"`, { cause: error })));
      child.on("close", (code) =>
        code !== null && code <= 1 ? resolve(code) : reject(new CtlError(`"${command}" ended with exit code ${code}`)),
      );
    });
  } finally {
    for (const folder of [live, merged]) rmSync(folder, { recursive: true, force: true });
  }
}
