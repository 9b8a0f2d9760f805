/** `orch`: finds the command, runs it, and turns an error into one line that a person can act on. */

import { FlagError } from "../base/flags/flag.ts";
import { describeFlags } from "../base/flags/help.ts";
import { nearest } from "../base/suggest.ts";
import { commands, type ProgramCommand } from "./commands/list.ts";
import { apiReleaseTexts, softwareVersion } from "./version.ts";

const usageColumn = 50;

/** The exit code of wrong usage. Other failures exit with 1, and results of a command with its own codes. */
export const usageExitCode = 2;

const usage = `orch is a cluster API server in one command.

${[
  ...commands.map(({ name, synopsis, summary }) => [`${name === "up" ? "[up]" : name} ${synopsis}`, summary]),
  ["version", "print which software this is"],
  ["help [command]", "print this, or the flags of a command; --help-all prints all of them, --man a manual page"],
]
  .map(([call, summary]) => `  orch ${call}`.padEnd(usageColumn) + summary)
  .join("\n")}

Servers keep running until SIGTERM or SIGINT; SIGHUP makes them read their certificates again.`;

export async function main(args: readonly string[]): Promise<void> {
  endWithReader(process.stdout);
  try {
    await run(args);
  } catch (error) {
    const isUsage = error instanceof FlagError;
    process.stderr.write(`${isUsage ? `${usageOf(args)}\n` : ""}orch: ${describe(error)}\n`);
    const code = isUsage ? usageExitCode : 1;
    process.exitCode = code;
    // The store or the listener may have been opened before the start failed.
    setTimeout(() => process.exit(code), 1_000).unref();
  }
}

/** It is not an error when a reader such as `head` closes the pipe. */
function endWithReader(stream: NodeJS.WriteStream): void {
  if (stream.listenerCount("error") > 0) return;
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
}

async function run(args: readonly string[]): Promise<void> {
  if (args[0] === "__complete") {
    const found = (await import("./commands/completion.ts")).wordsAfter(commands, args.slice(1));
    process.stdout.write(found.map((word) => `${word}\n`).join(""));
    return;
  }
  const { command, rest } = commandOf(args);
  if (isHelp(command) && rest.includes("--man"))
    return print((await import("./man-page.ts")).manPage(commands, softwareVersion).trimEnd());
  if (isHelp(command)) return print(rest[0] === undefined ? usage : helpOf(rest[0], rest.includes("--help-all")));
  const own = ownArguments(rest);
  if (own.some(isHelp)) return print(helpOf(command, own.includes("--help-all")));
  // `orch envtest --version 1.28` names a release, and `orch envtest kube-apiserver --version` asks for this one.
  const isOfProgram = own[0]?.startsWith("-") === false;
  const isAsked = own.includes("--version") && (isOfProgram || !hasFlag(command, "version"));
  if (command === "version" || isVersion(command) || isAsked) {
    const isOfRelease = command === "envtest" && isOfProgram;
    const api = isOfRelease
      ? (await import("./commands/envtest.ts")).servedRelease(process.env)
      : `${apiReleaseTexts[0]} to ${apiReleaseTexts.at(-1)}`;
    return print(`orch ${softwareVersion} (API ${api}, Node ${process.version})`);
  }
  // A command may wait for timers and connections, such as the one to etcd, that do not keep the process alive.
  const working = setInterval(() => {}, 60_000);
  await find(command)
    .run(rest)
    .finally(() => clearInterval(working));
}

const hasFlag = (command: string, flag: string): boolean =>
  flag in (commands.find(({ name }) => name === command)?.help.flags ?? {});

/** What follows "--" belongs to the command that `orch run` starts. */
function ownArguments(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
}

/** `orch --data-dir=x` means `orch up --data-dir=x`. */
function commandOf(args: readonly string[]): { readonly command: string; readonly rest: readonly string[] } {
  const [first = "up", ...others] = args;
  const isFlag = first.startsWith("-") && !isVersion(first) && !isHelp(first);
  return isFlag ? { command: "up", rest: args } : { command: first, rest: others };
}

/** One line, before the error: the last line of standard error is what went wrong. */
function usageOf(args: readonly string[]): string {
  const found = commands.find(({ name }) => name === commandOf(args).command);
  if (found === undefined) return "usage: orch COMMAND [flags]";
  return `usage: orch ${found.name} ${found.synopsis}`;
}

function find(name: string): ProgramCommand {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    commands.map((command) => command.name),
  );
  const hint = near === undefined ? '"orch help" lists them' : `did you mean "orch ${near}"?`;
  throw new FlagError(`there is no command "${name}"; ${hint}`);
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
  if (process.env["ORCH_DEBUG"] !== undefined) return error.stack ?? error.message;
  // Whatever met it: a start, a backup, a migration. Some say themselves what to do.
  const isDamage = "code" in error && error.code === "damaged" && !("advice" in error);
  return isDamage ? `${error.message}; "orch check" tells what is damaged, and what to do` : error.message;
}
