/** Checks the value of a field by the field's own rules. */

import { isObject } from "../json/json-value.ts";
import {
  both,
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  problemsFoundMax,
  required,
  tooLong,
  tooMany,
} from "../status/field-error.ts";
import { compareAmounts } from "../values/quantity.ts";
import { isAbsent } from "./defaults.ts";
import type { Environment } from "./environment.ts";
import { nameCheck } from "./name-formats.ts";
import type { CheckFunction, Range, Rule, Unique } from "./rule.ts";
import type { Field, Schema } from "./schema.ts";

/** What is wrong with a value; paths are relative to it: "", "[2].name". A value that meets the rules costs no allocation. */
export type Check = (value: unknown, environment: Environment) => FieldErrors;

/** Undefined: the field has no rules. */
export function fieldCheck(field: Field): Check | undefined {
  const needed = field.rules.find((rule) => rule.rule === "required");
  const others = field.rules.flatMap((rule) => compile(rule, field) ?? []);
  if (needed === undefined && others.length === 0) return undefined;
  const { empty, schema } = field;
  const missing = needed ? [required("", needed.text)] : noErrors;
  const nothing = zeroOf(schema);
  const isMany = schema.type === "list" || schema.type === "map";
  return (value, environment) => {
    // Most values are texts that are not empty; of zeros "0s" is the longest.
    const isZero =
      !(typeof value === "string" && value.length > 2) &&
      (isAbsent(value, field) || (Array.isArray(value) && value.length === 0));
    const before = isZero ? missing : noErrors;
    if (isZero && empty !== "checked" && (needed !== undefined || isUnset(value, field))) return before;
    if (value === "" && empty === "accepted") return before;
    let errors = noErrors;
    for (let at = 0; at < others.length && (isMany || errors === noErrors); at++) {
      const check = others[at] as Check; // `at` is within bounds
      const found = check(value ?? nothing, environment);
      if (found.length > 0) errors = both(errors, found);
    }
    return isZero ? both(before, errors) : errors;
  };
}

/** What an absent value is compared as where even that is checked. */
function zeroOf({ type }: Schema): unknown {
  if (type === "map") return {};
  return type === "int32" || type === "int64" || type === "uint32" ? 0 : "";
}

/** Zero is a value in a field that is always there, and in v1.21 a port or percentage of zero is never elided. */
const isUnset = (value: unknown, { presence, schema }: Field): boolean =>
  (presence !== "required" && schema.type !== "intOrString") || value === undefined || value === null;

function compile(rule: Rule, { schema }: Field): Check | undefined {
  switch (rule.rule) {
    case "filled": {
      const missing = [required("", rule.text)];
      return (value) => (value === "" ? missing : noErrors);
    }
    case "oneOf": {
      const { text } = rule;
      const values = rule.values as readonly string[]; // those of a level are not dated
      const allowed = new Set<unknown>(values);
      return (value) => {
        if (allowed.has(value)) return noErrors;
        return [text === undefined ? notSupported("", value, values) : invalid("", value, text)];
      };
    }
    case "range": {
      const text = rule.text ?? rangeText(rule.least, rule.most);
      const isWithin = schema.type === "quantity" ? isAmountWithin(rule) : isNumberWithin(rule);
      return (value) => (isWithin(value) ? noErrors : [invalid("", value, text)]);
    }
    case "named": {
      const problemsOf = nameCheck(rule.format);
      return (value) => {
        const problems = problemsOf(value);
        return problems.length === 0 ? noErrors : problems.map((problem) => invalid("", value, problem));
      };
    }
    case "max":
      return (value) => {
        const length = lengthOf(value);
        if (length <= rule.max) return noErrors;
        if (rule.text !== undefined) return [invalid("", value, rule.text)];
        return [typeof value === "string" ? tooLong("", value, rule.max) : tooMany("", length, rule.max)];
      };
    case "unique":
      return uniqueCheck(rule, schema);
    case "alone":
      return (value) =>
        Array.isArray(value) && value.length > 1 && value.includes(rule.item)
          ? [invalid("", value, rule.text)]
          : noErrors;
    case "checked": {
      // The field has the type that its function was written for.
      const check = rule.check as CheckFunction<unknown>;
      return (value, environment) => check(value, "", environment);
    }
    case "required":
    case "immutable":
      return undefined;
  }
}

/** An int64 may be a bigint, and an int or string a text. */
function isNumberWithin({ least = -Infinity, above = -Infinity, most = Infinity }: Range): (value: unknown) => boolean {
  return (value) =>
    (typeof value !== "number" && typeof value !== "bigint") || (value >= least && value > above && value <= most);
}

function isAmountWithin({ least, above, most }: Range): (value: unknown) => boolean {
  return (value) => {
    const order = (bound: number) => compareAmounts(String(value), String(bound));
    if (least !== undefined && order(least) < 0) return false;
    return (above === undefined || order(above) > 0) && (most === undefined || order(most) <= 0);
  };
}

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

function uniqueCheck(rule: Unique, schema: Schema): Check {
  const { key, isItemReported = false, isAbsentCompared = false, isOfValid = false, text } = rule;
  const member = isOfValid ? memberCheck(schema, key) : undefined;
  const at = (index: number) => (key === "" || isItemReported ? `[${index}]` : `[${index}].${key}`);
  return (value, environment) => {
    if (!Array.isArray(value) || value.length < 2) return noErrors;
    const seen = new Set<unknown>();
    let errors: FieldError[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const own = key === "" ? value[index] : value[index][key];
      if (own === undefined && !isAbsentCompared) continue;
      const identity = own === undefined ? "" : own;
      if (seen.has(identity) && (member === undefined || member(identity, environment).length === 0)) {
        errors ??= [];
        errors.push(text === undefined ? duplicate(at(index), identity) : invalid(at(index), identity, text));
        if (errors.length >= problemsFoundMax) break;
      }
      seen.add(identity);
    }
    return errors ?? noErrors;
  };
}

/** The check of a member by its own rules, which are the same at all levels. */
function memberCheck(schema: Schema, key: string): Check | undefined {
  const items = schema.type === "list" ? schema.items : undefined;
  const member = items?.type === "struct" ? items.fields.get(key) : undefined;
  if (member === undefined || member.changes.length > 0) throw new Error(`${key} does not say when it is valid`);
  return fieldCheck(member);
}
