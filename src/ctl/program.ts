/**
 * Runs a command line: finds the command, parses its flags, runs it, and turns errors into messages and an exit code.
 */

import { bareValue, type Flag, FlagError, type Flags } from "../base/flags/flag.ts";
import { type ParsedFlags, parseFlags } from "../base/flags/parse.ts";
import { goWording } from "../base/flags/wording.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands/list.ts";
import { releaseOf } from "./commands/version.ts";
import { Context } from "./context.ts";
import type { ProgramEnvironment } from "./environment.ts";
import { CtlError, describeError, Exit, exitCodeOf, UsageError } from "./errors.ts";
import { globalFlags } from "./flags/declared.ts";
import { helpOf, overview } from "./help.ts";
import { withNearNames } from "./input/near-objects.ts";
import { text } from "./json.ts";
import { behaviourOf } from "./kubectl.ts";
import { showControls } from "./output/terminal.ts";
import { runPlugin } from "./plugins.ts";
import { type DefaultFlag, loadPreferences, withoutAlias } from "./preferences.ts";
import { withCurrentDiscovery } from "./server/current-discovery.ts";
import { withCertificateExpiry } from "./server/expired-certificate.ts";
import { nearSubcommand, unknownCommand, unknownSubcommand } from "./unknown-command.ts";

/** Resolves with the exit code; all output has been written by then. */
export async function runCtl(argv: readonly string[], environment: ProgramEnvironment): Promise<number> {
  const run: Run = { argv, environment, isRich: asksRichCodes(argv), path: [] };
  try {
    const found = await findCommand(run);
    if (typeof found === "number") return found;
    run.path = found.path;
    return await runCommand(found, run);
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (environment.signal.aborted) return 130;
    environment.stderr.write(`${showControls(messageOf(error, [environment.program, ...run.path].join(" ")))}\n`);
    return exitCodeOf(error, run.isRich);
  }
}

/** Also if the flags cannot be parsed. */
const asksRichCodes = (argv: readonly string[]): boolean =>
  argv.some((arg, at) => arg === "--exit-codes=rich" || (arg === "--exit-codes" && argv[at + 1] === "rich"));

/** What is known about this run so far, for the error message. */
interface Run {
  readonly argv: readonly string[];
  readonly environment: ProgramEnvironment;
  /** Whether there is an exit code for each of the common reasons. */
  isRich: boolean;
  path: readonly string[];
}

function messageOf(error: unknown, called: string): string {
  if (error instanceof FlagError) return `Error: ${error.message}\nSee '${called} --help' for usage.`;
  if (error instanceof UsageError) return `error: ${error.message}\nSee '${called} -h' for help and examples`;
  return describeError(error);
}

interface FoundCommand {
  readonly command: Command;
  readonly path: readonly string[];
  /** The words after the names of the command. */
  readonly rest: readonly string[];
  /** Flags that the user's preferences set. */
  readonly defaults: readonly DefaultFlag[];
}

async function findCommand({ argv: typed, environment }: Run): Promise<FoundCommand | number> {
  const preferences = loadPreferences(typed, environment);
  const at = nextWord(typed, globalFlags);
  // An alias never hides a command.
  const isCommand = at === undefined || entryOf(typed[at] ?? "") !== undefined;
  const alias = isCommand ? undefined : withoutAlias(typed, at, preferences);
  const argv = alias?.argv ?? typed;
  const first = nextWord(argv, globalFlags);
  if (first === undefined || argv[first] === "help") {
    const wanted = first === undefined ? [] : argv.slice(first + 1).filter((arg) => !arg.startsWith("-"));
    if (first === undefined) parseLine(argv, globalFlags); // so that a misspelt flag is reported
    return printHelp(wanted, environment);
  }
  const name = argv[first] ?? "";
  const entry = entryOf(name);
  if (entry === undefined) {
    const code = await runPlugin(argv, environment);
    if (code !== undefined) return code;
    throw unknownCommand(name, names(), environment.program);
  }
  let command = await entry.load();
  const path = [entry.name];
  let rest = without(argv, first);
  for (;;) {
    const next = command.subcommands === undefined ? undefined : nextWord(rest, { ...globalFlags, ...command.flags });
    const word = next === undefined ? "" : (rest[next] ?? "");
    const sub = command.subcommands?.find((one) => one.name === word || one.aliases?.includes(word));
    if (sub === undefined || next === undefined) {
      if (command.run === undefined && word !== "" && command.bareHelp?.code !== 0)
        throw unknownSubcommand([word], command, [environment.program, ...path].join(" "));
      const defaults = [...(alias?.flags ?? []), ...(preferences.defaults.get(path.join(" ")) ?? [])];
      return { command, path, rest, defaults };
    }
    command = sub;
    path.push(sub.name);
    rest = without(rest, next);
  }
}

const names = () => commands.map(({ name }) => name);

const entryOf = (name: string) => commands.find((one) => one.name === name || one.aliases?.includes(name));

async function runCommand(found: FoundCommand, run: Run): Promise<number> {
  const { argv, environment } = run;
  const { command, path, rest } = found;
  const asksHelp = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : undefined);
  const isHelp = asksHelp.some((arg) => arg === "--help" || arg === "-h");
  if ((isHelp && command.isRaw !== true) || command.run === undefined) {
    // Unrequested help is not data: a subcommand is missing.
    const { stream, code } = isHelp
      ? { stream: "stdout", code: 0 }
      : (command.bareHelp ?? { stream: "stderr", code: 1 });
    const sink = stream === "stdout" ? environment.stdout : environment.stderr;
    sink.write(`${helpOf(command, [environment.program, ...path].join(" "))}\n`);
    return code;
  }
  const parsed = command.isRaw
    ? { ...parseLine([], globalFlags), others: rest }
    : parseOrSuggest(found, environment.program);
  const exitCodes = String(parsed.values["exit-codes"]);
  if (exitCodes !== "plain" && exitCodes !== "rich")
    throw new FlagError(`--exit-codes must be plain or rich, not "${exitCodes}"`);
  run.isRich = exitCodes === "rich";
  const { run: runIt } = command;
  return withCurrentDiscovery(environment, async (repeatable, isContradicted) => {
    const context = new Context({
      environment: repeatable,
      parsed,
      commandLine: argv,
      path,
      ownFlags: new Set(Object.keys(command.flags)),
    });
    try {
      if (context.flags["match-server-version"]) await requireSameVersion(context);
      const code = await runIt(context);
      if (context.flags["warnings-as-errors"] && context.warnings > 0)
        throw new CtlError(`Error: ${context.warnings} warning${context.warnings === 1 ? "" : "s"} received`, {
          isBare: true,
        });
      return typeof code === "number" ? code : 0;
    } catch (error) {
      if (environment.signal.aborted || isContradicted(context, error)) throw error;
      throw withCertificateExpiry(context, await withNearNames(context, error));
    } finally {
      context.close();
    }
  });
}

async function requireSameVersion({ session, environment: { apiReleases } }: Context): Promise<void> {
  const version = text(await session.version(), "gitVersion");
  if (!apiReleases.includes(releaseOf(version)))
    throw new CtlError(
      `the server's version (${version}) differs from the version of this client (${apiReleases.join(", ")})`,
    );
}

/** The flags of a misspelt subcommand are unknown: the error is about its name. */
function parseOrSuggest({ command, path, rest, defaults }: FoundCommand, program: string): ParsedFlags<Flags> {
  const flags = withGlobals(command.flags);
  try {
    return parseWithDefaults(rest, flags, defaults);
  } catch (error) {
    const word = rest[nextWord(rest, flags) ?? rest.length] ?? "";
    if (!behaviourOf(program).givesHints || nearSubcommand(command, word) === undefined) throw error;
    throw unknownSubcommand([word], command, [program, ...path].join(" "));
  }
}

/** The command line takes precedence over preferences. */
function parseWithDefaults(
  rest: readonly string[],
  flags: Flags,
  defaults: readonly DefaultFlag[],
): ParsedFlags<Flags> {
  const parsed = parseLine(rest, flags);
  // The defaults of an alias take precedence over those of its command.
  const missing = defaults.filter(
    ({ name }, at) => !parsed.given.has(name) && defaults.findIndex((one) => one.name === name) === at,
  );
  if (missing.length === 0) return parsed;
  return parseLine([...missing.map(({ name, value }) => `--${name}=${value}`), ...rest], flags);
}

const parseLine = <F extends Flags>(argv: readonly string[], flags: F): ParsedFlags<F> =>
  parseFlags(flags, argv, { takesArguments: true, hasShorts: true, wording: goWording });

/** The flags of a command and the global ones; its own names and letters take precedence. */
function withGlobals(own: Flags): Flags {
  const shorts = new Set(Object.values(own).map(({ short }) => short));
  const all: Record<string, Flag> = { ...own };
  for (const [name, flag] of Object.entries<Flag>(globalFlags)) {
    const { short, ...rest } = flag;
    if (!Object.hasOwn(own, name)) all[name] = short !== undefined && shorts.has(short) ? rest : flag;
  }
  return all;
}

const without = (argv: readonly string[], at: number): string[] => argv.filter((_, index) => index !== at);

/** The position of the first argument that is neither a flag nor the value of one. */
function nextWord(argv: readonly string[], flags: Flags): number | undefined {
  for (let at = 0; at < argv.length; at++) {
    const arg = argv[at] ?? "";
    if (arg === "--") return undefined;
    if (!arg.startsWith("-") || arg === "-") return at;
    if (arg.includes("=")) continue;
    const flag = arg.startsWith("--")
      ? flags[arg.slice(2)]
      : arg.length === 2
        ? Object.values(flags).find(({ short }) => short === arg[1])
        : undefined;
    if (flag !== undefined && bareValue(flag) === undefined) at++;
  }
  return undefined;
}

async function printHelp(words: readonly string[], environment: ProgramEnvironment): Promise<number> {
  const [first, ...others] = words;
  if (first === undefined) {
    environment.stdout.write(`${overview(environment.program, commands)}\n`);
    return 0;
  }
  const entry = entryOf(first);
  if (entry === undefined) throw unknownCommand(first, names(), environment.program);
  let command = await entry.load();
  for (const word of others) command = command.subcommands?.find(({ name }) => name === word) ?? command;
  environment.stdout.write(`${helpOf(command, [environment.program, ...words].join(" "))}\n`);
  return 0;
}
