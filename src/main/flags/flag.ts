/** A flag as data: its name, how its text is parsed, its default, and what it means. */

import { isIP } from "node:net";

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
  /** Further names for the same flag. */
  readonly aliases?: readonly string[];
  /** Accepted for compatibility but without effect so far; giving it prints a warning with this reason. */
  readonly pending?: string;
  /** A later release removes it, so the help omits it, and giving it prints a warning that ends with this sentence. */
  readonly deprecated?: string;
  /** Known but not supported: ignoring it would be unsafe, so giving it is an error with this reason. */
  readonly refused?: string;
}

export type Flags = Readonly<Record<string, Flag>>;
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/** An error in a command line; its message is shown to the user, and the command exits with usageExitCode. */
export class FlagError extends Error {}

const type = <T>(name: string, parse: (text: string) => T, more: Partial<FlagType<T>> = {}): FlagType<T> => ({
  name,
  parse,
  ...more,
});

const integerType = type("int", (text) => {
  if (!/^-?\d{1,15}$/.test(text)) throw new FlagError(`must be a whole number, not "${text}"`);
  return Number(text);
});
const countType = type("int", (text) => {
  if (!/^\d{1,15}$/.test(text)) throw new FlagError(`must be a whole number that is not negative, not "${text}"`);
  return Number(text);
});
const portMax = 65_535;
const portType = type("int", (text) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > portMax) {
    throw new FlagError(`must be a port from 0 to ${portMax}, not "${text}"`);
  }
  return Number(text);
});
const addressType = type("ip", (text) => {
  if (isIP(text) === 0 && text !== "localhost") {
    throw new FlagError(`must be an IP address such as 127.0.0.1, not "${text}"`);
  }
  return text;
});
const ipType = type("ip", (text) => {
  if (text !== "" && isIP(text) === 0) throw new FlagError(`must be an IP address such as 192.0.2.1, not "${text}"`);
  return text;
});
const numberType = type("float", (text) => {
  if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw new FlagError(`must be a number, not "${text}"`);
  return Number(text);
});
const boolType: FlagType<boolean> = {
  ...type("bool", (text) => {
    if (["true", "t", "1", "TRUE", "True", "T"].includes(text)) return true;
    if (["false", "f", "0", "FALSE", "False", "F"].includes(text)) return false;
    throw new FlagError(`must be true or false, not "${text}"`);
  }),
  bare: true,
};
const durationUnitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const durationType = type("duration", (text) => {
  if (text === "0") return 0;
  const parts = [...text.slice(0, 50).matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text) {
    throw new FlagError(`must be a duration such as 30s, 5m or 1h30m, not "${text}"`);
  }
  return parts.reduce((sum, part) => sum + Number(part[1]) * (durationUnitsMs[part[2] ?? ""] ?? 0), 0);
});
const stringsType: FlagType<readonly string[]> = {
  ...type("strings", (text): readonly string[] => (text === "" ? [] : text.split(",").map((part) => part.trim()))),
  merge: (earlier, later) => [...earlier, ...later],
};
const stringArrayType: FlagType<readonly string[]> = {
  ...type("stringArray", (text): readonly string[] => [text]),
  merge: (earlier, later) => [...earlier, ...later],
};
const pairsType: FlagType<ReadonlyMap<string, string>> = {
  ...type("mapStringString", (text): ReadonlyMap<string, string> => new Map(splitPairs(text))),
  merge: (earlier, later) => new Map([...earlier, ...later]),
};
const switchesType: FlagType<ReadonlyMap<string, boolean>> = {
  ...type(
    "mapStringBool",
    (text): ReadonlyMap<string, boolean> =>
      new Map(splitPairs(text, false).map(([key, value]) => [key, parseSwitch(key, value)] as const)),
  ),
  merge: (earlier, later) => new Map([...earlier, ...later]),
};

function parseSwitch(key: string, value: string): boolean {
  try {
    return boolType.parse(value);
  } catch {
    throw new FlagError(`has an invalid value of ${key}=${value}: it must be true or false`);
  }
}

/** "a=1,b" -> [["a", "1"], ["b", "true"]]: a key alone means true where that is allowed. */
function splitPairs(text: string, mayStandAlone = true): [string, string][] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=");
      if (at < 0 && !mayStandAlone) throw new FlagError(`is missing a bool value for ${part}`);
      return at < 0 ? [part, "true"] : [part.slice(0, at), part.slice(at + 1)];
    });
}

const stringMapType: FlagType<ReadonlyMap<string, string>> = {
  ...type("stringToString", (text): ReadonlyMap<string, string> => new Map(splitStringMap(text))),
  merge: (earlier, later) => new Map([...earlier, ...later]),
};

/**
 * As v1.21 reads its flags of this type: with one "=" the whole text is one pair, and commas belong to its key and value; with more it is
 * a line of comma-separated values, each a pair, of which those with commas stand in quotes: "a,b=1,2","c=3".
 */
function splitStringMap(text: string): [string, string][] {
  if (text === "") return [];
  const isOne = text.split("=").length === 2;
  const parts = isOne ? [text.replace(/^"+|"+$/g, "")] : splitQuoted(text);
  return parts.map((part) => {
    const at = part.indexOf("=");
    if (at < 0) throw new FlagError(`must be formatted as key=value, not "${part}"`);
    return [part.slice(0, at), part.slice(at + 1)];
  });
}

/** One line of comma-separated values; "" inside quotes is a quote. */
function splitQuoted(text: string): string[] {
  const parts = [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"(?=,|$)|([^",]*)(?=,|$))/g)];
  if (parts.map((part) => part[0]).join("") !== text) {
    throw new FlagError(`must have pairs that contain commas in quotes: "key=value","key=value", not ${text}`);
  }
  return parts.map((part) => part[1]?.replaceAll('""', '"') ?? part[2] ?? "");
}

type More = Pick<Flag, "aliases" | "pending" | "refused" | "deprecated">;
const flag = <T>(flagType: FlagType<T>, fallback: T, help: string, more: More = {}): Flag<T> => ({
  type: flagType,
  default: fallback,
  help,
  ...more,
});

export const text = (help: string, fallback = "", more?: More): Flag<string> =>
  flag(type("string", String), fallback, help, more);
/** One of a few words; "" means that none was chosen. */
export function choice<const W extends string>(words: readonly W[], help: string, fallback: W, more?: More): Flag<W> {
  const shown = words.filter((word) => word !== "");
  const parse = (given: string): W => {
    const word = words.find((candidate) => candidate === given);
    if (word === undefined) throw new FlagError(`must be one of ${shown.join(", ")}, not "${given}"`);
    return word;
  };
  return flag(type(shown.join("|"), parse), fallback, help, more);
}
export const int = (help: string, fallback = 0, more?: More): Flag<number> => flag(integerType, fallback, help, more);
export const port = (help: string, fallback: number): Flag<number> => flag(portType, fallback, help);
export const address = (help: string, fallback: string): Flag<string> => flag(addressType, fallback, help);
/** An integer of 0 or more. */
export const atLeastZero = (help: string, fallback = 0) => flag(countType, fallback, help);
/** An IP address, or nothing. */
export const ip = (help: string, more?: More) => flag(ipType, "", help, more);
export const float = (help: string, fallback = 0, more?: More): Flag<number> => flag(numberType, fallback, help, more);
export const bool = (help: string, fallback = false, more?: More): Flag<boolean> =>
  flag(boolType, fallback, help, more);
/** In milliseconds. */
export const duration = (help: string, fallbackMs = 0, more?: More): Flag<number> =>
  flag(durationType, fallbackMs, help, more);
/** Separated by commas, repeatable. */
export const strings = (help: string, fallback: readonly string[] = [], more?: More): Flag<readonly string[]> =>
  flag(stringsType, fallback, help, more);
/** Repeatable; commas belong to the value. */
export const stringArray = (help: string, more?: More): Flag<readonly string[]> =>
  flag(stringArrayType, [], help, more);
export const pairs = (help: string, more?: More): Flag<ReadonlyMap<string, string>> =>
  flag(pairsType, new Map(), help, more);
export const stringMap = (help: string, more?: More): Flag<ReadonlyMap<string, string>> =>
  flag(stringMapType, new Map(), help, more);
export const switches = (help: string, more?: More): Flag<ReadonlyMap<string, boolean>> =>
  flag(switchesType, new Map(), help, more);
