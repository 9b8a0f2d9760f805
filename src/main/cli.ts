/** `orch`: finds the command, runs it, and turns an error into one line that a person can act on. */

import { type Command, commands } from "./commands/list.ts";
import { FlagError } from "./flags/flag.ts";
import { describeFlags } from "./flags/help.ts";
import { apiRelease, softwareVersion } from "./version.ts";

const usageColumn = 38;

const usage = `orch is a cluster API server in one command.

${[
  ...commands.map(({ name, synopsis, summary }) => [`${name === "up" ? "[up]" : name} ${synopsis}`, summary]),
  ["version", "print which software this is"],
  ["help [command]", "print this, or the flags of a command; --help-all prints all of them"],
]
  .map(([call, summary]) => `  orch ${call}`.padEnd(usageColumn) + summary)
  .join("\n")}

Servers keep running until SIGTERM or SIGINT; SIGHUP makes them read their certificates again.`;

export async function main(args: readonly string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    process.stderr.write(`orch: ${describe(error)}\n`);
    process.exitCode = 1;
    // The store or the listener may have been opened before the start failed.
    setTimeout(() => process.exit(1), 1_000).unref();
  }
}

async function run(args: readonly string[]): Promise<void> {
  const [first = "up", ...others] = args;
  // `orch --data-dir=x` means `orch up --data-dir=x`.
  const isFlag = first.startsWith("-") && !isVersion(first) && !isHelp(first);
  const [command, rest] = isFlag ? ["up", args] : [first, others];
  if (isHelp(command)) return print(rest[0] === undefined ? usage : helpOf(rest[0], rest.includes("--help-all")));
  if (rest.some(isHelp)) return print(helpOf(command, rest.includes("--help-all")));
  if (command === "version" || isVersion(command)) {
    return print(`orch ${softwareVersion} (API ${apiRelease.text}, Node ${process.version})`);
  }
  await find(command).run(rest);
}

function find(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found === undefined) throw new FlagError(`there is no command "${name}"; "orch help" lists them`);
  return found;
}

const isVersion = (arg: string) => arg === "--version" || arg === "-v" || arg === "-V";
const isHelp = (arg: string) => arg === "help" || arg === "--help" || arg === "-h" || arg === "--help-all";

function helpOf(name: string, all: boolean): string {
  if (name === "version" || isVersion(name)) return usage;
  const { synopsis, summary, note, help } = find(name);
  const about = note === undefined ? summary : `${summary}. ${note}`;
  return `orch ${name} ${synopsis}\n\n${about}\n\n${describeFlags(help, all)}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One sentence; with ORCH_DEBUG also the stack, for debugging. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env["ORCH_DEBUG"] === undefined ? error.message : (error.stack ?? error.message);
}
