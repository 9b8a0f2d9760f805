/** The manual page of `orch`, printed from the help: `orch help --man > orch.1`. */

import { describeFlags } from "../base/flags/help.ts";
import type { ProgramCommand } from "./commands/list.ts";

/** In the macros of man(7). */
export function manPage(commands: readonly ProgramCommand[], version: string): string {
  const sections = commands.map(({ name, synopsis, summary, note = "", help }) => {
    const flags = describeFlags(help, false);
    return [
      `.SS orch ${plain(`${name} ${synopsis}`)}`,
      plain(`${summary}. ${note}`.trim()),
      ".PP",
      ".nf",
      plain(flags),
      ".fi",
    ];
  });
  return `${[
    `.TH ORCH 1 "" "orch ${version}"`,
    ".SH NAME",
    "orch \\- a cluster API server in one command",
    ".SH SYNOPSIS",
    ".B orch",
    "[COMMAND] [flags]",
    ".SH COMMANDS",
    ...sections.flat(),
    ".SH SEE ALSO",
    "ctl \\-\\-help, orch help COMMAND \\-\\-help\\-all",
  ].join("\n")}\n`;
}

/** A line that begins with a dot or a quote would be a macro, and a plain dash a hyphen. */
function plain(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
}
