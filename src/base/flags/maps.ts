/** Flags whose value is a map: `--name=key=value,other=value`, repeatable. */

import { boolType, FlagError, type FlagOptions, type FlagType, flag } from "./flag.ts";

const join = <V>(earlier: ReadonlyMap<string, V>, later: ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
  new Map([...earlier, ...later]);

const pairsType: FlagType<ReadonlyMap<string, string>> = {
  name: "mapStringString",
  parse: (text) => new Map(splitPairs(text)),
  merge: join,
};

const switchesType: FlagType<ReadonlyMap<string, boolean>> = {
  name: "mapStringBool",
  parse: (text) => new Map(splitPairs(text, false).map(([key, value]) => [key, parseSwitch(key, value)] as const)),
  merge: join,
};

const stringMapType: FlagType<ReadonlyMap<string, string>> = {
  name: "stringToString",
  parse: (text) => new Map(splitStringMap(text)),
  merge: join,
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

export const pairs = (help: string, more?: FlagOptions<ReadonlyMap<string, string>>) =>
  flag(pairsType, new Map(), help, more);
export const stringMap = (help: string, more?: FlagOptions<ReadonlyMap<string, string>>) =>
  flag(stringMapType, new Map(), help, more);
export const switches = (help: string, more?: FlagOptions<ReadonlyMap<string, boolean>>) =>
  flag(switchesType, new Map(), help, more);
