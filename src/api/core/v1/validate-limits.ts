/** Checks of the limits that a limit range sets. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, duplicate, forbidden, invalid, required } from "../../../machinery/status/field-error.ts";
import { compareAmounts, parseQuantity } from "../../../machinery/values/quantity.ts";
import type { LimitRangeItem } from "./limit-range-spec.ts";
import { mayOvercommit, validateContainerResourceName, validateResourceName } from "./pod/validate-resources.ts";

const types = ["Pod", "Container", "PersistentVolumeClaim"];
const amountFields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

export function validateLimits(
  limits: readonly LimitRangeItem[],
  path: string,
  environment: Environment,
): FieldError[] {
  const seen = new Set<string>();
  return limits.flatMap((item, index) => {
    const at = `${path}[${index}]`;
    const errors = validateType(item.type, `${at}.type`);
    if (seen.has(item.type)) errors.push(duplicate(`${at}.type`, item.type));
    seen.add(item.type);
    return [...errors, ...validateItem(item, at, environment)];
  });
}

function validateType(type: string, path: string): FieldError[] {
  const problems = isQualifiedName(type);
  if (problems.length > 0) return problems.map((problem) => invalid(path, type, problem));
  if (type.includes("/") || types.includes(type)) return [];
  return [invalid(path, type, "must be a standard limit type or fully qualified")];
}

function validateItem(item: LimitRangeItem, path: string, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const isPod = item.type === "Pod";
  const checkName = (name: string, at: string) =>
    isPod || item.type === "Container"
      ? validateContainerResourceName(name, at, environment)
      : validateResourceName(name, at);
  const names = new Set<string>();
  for (const field of amountFields) {
    const given = Object.keys(item[field] ?? {});
    if (isPod && (field === "default" || field === "defaultRequest")) {
      if (given.length > 0) errors.push(forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const name of given) {
      addTo(errors, checkName(name, `${path}.${field}[${name}]`));
      names.add(name);
    }
  }
  if (item.type === "PersistentVolumeClaim" && amount(item, "min", "storage") === undefined) {
    if (amount(item, "max", "storage") === undefined) {
      errors.push(required(`${path}.limits`, "either the least or the most storage must be given"));
    }
  }
  for (const name of names) errors.push(...validateOrder(item, name, isPod, path, environment));
  return errors;
}

type AmountField = (typeof amountFields)[number];

function amount(item: LimitRangeItem, field: AmountField, name: string): string | undefined {
  const amounts = item[field] ?? {};
  return Object.hasOwn(amounts, name) ? amounts[name] : undefined;
}

/** The least, the request, the limit and the most must follow each other. */
function validateOrder(
  item: LimitRangeItem,
  name: string,
  isPod: boolean,
  path: string,
  environment: Environment,
): FieldError[] {
  const errors: FieldError[] = [];
  const of = (field: AmountField) =>
    isPod && (field === "default" || field === "defaultRequest") ? undefined : amount(item, field, name);
  const ordered = (low: AmountField, high: AmountField, blamed: AmountField) => {
    const [small, large] = [of(low), of(high)];
    if (small === undefined || large === undefined || compareAmounts(small, large) <= 0) return;
    errors.push(invalid(`${path}.${blamed}[${name}]`, of(blamed), `${low} value ${small} is above ${high} ${large}`));
  };
  ordered("min", "max", "min");
  ordered("min", "defaultRequest", "defaultRequest");
  ordered("defaultRequest", "max", "defaultRequest");
  ordered("defaultRequest", "default", "defaultRequest");
  ordered("min", "default", "default");
  ordered("default", "max", "default");

  const ratio = of("maxLimitRequestRatio");
  const at = `${path}.maxLimitRequestRatio[${name}]`;
  if (ratio !== undefined) {
    if (compareAmounts(ratio, "1") < 0) errors.push(invalid(at, ratio, "must be at least 1"));
    if (exceeds(ratio, of("max"), of("min"))) {
      errors.push(invalid(at, ratio, "must not be above what max and min allow"));
    }
  }
  const [limit, request] = [of("default"), of("defaultRequest")];
  if (limit !== undefined && request !== undefined && !mayOvercommit(name, environment)) {
    if (compareAmounts(limit, request) !== 0) {
      errors.push(invalid(`${path}.defaultRequest[${name}]`, request, "must be equal to the default limit"));
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
