/** Selectors of requests and reviews as authorizers see them: requirements that they understand, and errors for the rest. */

import { isLabelValue, isQualifiedName } from "../machinery/meta/names.ts";
import { parseFieldSelector } from "../machinery/selectors/field-selector.ts";
import { type LabelOperator, parseLabelSelector } from "../machinery/selectors/label-selector.ts";
import type { SelectorOperator, SelectorRequirement } from "./contract.ts";

/** Requirements that could not be read are left out: an authorizer then sees a request that selects more. */
export interface ReadSelector {
  readonly requirements: readonly SelectorRequirement[];
  readonly errors: readonly string[];
}

/** A requirement as a review states it: nothing about it has been checked. */
interface StatedRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

export function readFieldSelector(text: string): ReadSelector {
  return read(() =>
    parseFieldSelector(text).map(({ path, operator, value }) => ({
      key: path,
      operator: operator === "=" ? "In" : "NotIn",
      values: [value],
    })),
  );
}

const labelOperators: Readonly<Record<LabelOperator, SelectorOperator | undefined>> = {
  "=": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!exists": "DoesNotExist",
  // Reviews have no word for comparisons.
  ">": undefined,
  "<": undefined,
};

export function readLabelSelector(text: string): ReadSelector {
  return read(() =>
    parseLabelSelector(text).requirements.flatMap(({ key, operator, values }) => {
      const known = labelOperators[operator];
      return known === undefined ? [] : [{ key, operator: known, values }];
    }),
  );
}

function read(parse: () => readonly SelectorRequirement[]): ReadSelector {
  try {
    return { requirements: parse(), errors: [] };
  } catch (error) {
    return { requirements: [], errors: [error instanceof Error ? error.message : String(error)] };
  }
}

/** Fields are compared with one value. */
export const readFieldRequirements = (stated: readonly StatedRequirement[]): ReadSelector =>
  readEach(stated, ({ operator, values }) => {
    if (operator === "In" || operator === "NotIn") return values.length === 1 ? "" : "must have exactly one value";
    return operator === "Exists" || operator === "DoesNotExist"
      ? `the operator ${operator} is not supported`
      : undefined;
  });

export const readLabelRequirements = (stated: readonly StatedRequirement[]): ReadSelector =>
  readEach(stated, ({ key, operator, values }) => {
    if (isQualifiedName(key).length > 0) return "the key is not a label";
    if (operator === "Exists" || operator === "DoesNotExist") return values.length === 0 ? "" : "must have no values";
    if (operator !== "In" && operator !== "NotIn") return undefined;
    if (values.length === 0) return "must have at least one value";
    return values.every((value) => isLabelValue(value).length === 0) ? "" : "a value is not that of a label";
  });

type Check = (requirement: SelectorRequirement) => string | undefined;

/** `check` says what is wrong with a requirement; "": nothing, undefined: its operator is not known. */
function readEach(stated: readonly StatedRequirement[], check: Check): ReadSelector {
  const requirements: SelectorRequirement[] = [];
  const errors: string[] = [];
  for (const [index, { key, operator, values }] of stated.entries()) {
    // Only after `check` is it known to be one of them.
    const requirement = { key, operator: operator as SelectorOperator, values: values ?? [] };
    const problem = check(requirement);
    if (problem === "") requirements.push(requirement);
    else errors.push(`requirements[${index}]: ${problem ?? `"${operator}" is not a valid operator`}`);
  }
  return { requirements, errors };
}
