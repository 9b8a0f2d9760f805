/** Shows a difference with the program that the user has chosen. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./environment.ts";
import { CtlError } from "./errors.ts";

/** An object before and after; `name` is the name of its file. */
export interface Pair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** One run of the program shows all objects. Its exit codes 0 and 1 mean that it has compared them. */
export async function showDiff(environment: Environment, program: string, pairs: readonly Pair[]): Promise<void> {
  const [live, merged] = [mkdtempSync(join(tmpdir(), "LIVE-")), mkdtempSync(join(tmpdir(), "MERGED-"))];
  try {
    for (const { name, before, after } of pairs) {
      // An object that does not exist yet has no file, which diff programs treat as empty.
      if (before !== "") writeFileSync(join(live, name), before, { mode: 0o600 });
      writeFileSync(join(merged, name), after, { mode: 0o600 });
    }
    const [command = "diff", ...args] = program.split(/\s+/).filter((word) => /^[\w./=:-]+$/.test(word));
    await new Promise<void>((resolve, reject) => {
      const child = spawn(command, [...args, live, merged], {
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
    for (const folder of [live, merged]) rmSync(folder, { recursive: true, force: true });
  }
}
