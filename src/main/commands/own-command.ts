/** The commands of this program as a person can paste them into a shell. */

import { realpathSync } from "node:fs";
import { delimiter, dirname, relative } from "node:path";

/** How this program was called, so that the printed commands also work in a clone. */
export function ownCommand(): string {
  if (process.env["npm_command"] === "exec") return "npx orch";
  const program = process.argv[1] ?? "";
  const isOnPath = (process.env["PATH"] ?? "").split(delimiter).includes(dirname(program));
  return isOnPath ? "orch" : `node ${quoted(relative(process.cwd(), program))}`;
}

/** The command line that is installed with this program, called in the same way. */
export function ctlBeside(orch: string): string {
  if (orch === "npx orch" && isFetched(process.argv[1] ?? "")) return "npx --package=orch ctl";
  return orch.replace(/orch('?)$/, "ctl$1");
}

/**
 * npx fetched the package for this call, and knows its other programs only by the package. In a clone it calls the program through a
 * link in the same folder of its own.
 */
function isFetched(program: string): boolean {
  try {
    return realpathSync(program).split(/[\\/]/).includes("_npx");
  } catch {
    return false; // it was moved while it ran
  }
}

/** Quoted as one word of a shell. */
export function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
