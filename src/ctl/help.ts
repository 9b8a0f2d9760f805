/** Help: the overview, which fits on a screen, and the page of one command. */

import type { Flags } from "../base/flags/flag.ts";
import { describeOptions } from "../base/flags/help.ts";
import type { Command, CommandEntry, Task } from "./command.ts";
import { behaviourOf } from "./kubectl.ts";

const tasks: readonly { readonly task: Task; readonly title: string }[] = [
  { task: "look", title: "Look" },
  { task: "change", title: "Change" },
  { task: "workloads", title: "Workloads" },
  { task: "nodes", title: "Nodes" },
  { task: "access", title: "Access" },
  { task: "check", title: "Check" },
  { task: "setup", title: "Set up" },
];

const titleWidth = 11;
const lineWidth = 78;

/** Every command by its task. */
export function overview(program: string, commands: readonly CommandEntry[]): string {
  const groups = tasks.map(({ task, title }) => {
    const names = commands
      .filter((command) => command.task === task && command.isHidden !== true)
      .map(({ name }) => name);
    return wrapped(names, title.padEnd(titleWidth), titleWidth);
  });
  return `${program} speaks to a cluster API server.

  ${program} get pods                    list objects; -o yaml, -o wide, -A, -w
  ${program} describe pod/web            an object with its events and owners
  ${program} apply -f folder/            create or update objects from files
  ${program} explain pod.spec            what fields mean

${groups.join("\n")}

"${program} COMMAND --help" explains a command.
"${program} options" lists the flags that all commands have.`;
}

function wrapped(words: readonly string[], title: string, indent: number): string {
  const lines: string[] = [];
  let line = title;
  for (const word of words) {
    if (line.length + word.length + 2 > lineWidth && line.trim() !== "") {
      lines.push(line.trimEnd());
      line = " ".repeat(indent);
    }
    line += `${word}  `;
  }
  return [...lines, line.trimEnd()].join("\n");
}

export function helpOf(command: Command, called: string): string {
  const program = called.split(" ")[0] ?? "ctl";
  const options = describeFlags(command.flags, program, command.ownDefaults);
  const parts = [
    command.description === undefined ? command.summary : `${command.summary}\n\n${command.description}`,
    command.examples === undefined
      ? ""
      : `Examples:\n${indented(command.examples.replaceAll(/(?<=^|\| |" )ctl\b/gm, program))}`,
    command.subcommands === undefined
      ? ""
      : `Available Commands:\n${listed(command.subcommands.map(({ name, summary }) => [name, summary]))}`,
    options === "" ? "" : `Options:\n${options}`,
    `Usage:\n  ${called}${command.usage === undefined || command.usage === "" ? "" : ` ${command.usage}`}${options === "" ? "" : " [options]"}`,
    `Use "${program} options" for a list of global command-line options (applies to all commands).`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

export function describeFlags(flags: Flags, program: string, ownDefaults: Command["ownDefaults"] = {}): string {
  const shown = Object.entries(flags).map(([name, flag]) => {
    const value =
      behaviourOf(program).hasOwnDefaults && Object.hasOwn(ownDefaults, name) ? ownDefaults[name] : flag.default;
    // Managers are named after the program that was called.
    return [name, { ...flag, default: name === "field-manager" ? String(value).replace(/^ctl/, program) : value }];
  });
  return describeOptions(Object.fromEntries(shown));
}

function listed(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return rows.map(([name, summary]) => `  ${name.padEnd(width)}${summary}`).join("\n");
}

const indented = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
