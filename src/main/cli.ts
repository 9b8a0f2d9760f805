/** `orch`: finds the command, runs it, and turns what went wrong into one line a person can act on. */

import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { FlagError } from "./flags/flag.ts";
import { describeFlags } from "./flags/parse.ts";
import { upFlags } from "./up-flags.ts";
import { userFlags } from "./user-flags.ts";
import { apiRelease, softwareVersion } from "./version.ts";

const usage = `orch is a cluster API server in one command.

  orch [up] [flags]         start a server for yourself: own certificates, own folder, loopback only
  orch user NAME [flags]    print a client configuration for one more person of "orch up"
  orch apiserver [flags]    start the API server alone, with the flags of ${apiRelease.text}
  orch version              print which software this is
  orch help [command]       print this, or the flags of a command

"up" and "apiserver" keep running until SIGTERM or SIGINT; SIGHUP makes them read their certificates again.`;

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
  const isFlag = first.startsWith("-") && first !== "--version" && !isHelp(first);
  const [command, rest] = isFlag ? ["up", args] : [first, others];
  if (isHelp(command)) return print(rest[0] === undefined ? usage : helpOf(rest[0]));
  if (rest.some(isHelp)) return print(helpOf(command));
  switch (command) {
    case "up":
      return await (await import("./up.ts")).runUp(rest);
    case "user":
      return await (await import("./user.ts")).runUser(rest);
    case "apiserver":
      return await (await import("./run-apiserver.ts")).runApiserver(rest);
    case "version":
    case "--version":
      return print(`orch ${softwareVersion} (API ${apiRelease.text}, Node ${process.version})`);
    default:
      throw unknownCommand(command);
  }
}

const unknownCommand = (name: string) => new FlagError(`there is no command "${name}"; "orch help" lists them`);

const isHelp = (arg: string) => arg === "help" || arg === "--help" || arg === "-h";

function helpOf(command: string): string {
  switch (command) {
    case "up":
      return `orch up [flags]\n\nThe flags are those of apiserver with safer defaults.\n\n${describeFlags(upFlags)}`;
    case "user":
      return `orch user NAME [flags]\n\n${describeFlags(userFlags)}`;
    case "apiserver":
      return `orch apiserver [flags]\n\n${describeFlags(apiserverFlags)}`;
    case "version":
    case "--version":
      return usage;
    default:
      throw unknownCommand(command);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One sentence; with ORCH_DEBUG also the stack, for whoever has to find a bug. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env["ORCH_DEBUG"] === undefined ? error.message : (error.stack ?? error.message);
}
