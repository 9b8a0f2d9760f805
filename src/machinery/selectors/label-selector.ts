/** Label selectors: from text or from an object, to something that labels match or do not. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { LabelSelectorObject } from "../meta/label-selector.ts";
import { isLabelValue, isQualifiedName } from "../meta/names.ts";
import { badRequest } from "../status/status.ts";
import { createMatcher, parseInteger } from "./label-matcher.ts";
import { type LabelToken, tokenizeLabelSelector } from "./label-tokens.ts";
import { checkSelectorLength, checkSelectorTerms, shown } from "./limits.ts";

export type LabelOperator = "=" | "!=" | "in" | "notin" | "exists" | "!exists" | ">" | "<";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, none twice. One for = != > <, none for the two existence operators. */
  readonly values: readonly string[];
}

/** All requirements must be met. Without requirements everything matches. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly empty: boolean;
  matches(labels: ReadonlyMap<string, string>): boolean;
  /** As text that parses to the same selector. */
  toString(): string;
}

/** Matches no labels: what an absent selector in an object means. There is no text for it. */
const selectNothing: LabelSelector = {
  requirements: [],
  empty: false,
  matches: () => false,
  toString: () => "",
};

/** Reads "env=prod,tier in (web,db),!canary". The empty text selects everything. Throws a badRequest. */
export function parseLabelSelector(text: string): LabelSelector {
  checkSelectorLength(text);
  const tokens = tokenizeLabelSelector(text);
  const requirements: LabelRequirement[] = [];
  let at = 0;
  const peek = () => tokens[at];
  const next = () => tokens[at++];

  while (at < tokens.length) {
    requirements.push(readRequirement());
    checkSelectorTerms(requirements.length);
    const separator = next();
    if (separator === undefined) break;
    if (separator.symbol !== "," || peek() === undefined) throw expected("',' and another term, or the end", separator);
  }
  return createLabelSelector(requirements);

  function readRequirement(): LabelRequirement {
    const first = next();
    if (first?.symbol === "!") {
      // Anything after the key is an error of the caller: !key=value has no meaning.
      return { key: readKey(next()), operator: "!exists", values: [] };
    }
    const key = readKey(first);
    const after = peek();
    if (after === undefined || after.symbol === ",") return { key, operator: "exists", values: [] };
    at++;
    return readComparison(key, after);
  }

  function readComparison(key: string, operator: LabelToken): LabelRequirement {
    switch (operator.symbol ?? operator.word) {
      case "=":
      case "==":
        return requirement(key, "=", [readValue()]);
      case "!=":
        return requirement(key, "!=", [readValue()]);
      case ">":
        return requirement(key, ">", [readValue()]);
      case "<":
        return requirement(key, "<", [readValue()]);
      case "in":
        return requirement(key, "in", readSet());
      case "notin":
        return requirement(key, "notin", readSet());
      default:
        throw expected("an operator: =, !=, in, notin, > or <", operator);
    }
  }

  function readValue(): string {
    const token = peek();
    if (token === undefined || token.symbol === ",") return "";
    at++;
    if (token.word === undefined) throw expected("a value", token);
    return token.word;
  }

  /** "(a,b)". An empty text between two separators is the empty value, but after two commas in a row a value must follow. */
  function readSet(): string[] {
    const open = next();
    if (open?.symbol !== "(") throw expected("'('", open);
    if (peek()?.symbol === ")") return takeEnd([""]);
    const values: string[] = [];
    for (;;) {
      const token = next();
      if (token?.word !== undefined) {
        values.push(token.word);
        if (peek()?.symbol === ")") return takeEnd(values);
        if (peek()?.symbol !== ",") throw expected("',' or ')'", peek());
      } else if (token?.symbol === ",") {
        if (values.length === 0) values.push("");
        if (peek()?.symbol === ")") return takeEnd([...values, ""]);
        if (peek()?.symbol === ",") {
          at++;
          values.push("");
        }
      } else throw expected("',' or a value", token);
    }
  }

  function takeEnd(values: string[]): string[] {
    at++;
    return values;
  }
}

function readKey(token: LabelToken | undefined): string {
  if (token?.word === undefined) throw expected("a key", token);
  const [problem] = isQualifiedName(token.word);
  if (problem !== undefined)
    throw badRequest(`unable to parse requirement: label selector: the key ${shown(token.word)}: ${problem}`);
  return token.word;
}

function requirement(key: string, operator: LabelOperator, given: readonly string[]): LabelRequirement {
  const values = [...new Set(given)].sort();
  for (const value of values) {
    const [problem] = isLabelValue(value);
    if (problem !== undefined)
      throw badRequest(`unable to parse requirement: label selector: the value ${shown(value)} of ${key}: ${problem}`);
    if ((operator === ">" || operator === "<") && parseInteger(value) === undefined) {
      throw badRequest(
        `unable to parse requirement: label selector: ${key}${operator} compares with integers, not with ${shown(value)}`,
      );
    }
  }
  return { key, operator, values };
}

export function createLabelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  return {
    requirements,
    empty: requirements.length === 0,
    matches: createMatcher(requirements),
    toString: () => requirements.map(printRequirement).join(","),
  };
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!exists":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    default:
      return `${key}${operator}${values[0] ?? ""}`;
  }
}

const operators = new Map<string, LabelOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!exists"],
]);

/**
 * The selector of matchLabels and matchExpressions. Absent selects nothing, empty everything. Throws a badRequest for an operator that
 * it does not know.
 */
export function labelSelectorFromObject(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector === null || selector === undefined) return selectNothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push({ key, operator: "=", values: [value] });
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = operators.get(operator);
    if (known === undefined)
      throw badRequest(`unable to parse requirement: label selector: there is no operator ${shown(operator)}`);
    const isSet = known === "in" || known === "notin";
    requirements.push({ key, operator: known, values: isSet ? [...new Set(values ?? [])].sort() : [] });
  }
  return createLabelSelector(requirements);
}

/** Labels as selectors take them. */
export function labelMap(labels: Readonly<Record<string, string>> | null | undefined): ReadonlyMap<string, string> {
  if (labels === undefined || labels === null) return noLabels;
  const known = manyLabels.get(labels);
  if (known !== undefined) {
    if (checksCaches) checkAnswer("label maps", known, new Map(Object.entries(labels)));
    return known;
  }
  const made = new Map(Object.entries(labels));
  if (made.size > labelsMadeAgainMax && Object.isFrozen(labels)) manyLabels.set(labels, made);
  return made;
}

const noLabels: ReadonlyMap<string, string> = new Map();

/** An object may have tens of thousands of labels, and many controllers that match them. Those that cannot change are made once. */
const manyLabels = new WeakMap<object, ReadonlyMap<string, string>>();
const labelsMadeAgainMax = 100;

function expected(what: string, token: LabelToken | undefined): Error {
  const found = token === undefined ? "the end" : shown(token.word ?? token.symbol ?? "");
  return badRequest(`unable to parse requirement: label selector: expected ${what}, found ${found}`);
}
