/** Checks of the limits that a limit range sets. */

import { on } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, forbidden, invalid, problemsFoundMax, required } from "../../../machinery/status/field-error.ts";
import { compareAmounts, parseQuantity } from "../../../machinery/values/quantity.ts";
import { mayOvercommit, validateContainerResourceName, validateResourceName } from "../../resource-names.ts";
import { LimitRangeItem } from "./limit-range-spec.ts";

const amountFields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

export const limitRelations = [on(LimitRangeItem, validateItem)];

function validateItem(item: LimitRangeItem, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const isPod = item.type === "Pod";
  const checkName = (name: string, at: string) =>
    isPod || item.type === "Container"
      ? validateContainerResourceName(name, at, environment)
      : validateResourceName(name, at);
  /** In how many fields each name is. */
  const names = new Map<string, number>();
  /** A name that is valid in one field is valid in all: there may be tens of thousands. */
  const valid = new Set<string>();
  for (const field of amountFields) {
    const given = Object.keys(item[field] ?? {});
    if (isPod && (field === "default" || field === "defaultRequest")) {
      if (given.length > 0) errors.push(forbidden(field, "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const name of given) {
      if (errors.length >= problemsFoundMax) return errors;
      names.set(name, (names.get(name) ?? 0) + 1);
      if (valid.has(name)) continue;
      const problems = checkName(name, `${field}[${name}]`);
      if (problems.length === 0) valid.add(name);
      else addTo(errors, problems);
    }
  }
  if (item.type === "PersistentVolumeClaim" && amount(item, "min", "storage") === undefined) {
    if (amount(item, "max", "storage") === undefined) {
      errors.push(required("limits", "either the least or the most storage must be given"));
    }
  }
  // One amount alone is in order. There may be tens of thousands.
  for (const [name, count] of names) {
    if (errors.length >= problemsFoundMax) break;
    if (count > 1) addTo(errors, validateOrder(item, name, isPod, environment));
  }
  return errors;
}

type AmountField = (typeof amountFields)[number];

function amount(item: LimitRangeItem, field: AmountField, name: string): string | undefined {
  const amounts = item[field] ?? {};
  return Object.hasOwn(amounts, name) ? amounts[name] : undefined;
}

/** The least, the request, the limit and the most must follow each other. */
function validateOrder(item: LimitRangeItem, name: string, isPod: boolean, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const of = (field: AmountField) =>
    isPod && (field === "default" || field === "defaultRequest") ? undefined : amount(item, field, name);
  const ordered = (low: AmountField, high: AmountField, blamed: AmountField) => {
    const [small, large] = [of(low), of(high)];
    if (small === undefined || large === undefined || compareAmounts(small, large) <= 0) return;
    errors.push(invalid(`${blamed}[${name}]`, of(blamed), `${low} value ${small} is above ${high} ${large}`));
  };
  ordered("min", "max", "min");
  ordered("min", "defaultRequest", "defaultRequest");
  ordered("defaultRequest", "max", "defaultRequest");
  ordered("defaultRequest", "default", "defaultRequest");
  ordered("min", "default", "default");
  ordered("default", "max", "default");

  const ratio = of("maxLimitRequestRatio");
  const at = `maxLimitRequestRatio[${name}]`;
  if (ratio !== undefined && exceeds(ratio, of("max"), of("min"))) {
    errors.push(invalid(at, ratio, "must not be above what max and min allow"));
  }
  const [limit, request] = [of("default"), of("defaultRequest")];
  if (limit !== undefined && request !== undefined && !mayOvercommit(name, environment)) {
    if (compareAmounts(limit, request) !== 0) {
      errors.push(invalid(`defaultRequest[${name}]`, request, "must be equal to the default limit"));
    }
  }
  return errors;
}

/** Whether `ratio` is above max / min. */
function exceeds(ratio: string, max: string | undefined, min: string | undefined): boolean {
  if (max === undefined || min === undefined) return false;
  const [wanted, most, least] = [ratio, max, min].map((text) => Number(parseQuantity(text)?.nano ?? 0n));
  return (wanted ?? 0) / 1e9 > (most ?? 0) / (least ?? 1);
}
