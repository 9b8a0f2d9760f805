/** Checks the value of a field by the field's own rules. */

import {
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../status/field-error.ts";
import { isAbsent } from "./defaults.ts";
import { isObject } from "./json-value.ts";
import { problemsOfName } from "./name-formats.ts";
import type { CheckFunction, Rule, Unique } from "./rule.ts";
import type { Environment, Field } from "./schema.ts";

/** Takes errors whose path is relative to the field: "", "[2].name". */
export interface Findings {
  readonly environment: Environment;
  /** Whether there are so many that the search ends. */
  readonly isFull: boolean;
  add(error: FieldError): void;
  addAll(errors: FieldErrors): void;
}

/** Undefined: the field has no rules. */
export function fieldCheck(field: Field): ((value: unknown, findings: Findings) => void) | undefined {
  const needed = field.rules.find((rule) => rule.rule === "required");
  const others = field.rules.flatMap((rule) => compile(rule) ?? []);
  if (needed === undefined && others.length === 0) return undefined;
  const { empty, schema } = field;
  const nothing = schema.type === "map" ? {} : "";
  const isMany = schema.type === "list" || schema.type === "map";
  return (value, findings) => {
    const isZero = isAbsent(value, field) || (Array.isArray(value) && value.length === 0);
    if (isZero && needed) findings.add(required("", needed.text));
    if (isZero && empty !== "checked" && (needed !== undefined || isUnset(value, field))) return;
    if (value === "" && empty === "accepted") return;
    for (const isMet of others) if (!isMet(value ?? nothing, findings) && !isMany) return;
  };
}

/** Zero is a value in a field that is always there, and in v1.21 a port or percentage of zero is never elided. */
const isUnset = (value: unknown, { presence, schema }: Field): boolean =>
  (presence !== "required" && schema.type !== "intOrString") || value === undefined || value === null;

/** Whether the value meets one rule; what is wrong goes to the findings. */
type RuleCheck = (value: unknown, findings: Findings) => boolean;

function compile(rule: Rule): RuleCheck | undefined {
  switch (rule.rule) {
    case "filled":
      return (value, findings) => value !== "" || refused(findings, required("", rule.text));
    case "oneOf": {
      const { text } = rule;
      const values = rule.values as readonly string[]; // those of a level are not dated
      const allowed = new Set<unknown>(values);
      return (value, findings) =>
        allowed.has(value) ||
        refused(findings, text === undefined ? notSupported("", value, values) : invalid("", value, text));
    }
    case "range": {
      const { least = -Infinity, most = Infinity } = rule;
      const text = rule.text ?? rangeText(rule.least, rule.most);
      return (value, findings) => isWithin(value, least, most) || refused(findings, invalid("", value, text));
    }
    case "named":
      return (value, findings) => {
        const problems = problemsOfName(rule.format, value);
        for (const problem of problems) findings.add(invalid("", value, problem));
        return problems.length === 0;
      };
    case "max":
      return (value, findings) => {
        const length = lengthOf(value);
        if (length <= rule.max) return true;
        if (rule.text !== undefined) return refused(findings, invalid("", value, rule.text));
        return refused(
          findings,
          typeof value === "string" ? tooLong("", value, rule.max) : tooMany("", length, rule.max),
        );
      };
    case "unique":
      return (value, findings) => areUnique(value, rule, findings);
    case "checked": {
      // The field has the type that its function was written for.
      const check = rule.check as CheckFunction<unknown>;
      return (value, findings) => {
        const errors = check(value, "", findings.environment);
        findings.addAll(errors);
        return errors.length === 0;
      };
    }
    case "required":
    case "immutable":
      return undefined;
  }
}

function refused(findings: Findings, error: FieldError): false {
  findings.add(error);
  return false;
}

/** An int64 may be a bigint, and an int or string a text. */
const isWithin = (value: unknown, least: number, most: number): boolean =>
  (typeof value !== "number" && typeof value !== "bigint") || (value >= least && value <= most);

function rangeText(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return `must be greater than or equal to ${least}`;
  return least === undefined
    ? `must be less than or equal to ${most}`
    : `must be between ${least} and ${most}, inclusive`;
}

/** Bytes, items or entries. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function areUnique(value: unknown, { key }: Unique, findings: Findings): boolean {
  if (!Array.isArray(value) || value.length < 2) return true;
  const seen = new Set<unknown>();
  for (let index = 0; index < value.length && !findings.isFull; index++) {
    const identity = key === "" ? value[index] : value[index][key];
    if (identity === undefined) continue;
    if (seen.has(identity)) findings.add(duplicate(key === "" ? `[${index}]` : `[${index}].${key}`, identity));
    seen.add(identity);
  }
  return true;
}
