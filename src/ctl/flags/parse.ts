/**
 * Parses a command line: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-Aw`; flags and arguments in any
 * order.
 */

import { nearest } from "../../base/suggest.ts";
import { FlagError } from "../errors.ts";
import { type Flag, Flags, type GivenFlag, parseDurationMs } from "./flag.ts";

export interface Parsed {
  readonly flags: Flags;
  readonly args: readonly string[];
  /** The number of arguments before "--"; undefined: there was no "--". */
  readonly dashAt: number | undefined;
}

export function parseFlags(argv: readonly string[], declared: readonly Flag[]): Parsed {
  const byName = new Map(declared.map((flag) => [flag.name, flag]));
  const byShort = new Map(declared.flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag] as const])));
  const values = new Map<string, string[]>();
  const given: GivenFlag[] = [];
  const args: string[] = [];
  let dashAt: number | undefined;
  let at = 0;
  const next = () => argv[at++];
  const set = (flag: Flag, value: string, shown: string) => {
    const read = checkValue(flag, value, shown);
    given.push({ name: flag.name, value });
    const before = values.get(flag.name);
    if (flag.type === "list" || flag.type === "array") values.set(flag.name, [...(before ?? []), ...read]);
    else values.set(flag.name, read);
  };
  while (at < argv.length) {
    const arg = next() ?? "";
    if (arg === "--") {
      dashAt = args.length;
      args.push(...argv.slice(at));
      break;
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const name = (equals < 0 ? arg : arg.slice(0, equals)).slice(2).replaceAll("_", "-");
      const flag = byName.get(name);
      if (flag === undefined) throw unknownFlag(`--${name}`, [...byName.keys()]);
      const shown = flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`;
      if (equals >= 0) set(flag, arg.slice(equals + 1), shown);
      else if (bareValue(flag) !== undefined) set(flag, bareValue(flag) ?? "", shown);
      else if (at < argv.length) set(flag, next() ?? "", shown);
      else throw new FlagError(`flag needs an argument: --${name}`);
    } else if (arg.startsWith("-") && arg !== "-") {
      readShort(arg);
    } else args.push(arg);
  }
  return { flags: new Flags(byName, values, given), args, dashAt };

  function readShort(arg: string): void {
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i] ?? "";
      const flag = byShort.get(letter);
      if (flag === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in ${arg}`);
      const shown = `-${letter}, --${flag.name}`;
      const rest = arg.slice(i + 1);
      const bare = bareValue(flag);
      if (rest.startsWith("=") && rest.length > 1) set(flag, rest.slice(1), shown);
      else if (bare !== undefined) {
        set(flag, bare, shown);
        continue;
      } else if (rest !== "") set(flag, rest, shown);
      else if (at < argv.length) set(flag, next() ?? "", shown);
      else throw new FlagError(`flag needs an argument: '${letter}' in ${arg}`);
      return;
    }
  }
}

function bareValue(flag: Flag): string | undefined {
  return flag.bare ?? (flag.type === "bool" ? "true" : undefined);
}

function unknownFlag(name: string, known: readonly string[]): FlagError {
  const near = nearest(name.slice(2), known);
  return new FlagError(`unknown flag: ${name}${near === undefined ? "" : ` (did you mean --${near}?)`}`);
}

const truths = new Map<string, string>([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, "true"] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, "false"] as const),
]);

function checkValue(flag: Flag, value: string, shown: string): string[] {
  const invalid = (reason: string) => new FlagError(`invalid argument "${value}" for "${shown}" flag: ${reason}`);
  switch (flag.type) {
    case "bool": {
      const truth = truths.get(value);
      if (truth === undefined) throw invalid(`strconv.ParseBool: parsing "${value}": invalid syntax`);
      return [truth];
    }
    case "int":
      if (!/^[-+]?[0-9]+$/.test(value)) throw invalid(`strconv.ParseInt: parsing "${value}": invalid syntax`);
      return [value];
    case "duration":
      if (parseDurationMs(value) === undefined) throw invalid(`time: invalid duration "${value}"`);
      return [value];
    case "list":
      return value === "" ? [] : splitList(value);
    case "array":
    case "text":
      return [value];
  }
}

/** Values between commas; a value in double quotes may contain commas. */
function splitList(text: string): string[] {
  if (!text.includes('"')) return text.split(",");
  return [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'),
  );
}
