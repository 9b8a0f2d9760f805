/** The user's editor: the program that EDITOR names, on a temporary file. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProgramEnvironment } from "./environment.ts";
import { CtlError } from "./errors.ts";

/** A file that only its owner can read, since objects may contain secrets. */
export function openDraftFile(content: string, extension: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "ctl-edit-")), `draft.${extension}`);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

export const readDraft = (file: string): string => readFileSync(file, "utf8");

export function removeDraft(file: string): void {
  rmSync(dirname(file), { recursive: true, force: true });
}

/** Resolves when the user has left the editor. */
export function edit(file: string, { env, cwd }: ProgramEnvironment): Promise<void> {
  const editor =
    env["KUBE_EDITOR"] || env["CTL_EDITOR"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi");
  return new Promise((resolve, reject) => {
    const shell = env["SHELL"] || "/bin/sh";
    // EDITOR may contain arguments, as a shell would parse them.
    const child = spawn(shell, ["-c", `${editor} "$0"`, file], { stdio: "inherit", env: { ...env }, cwd });
    child.on("error", (error) => reject(new CtlError(`unable to launch the editor "${editor}"`, { cause: error })));
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new CtlError(`the editor "${editor}" ended with exit code ${code}`)),
    );
  });
}
