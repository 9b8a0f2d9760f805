/** Semantic versions such as "1.2.3-rc.1". */

import { bool, int, objectType, string } from "../types/types.ts";
import { EvaluationError, Opaque, uint64Max, type Value } from "../values/values.ts";
import { declare, type FunctionDeclaration, member, nominal, overload, traversal } from "./declaration.ts";

const versionType = objectType("Semver");

class Version extends Opaque {
  readonly type = versionType;
  readonly numbers: readonly bigint[];
  readonly #prerelease: readonly string[];
  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.#prerelease = prerelease;
  }
  equals(other: Value): boolean {
    return other instanceof Version && this.compare(other) === 0;
  }
  /** Builds (`+x`) have no order. */
  compare(other: Version): number {
    for (const [at, number] of this.numbers.entries()) {
      const difference = number - other.numbers[at]!;
      if (difference !== 0n) return difference < 0n ? -1 : 1;
    }
    return comparePrereleases(this.#prerelease, other.#prerelease);
  }
}

/** A version before its release is less than the release; numbers are less than names. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length) * (a.length === b.length ? 0 : 1);
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [left, right] = [a[at]!, b[at]!];
    if (left === right) continue;
    const numbers = [left, right].map((part) => /^[0-9]+$/.test(part));
    if (numbers[0] && numbers[1]) return BigInt(left) < BigInt(right) ? -1 : 1;
    if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

const versionCharsMax = 256;
const form = /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

function parse(text: string): Version | undefined {
  const match = text.length > versionCharsMax ? null : form.exec(text);
  if (match === null) return undefined;
  const numbers = match.slice(1, 4).map((part) => BigInt(part!));
  if (numbers.some((number) => number > uint64Max)) return undefined;
  const prerelease = match[4]?.split(".") ?? [];
  if (prerelease.some((part) => part === "" || /^0[0-9]+$/.test(part))) return undefined;
  if (match[5]?.split(".").includes("")) return undefined;
  return new Version(numbers, prerelease);
}

/** Drops a leading "v" and zeros, and completes "1" and "1.2". */
function normalize(text: string): string {
  const [, numbers = "", rest = ""] = /^v?([0-9.]*)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=[0-9])/, ""));
  while (parts.length < 3) parts.push("0");
  return numbers === "" ? text : `${parts.join(".")}${rest}`;
}

const read = (text: Value | undefined, isNormalized: Value | undefined): Version | undefined =>
  parse(isNormalized === true ? normalize(text as string) : (text as string));
const notVersion = new EvaluationError("not a semantic version");

/** A version that was checked when it was stored. */
export const versionOf = (text: string): Value => parse(text) ?? notVersion;

const order = (name: string, test: (order: number) => Value, result = bool): FunctionDeclaration =>
  declare(
    name,
    "1.33",
    member([versionType, versionType], result, ([a, b]) => test((a as Version).compare(b as Version)), nominal),
  );
const part = (name: string, at: number): FunctionDeclaration =>
  declare(
    name,
    "1.33",
    member([versionType], int, ([version]) => (version as Version).numbers[at]!, nominal),
  );

const parseCosts = traversal(0);

export const versions: readonly FunctionDeclaration[] = [
  declare(
    "semver",
    "1.33",
    overload([string], versionType, ([text]) => read(text, false) ?? notVersion, parseCosts),
    overload([string, bool], versionType, ([text, normal]) => read(text, normal) ?? notVersion, parseCosts),
  ),
  declare(
    "isSemver",
    "1.33",
    overload([string], bool, ([text]) => read(text, false) !== undefined, parseCosts),
    overload([string, bool], bool, ([text, normal]) => read(text, normal) !== undefined, parseCosts),
  ),
  order("isGreaterThan", (result) => result > 0),
  order("isLessThan", (result) => result < 0),
  order("compareTo", (result) => BigInt(result), int),
  part("major", 0),
  part("minor", 1),
  part("patch", 2),
];
