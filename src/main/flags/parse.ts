/** Reads a command line against a table of flags: `--name=value`, `--name value`, `--switch`, `-v=2`. */

import { type Flag, FlagError, type Flags, type FlagValues } from "./flag.ts";

export interface ParsedFlags<F extends Flags> {
  readonly values: FlagValues<F>;
  /** Names of the flags on the command line; all others have their defaults. */
  readonly given: ReadonlySet<string>;
  /** The arguments that are not flags; empty unless `ParseOptions.takesArguments`. */
  readonly others: readonly string[];
  /** One sentence for each flag on the command line that has no effect or is deprecated. */
  readonly warnings: readonly string[];
}

export interface ParseOptions {
  /** Whether arguments that are not flags are allowed. Default: false. */
  readonly takesArguments?: boolean;
}

/** Throws FlagError for anything unknown: a mistyped flag must never silently keep its default. */
export function parseFlags<F extends Flags>(
  flags: F,
  args: readonly string[],
  { takesArguments = false }: ParseOptions = {},
): ParsedFlags<F> {
  const names = namesOf(flags);
  const values = new Map<string, unknown>();
  const warnings: string[] = [];
  const others: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    const match = /^--?([A-Za-z0-9][A-Za-z0-9_-]*)(?:=([\s\S]*))?$/.exec(arg);
    if (takesArguments && !arg.startsWith("-")) {
      others.push(arg);
      continue;
    }
    if (!match) throw new FlagError(`unexpected argument "${arg}"; flags begin with --`);
    const given = match[1]!.replaceAll("_", "-");
    const name = names.get(given);
    if (name === undefined) throw new FlagError(`unknown flag --${given}${hint(given, [...names.keys()])}`);
    const flag = flags[name]!;
    if (flag.refused !== undefined) throw new FlagError(`--${given}: ${flag.refused}`);
    const known = values.has(name);
    let value: unknown;
    if (match[2] === undefined && flag.type.bare !== undefined) value = flag.type.bare;
    else {
      const text = match[2] ?? args[++at];
      if (text === undefined) throw new FlagError(`--${given} needs a value (${flag.type.name})`);
      value = parseValue(given, flag, text);
    }
    values.set(name, known && flag.type.merge ? flag.type.merge(values.get(name), value) : value);
    // The wording of v1.21.
    if (flag.deprecated !== undefined && !known)
      warnings.push(`Flag --${given} has been deprecated, ${flag.deprecated}`);
    else if (flag.pending !== undefined && !known)
      warnings.push(`--${given} is accepted but has no effect: ${flag.pending}`);
  }
  const all = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, values.has(name) ? values.get(name) : flag.default]),
  );
  // Each value was made by the type of its own flag, or is that flag's default.
  return { values: all as FlagValues<F>, given: new Set(values.keys()), others, warnings };
}

function parseValue(name: string, flag: Flag, text: string): unknown {
  try {
    return flag.type.parse(text);
  } catch (error) {
    if (error instanceof FlagError) throw new FlagError(`--${name} ${error.message}`);
    throw error;
  }
}

function namesOf(flags: Flags): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, flag] of Object.entries(flags)) {
    names.set(name, name);
    for (const alias of flag.aliases ?? []) names.set(alias, name);
  }
  return names;
}

/** How many letters may be wrong, and no more than half of a short name: two short names are always similar. */
const hintDistanceMax = 4;

function hint(given: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, distance: editDistance(given.slice(0, 80), name) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return near !== undefined && near.distance <= Math.min(hintDistanceMax, given.length / 2)
    ? `; did you mean --${near.name}?`
    : "; --help lists them all";
}

/** How many letters must be inserted, removed or replaced to turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same));
    }
    row = next;
  }
  return row[b.length]!;
}
