/** Whether a value follows its schema: all problems at once, under the paths and with the reasons of v1.21. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";
import type { Feature } from "../schema/features.ts";
import { type FieldError, invalid } from "../status/field-error.ts";
import { Findings } from "./findings.ts";
import { isCheckedFormat } from "./formats.ts";
import { type Before, isKept, itemsBefore, memberBefore } from "./kept.ts";
import type { SchemaPlan } from "./plan.ts";
import { checkNumber, checkText, isAmong } from "./scalar.ts";

/** How much work is left: each value costs one for each schema that it is checked against, and more if that takes longer. */
export interface Work {
  left: number;
  /** Whether a value of int-or-string may be anything, or what `type` says: v1.21 does not check defaults otherwise. Default: false. */
  readonly anyIntOrString?: boolean;
  /** What the server has of what differs between releases. Default: nothing, it is of 1.21. */
  readonly has?: (feature: Feature) => boolean;
  /** Set by validation: a value does not have the type or the bounds of its schema. */
  isUnsafe?: boolean;
}

/** Whether reasons and paths are as fine as since 1.24: TooLong, and positions in lists. */
const hasReasons = ({ has }: Work): boolean => has?.("fineReasons") ?? false;

const newFindings = (work: Work): Findings => new Findings(hasReasons(work), work.has?.("listedBeforeRules") ?? true);

/** The work limit is used up. */
class Exhausted extends Error {}

/**
 * The path of a problem is the path to the value, in v1.21 without positions in lists. A choice (anyOf, oneOf, allOf, not) that
 * fails is reported at `path` itself, together with the problems of its best alternative. What would take more work than
 * is left is a problem: a short schema of many alternatives and a short list can be multiplied to minutes.
 * `old`: the value before; parts that have not changed are not checked. Absent: all are.
 */
export function validateValue(plan: SchemaPlan, value: unknown, path: string, work: Work, old?: unknown): FieldError[] {
  const errors = newFindings(work);
  try {
    check(plan, value, path, { root: path, errors, work }, before(plan, old));
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return [invalid(path, value, "must not take so much work to be held against its schema")];
  }
  if (errors.isUnsafe) work.isUnsafe = true;
  return errors.errors;
}

/** The result of `validateValue`, in steps: a large value is checked a few hundred parts at a time. */
export function* validateValueInSteps(
  plan: SchemaPlan,
  value: unknown,
  path: string,
  work: Work,
  old?: unknown,
): Steps<FieldError[]> {
  const errors = newFindings(work);
  try {
    yield* checkInSteps(plan, value, path, { root: path, errors, work }, before(plan, old));
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return [invalid(path, value, "must not take so much work to be held against its schema")];
  }
  if (errors.isUnsafe) work.isUnsafe = true;
  return errors.errors;
}

const before = (plan: SchemaPlan, old: unknown): Before | undefined =>
  old === undefined ? undefined : { value: old, plan };

interface Report {
  readonly root: string;
  readonly errors: Findings;
  readonly work: Work;
}

function take(work: Work, amount: number): void {
  work.left -= amount;
  if (work.left < 0) throw new Exhausted();
}

/** How many values are checked against schemas in one step. */
const checksPerStep = 1_000;
/** How many characters cost as much as one value. */
const charsPerStep = 100;

/** In the order in which v1.21 reports. */
function check(plan: SchemaPlan, value: unknown, path: string, report: Report, old: Before | undefined): void {
  if (isKept(value, old)) return;
  checkItself(plan, value, path, report);
  if (Array.isArray(value)) {
    const { items } = plan;
    const itemBefore = itemsBefore(old);
    if (items !== undefined)
      for (const [index, item] of value.entries())
        check(items, item, itemAt(path, index, report), report, itemBefore(item));
    checkLength(plan, value, path, report);
  }
  checkEnum(plan, value, path, report);
  if (!isObject(value) || !checkSize(plan, value, path, report)) return;
  for (const name of Object.keys(value)) {
    const member = memberPlan(plan, name, path, report);
    if (member !== undefined) check(member, value[name], at(path, name), report, memberBefore(old, name, path));
  }
  checkRequired(plan, value, path, report);
}

/** Checks in steps. The result of a choice for a value is computed in one step, within the work that is left. */
function* checkInSteps(
  plan: SchemaPlan,
  value: unknown,
  path: string,
  report: Report,
  old: Before | undefined,
): Steps<void> {
  if (isSmall(value)) return check(plan, value, path, report, old);
  if (isKept(value, old)) return;
  checkItself(plan, value, path, report);
  yield;
  if (Array.isArray(value)) {
    const { items } = plan;
    const itemBefore = itemsBefore(old);
    let left = report.work.left;
    for (const [index, item] of value.entries()) {
      if (items !== undefined) yield* checkInSteps(items, item, itemAt(path, index, report), report, itemBefore(item));
      if (left - report.work.left < checksPerStep) continue;
      yield;
      left = report.work.left;
    }
    checkLength(plan, value, path, report);
  }
  checkEnum(plan, value, path, report);
  if (!isObject(value) || !checkSize(plan, value, path, report)) return;
  let left = report.work.left;
  for (const name of Object.keys(value)) {
    const member = memberPlan(plan, name, path, report);
    if (member !== undefined)
      yield* checkInSteps(member, value[name], at(path, name), report, memberBefore(old, name, path));
    if (left - report.work.left < checksPerStep) continue;
    yield;
    left = report.work.left;
  }
  checkRequired(plan, value, path, report);
}

/** v1.21 does not name positions. */
const itemAt = (path: string, index: number, { work }: Report): string =>
  hasReasons(work) ? `${path}[${index}]` : path;

/** Problems that are found without checking the parts of the value, and those of its choices. */
function checkItself(plan: SchemaPlan, value: unknown, path: string, report: Report): void {
  const { errors, work } = report;
  const { schema } = plan;
  take(work, 1 + (schema.enum?.length ?? 0) + (typeof value === "string" ? value.length / charsPerStep : 0));
  if (!hasType(plan, value, work)) errors.mistyped(path, value, String(typeName(plan, work)));
  if (value === null || value === undefined) return;
  checkChoices(plan, value, path, report);
  if (typeof value === "string") checkText(schema, value, path, report);
  else if (typeof value === "number" || typeof value === "bigint") checkNumber(schema, value, path, errors);
}

function checkEnum({ schema }: SchemaPlan, value: unknown, path: string, { errors }: Report): void {
  if (schema.enum !== undefined && !isAmong(schema.enum, value)) errors.notSupported(path, value, schema.enum);
}

const typeName = ({ isIntOrString, schema }: SchemaPlan, work: Work) =>
  isIntOrString && work.anyIntOrString !== true ? "integer,string" : schema.type;

function hasType({ schema, isIntOrString, isNullable }: SchemaPlan, value: unknown, work: Work): boolean {
  const { type, format } = schema;
  if (!type && !isIntOrString) return true;
  if (value === null || value === undefined) return isNullable;
  if (isIntOrString && work.anyIntOrString !== true) return typeof value === "string" || isInteger(value);
  switch (type) {
    case "integer":
      return isInteger(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "array":
      if (Array.isArray(value)) return true;
      break;
    case "object":
      if (isObject(value)) return true;
      break;
    case "":
    case undefined:
      return true;
    default:
      if (typeof value === type) return true;
  }
  // A format replaces the type of texts and lists, whatever the type says: v1.21 checks the format alone.
  return (
    Boolean(format) && isCheckedFormat(format ?? "", work.has) && (typeof value === "string" || Array.isArray(value))
  );
}

/** A number beyond 2^53 that is not a bigint did not fit into 64 bits, so it is unknown whether it was an integer. */
const isInteger = (value: unknown): boolean => typeof value === "bigint" || Number.isSafeInteger(value);

/** Alternatives know nothing of the value before: what has not changed inside must follow them all the same. */
function checkChoices(plan: SchemaPlan, value: unknown, path: string, report: Report): void {
  const { anyOf, oneOf, allOf, not } = plan.choices;
  if (anyOf.length === 0 && oneOf.length === 0 && allOf.length === 0 && not === undefined) return;
  const { root, errors, work } = report;
  const tried = (alternatives: readonly SchemaPlan[]) =>
    alternatives.map((alternative) => {
      const found = newFindings(work);
      check(alternative, value, path, { root, errors: found, work }, undefined);
      return found;
    });
  const refuse = (problem: string, because: readonly Findings[] = []) => {
    errors.invalid(root, "", `"${path}" must ${problem}`);
    for (const found of because) errors.take(found);
  };
  const isMet = ({ count }: Findings) => count === 0;
  if (anyOf.length > 0) {
    const outcomes = tried(anyOf);
    if (!outcomes.some(isMet)) refuse("validate at least one schema (anyOf)", best(outcomes));
  }
  if (oneOf.length > 0) {
    const outcomes = tried(oneOf);
    const matching = outcomes.filter(isMet).length;
    if (matching === 0) refuse("validate one and only one schema (oneOf). Found none valid", best(outcomes));
    else if (matching > 1) refuse(`validate one and only one schema (oneOf). Found ${matching} valid alternatives`);
  }
  if (allOf.length > 0) {
    const outcomes = tried(allOf);
    if (!outcomes.every(isMet))
      refuse(`validate all the schemas (allOf)${outcomes.some(isMet) ? "" : ". None validated"}`, outcomes);
  }
  if (not !== undefined && tried([not]).every(isMet)) refuse("not validate the schema (not)");
}

/** The problems of the alternative that fits best: of those with the fewest, the first. */
function best(outcomes: readonly Findings[]): readonly Findings[] {
  const [first, ...others] = outcomes;
  if (first === undefined) return [];
  return [others.reduce((least, found) => (found.count < least.count ? found : least), first)];
}

function checkLength({ schema }: SchemaPlan, list: readonly unknown[], path: string, { errors }: Report): void {
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && list.length < minItems)
    errors.inBody(path, list.length, `have at least ${minItems} items`);
  if (maxItems !== undefined && list.length > maxItems) errors.tooMany(path, list.length, maxItems, "items");
}

type Members = Readonly<Record<string, unknown>>;

/** False: there are too few or too many members, and none of them is checked. */
function checkSize({ schema }: SchemaPlan, object: Members, path: string, { errors }: Report): boolean {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return true;
  const count = Object.keys(object).length;
  if (minProperties !== undefined && count < minProperties) {
    errors.inBody(path, count, `have at least ${minProperties} properties`);
    return false;
  }
  if (maxProperties !== undefined && count > maxProperties) {
    errors.tooMany(path, count, maxProperties, "properties");
    return false;
  }
  return true;
}

function memberPlan(plan: SchemaPlan, name: string, path: string, { errors }: Report): SchemaPlan | undefined {
  const member = plan.property(name) ?? plan.additional;
  if (member === undefined && plan.schema.additionalProperties === false)
    errors.invalid(path, name, `must not have the member ${name}`);
  return member;
}

function checkRequired({ schema }: SchemaPlan, object: Members, path: string, { errors, work }: Report): void {
  const { required: needed } = schema;
  if (needed === undefined) return;
  take(work, needed.length);
  for (const name of needed) if (!Object.hasOwn(object, name)) errors.required(at(path, name));
}

const at = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
