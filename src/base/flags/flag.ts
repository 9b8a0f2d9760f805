/** A flag as data: its name, how its text is parsed, its default, and what it means. */

import { parseDuration } from "../duration.ts";
import { spansOf } from "./spans.ts";

/** How a flag's text becomes its value. `merge` joins the values of a repeated flag; absent: the last wins. */
export interface FlagType<T> {
  /** The type name in the help: "duration". */
  readonly name: string;
  /** Throws FlagError with what is wrong and what is allowed. */
  parse(text: string): T;
  merge?(earlier: T, later: T): T;
  /** What a flag without "=value" means; absent: the next argument is its value. */
  readonly bare?: T;
}

export interface Flag<T = unknown> {
  readonly type: FlagType<T>;
  readonly default: T;
  readonly help: string;
  /** The letter of the short form: "o" for -o. */
  readonly short?: string;
  /** Further names for the same flag. */
  readonly aliases?: readonly string[];
  /** Former names, each with the sentence that ends the warning when it is used; the help omits them. */
  readonly formerNames?: Readonly<Record<string, string>>;
  /** What the text of this flag says for other flags of the table, by their names. */
  readonly implies?: (text: string) => Readonly<Record<string, string>>;
  /** Takes precedence over `bare` of the type. */
  readonly bare?: T;
  /** Accepted, but the help omits it. */
  readonly isHidden?: boolean;
  /** Accepted for compatibility but without effect so far; giving it prints a warning with this reason. */
  readonly pending?: string;
  /** A later release removes it, so the help omits it, and giving it prints a warning that ends with this sentence. */
  readonly deprecated?: string;
  /** Known but not supported: ignoring it would be unsafe, so giving it is an error with this reason. */
  readonly refused?: string;
}

export type Flags = Readonly<Record<string, Flag>>;
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/** An error in a command line; its message is shown to the user. */
export class FlagError extends Error {
  /** What is wrong with a value in the words of Go's flag parsers, which scripts search for. */
  readonly goReason: string | undefined;

  constructor(message: string, options: ErrorOptions & { readonly goReason?: string } = {}) {
    super(message, options);
    this.goReason = options.goReason;
  }
}

/** The value of a flag that is used without one; undefined: it needs one. */
export const bareValue = <T>(flag: Flag<T>): T | undefined => flag.bare ?? flag.type.bare;

export type FlagOptions<T> = Pick<
  Flag<T>,
  "short" | "aliases" | "formerNames" | "implies" | "bare" | "isHidden" | "pending" | "refused" | "deprecated"
>;

export const flag = <T>(type: FlagType<T>, fallback: T, help: string, more: FlagOptions<T> = {}): Flag<T> => ({
  type,
  default: fallback,
  help,
  ...more,
});

const stringType: FlagType<string> = { name: "string", parse: String };

const integerType: FlagType<number> = {
  name: "int",
  parse(text) {
    if (/^[-+]?\d{1,15}$/.test(text)) return Number(text);
    throw new FlagError(`must be a whole number, not "${text}"`, {
      goReason: `strconv.ParseInt: parsing "${text}": invalid syntax`,
    });
  },
};

const truths = ["true", "t", "1", "TRUE", "True", "T"];
const untruths = ["false", "f", "0", "FALSE", "False", "F"];

export const boolType: FlagType<boolean> = {
  name: "bool",
  parse(text) {
    if (truths.includes(text)) return true;
    if (untruths.includes(text)) return false;
    throw new FlagError(`must be true or false, not "${text}"`, {
      goReason: `strconv.ParseBool: parsing "${text}": invalid syntax`,
    });
  },
  bare: true,
};

const anyDurationType: FlagType<number> = {
  name: "duration",
  parse(text) {
    const nanos = parseDuration(text);
    if (nanos !== undefined) return Number(nanos) / 1e6;
    throw new FlagError(`must be a duration such as 30s, 5m or 1h30m, not "${text}"`, {
      goReason: `time: invalid duration "${text}"`,
    });
  },
};

const durationType: FlagType<number> = {
  ...anyDurationType,
  parse(text) {
    const ms = anyDurationType.parse(text);
    if (ms < 0) throw new FlagError(`must be a duration such as 30s, 5m or 1h30m, not "${text}"`);
    return ms;
  },
};

const join = <T>(earlier: readonly T[], later: readonly T[]): readonly T[] => [...earlier, ...later];

const stringsType: FlagType<readonly string[]> = {
  name: "strings",
  parse: (text) => (text === "" ? [] : splitList(text)),
  merge: join,
};

const stringArrayType: FlagType<readonly string[]> = { name: "stringArray", parse: (text) => [text], merge: join };

/** Values between commas; a value in double quotes may contain commas, and "" inside quotes is a quote. */
function splitList(text: string): string[] {
  if (!text.includes('"')) return text.split(",").map((part) => part.trim());
  return [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'),
  );
}

export const string = (help: string, fallback = "", more?: FlagOptions<string>): Flag<string> =>
  flag(stringType, fallback, help, more);

/** One of a few words; "" means that none was chosen. */
export function choice<const W extends string>(
  words: readonly W[],
  help: string,
  fallback: W,
  more?: FlagOptions<W>,
): Flag<W> {
  const shown = words.filter((word) => word !== "");
  const parse = (given: string): W => {
    const word = words.find((candidate) => candidate === given);
    if (word === undefined) throw new FlagError(`must be one of ${spansOf(shown, " to ").join(", ")}, not "${given}"`);
    return word;
  };
  return flag({ name: spansOf(shown, "…").join("|"), parse }, fallback, help, more);
}

export const int = (help: string, fallback = 0, more?: FlagOptions<number>): Flag<number> =>
  flag(integerType, fallback, help, more);

export const bool = (help: string, fallback = false, more?: FlagOptions<boolean>): Flag<boolean> =>
  flag(boolType, fallback, help, more);

/** In milliseconds, never negative. */
export const duration = (help: string, fallbackMs = 0, more?: FlagOptions<number>): Flag<number> =>
  flag(durationType, fallbackMs, help, more);

/** In milliseconds; what a negative one means is up to the command. */
export const anyDuration = (help: string, fallbackMs = 0, more?: FlagOptions<number>): Flag<number> =>
  flag(anyDurationType, fallbackMs, help, more);

/** Separated by commas, repeatable. */
export const strings = (
  help: string,
  fallback: readonly string[] = [],
  more?: FlagOptions<readonly string[]>,
): Flag<readonly string[]> => flag(stringsType, fallback, help, more);

/** Repeatable; commas belong to the value. */
export const stringArray = (help: string, more?: FlagOptions<readonly string[]>): Flag<readonly string[]> =>
  flag(stringArrayType, [], help, more);
