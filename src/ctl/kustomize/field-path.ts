/** Paths of replacements: names with dots between them, "[name=web]", an index, "*" for every item. */

import { matchesPattern, patternProblem } from "../../machinery/json-schema/pattern.ts";
import { CtlError } from "../errors.ts";
import {
  at,
  copyValue,
  isMembers,
  isNull,
  isScalar,
  type Members,
  put,
  textOf,
  WrittenScalar,
  type YamlValue,
} from "./value.ts";
import { floatOf, integerOf, wordOf } from "./yaml-scalars.ts";

/** A place in a value that can be read and written. */
export interface ValuePlace {
  readonly value: YamlValue;
  set(value: YamlValue): void;
}

/** Dots after a backslash and within brackets do not split. */
export function splitFieldPath(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split(".")) {
    const before = parts.at(-1);
    if (before?.endsWith("\\")) parts[parts.length - 1] = `${before.slice(0, -1)}.${part}`;
    else parts.push(part);
  }
  const steps: string[] = [];
  for (let from = 0; from < parts.length; from++) {
    const start = parts[from] ?? "";
    if (!start.startsWith("[") || start.endsWith("]")) {
      steps.push(start);
      continue;
    }
    const end = parts.findIndex((part, index) => index > from && part.endsWith("]"));
    const whole = parts.slice(from, end < 0 ? undefined : end + 1).join(".");
    steps.push(whole.includes("=") ? whole : whole.replaceAll(/^\[+|\]+$/g, ""));
    from = end < 0 ? parts.length : end;
  }
  return steps;
}

const isItemStep = (step: string): boolean => step.startsWith("[") && step.endsWith("]");
const isIndex = (step: string): boolean => /^\d+$/.test(step);

function itemStep(step: string): { readonly name: string; readonly wanted: string } {
  const inner = step.slice(1, -1);
  const equals = inner.indexOf("=");
  if (equals < 0)
    throw new CtlError(`list path element must contain fieldName=fieldValue for element to match: ${step}`);
  return { name: inner.slice(0, equals), wanted: inner.slice(equals + 1) };
}

/** The value at the path: items are found by equality. Undefined: there is none. */
export function lookUp(value: YamlValue, steps: readonly string[]): YamlValue | undefined {
  let found: YamlValue | undefined = value;
  for (const step of steps) {
    if (found === undefined || isNull(found)) return undefined;
    if (step === "*") throw new CtlError("wildcard is not supported in PathGetter");
    if (isItemStep(step)) {
      const { name, wanted } = itemStep(step);
      found = listOf(found, step).find((item) => textOf(name === "" ? item : at(item, name)) === wanted);
    } else if (step === "-") found = listOf(found, step).at(-1);
    else if (isIndex(step) && Array.isArray(found)) found = found[Number(step)];
    else if (isMembers(found)) found = at(found, step);
    else throw new CtlError(`wrong node kind: expected MappingNode but got another at ${step}`);
  }
  return found;
}

function listOf(value: YamlValue, step: string): YamlValue[] {
  if (Array.isArray(value)) return value;
  throw new CtlError(`wrong node kind: expected SequenceNode but got another at ${step}`);
}

/** What is created where a path ends. */
export type Created = "nothing" | "scalar" | "members" | "list";

/** All places to which the path leads: items are found by patterns. */
export function findPlaces(place: ValuePlace, steps: readonly string[], creates: Created): ValuePlace[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [place];
  if (isIndex(step) && !isMembers(place.value)) return atIndex(place, Number(step), rest, creates);
  if (isItemStep(step)) return atItems(place, step, rest, creates);
  if (step === "*")
    return listOf(place.value, step).flatMap((_, index) => findPlaces(itemPlace(place, index), rest, creates));
  const members = place.value;
  if (!isMembers(members)) throw new CtlError(`wrong node kind: expected MappingNode but got another at ${step}`);
  if (!Object.hasOwn(members, step)) {
    if (creates === "nothing") return [];
    put(members, step, madeFor(rest[0], creates));
  }
  return findPlaces(memberPlace(members, step), rest, creates);
}

const memberPlace = (members: Members, name: string): ValuePlace => ({
  get value() {
    return members[name] ?? null;
  },
  set: (value) => put(members, name, value),
});

function itemPlace(place: ValuePlace, index: number): ValuePlace {
  const list = listOf(place.value, String(index));
  return {
    get value() {
      return list[index] ?? null;
    },
    set: (value) => {
      list[index] = value;
    },
  };
}

function madeFor(next: string | undefined, creates: Created): YamlValue {
  if (next !== undefined) return isItemStep(next) || isIndex(next) ? [] : {};
  return creates === "members" ? {} : creates === "list" ? [] : null;
}

function atIndex(place: ValuePlace, index: number, rest: readonly string[], creates: Created): ValuePlace[] {
  const list = listOf(place.value, String(index));
  if (index === list.length && creates !== "nothing") list.push(madeFor(rest[0], creates));
  if (index >= list.length) throw new CtlError(`index ${index} specified but only ${list.length} elements found`);
  return findPlaces(itemPlace(place, index), rest, creates);
}

function atItems(place: ValuePlace, step: string, rest: readonly string[], creates: Created): ValuePlace[] {
  const { name, wanted } = itemStep(step);
  const list = listOf(place.value, step);
  const problem = patternProblem(wanted);
  if (problem !== undefined) throw new CtlError(`error parsing regexp: ${problem}: \`${wanted}\``);
  const found = (): ValuePlace[] =>
    list.flatMap((item, index) => {
      const member = name === "" ? item : at(item, name);
      if (member === undefined || !matchesPattern(wanted, textOf(member))) return [];
      return name === "" ? [itemPlace(place, index)] : findPlaces(itemPlace(place, index), rest, creates);
    });
  const places = found();
  if (places.length > 0 || creates === "nothing") return places;
  list.push(name === "" ? implied(wanted) : { [name]: implied(wanted) });
  return found();
}

/** A text as the value that a plain YAML scalar of this text has. */
export function implied(text: string): YamlValue {
  const word = wordOf(text);
  return word === undefined ? (integerOf(text) ?? floatOf(text) ?? text) : word;
}

/** A scalar keeps its type: the text "80" becomes a number where a number was. */
export function setPlace(place: ValuePlace, value: YamlValue): void {
  const before = place.value;
  if (before === null && isScalar(value)) place.set(typeof value === "string" ? implied(value) : value);
  else if (!isScalar(before) || before === null) place.set(copyValue(value));
  else if (typeof before === "string") place.set(textOf(value));
  else {
    const next = implied(textOf(value));
    const type = (one: YamlValue) => typeof (one instanceof WrittenScalar ? one.value : one);
    const isSameType = type(next) === type(before) || type(before) === "bigint" || type(next) === "bigint";
    // A later step may still replace it, so only a value that is printed is an error.
    place.set(isSameType ? next : new WrittenScalar(textOf(value), Number.NaN));
  }
}
