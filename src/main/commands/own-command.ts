/** The commands of this program as a person can paste them into a shell. */

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
  return orch === "npx orch" ? "npx --package=orch ctl" : orch.replace(/orch('?)$/, "ctl$1");
}

/** Quoted as one word of a shell. */
export function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
