/** Items of sets, and of lists that are maps, must differ: from each other as wholes, or in their keys. */

import { isObject } from "../json/json-value.ts";
import { duplicate, type FieldError, invalid, problemsFoundMax } from "../status/field-error.ts";
import type { SchemaPlan } from "./plan.ts";

/** Each item that repeats an earlier one, once for each repeated value. */
export function repeatedItems(plan: SchemaPlan, value: unknown, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (plan.hasKeyedLists) visit(plan, value, path, errors);
  return errors;
}

function visit(plan: SchemaPlan, value: unknown, path: string, errors: FieldError[]): void {
  if (errors.length >= problemsFoundMax) return;
  if (Array.isArray(value)) {
    if (plan.listType === "set") checkSet(value, path, errors);
    else if (plan.listType === "map") checkMap(plan, value, path, errors);
    const { items } = plan;
    if (items !== undefined)
      for (const [index, item] of value.entries()) visit(items, item, `${path}[${index}]`, errors);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const property = plan.property(name);
    if (property !== undefined) visit(property, value[name], path === "" ? name : `${path}.${name}`, errors);
    else if (plan.additional !== undefined) visit(plan.additional, value[name], `${path}[${name}]`, errors);
  }
}

function checkSet(list: readonly unknown[], path: string, errors: FieldError[]): void {
  report(list.map(canonical), (index) => list[index], path, errors);
}

function checkMap(plan: SchemaPlan, list: readonly unknown[], path: string, errors: FieldError[]): void {
  const wrong = list.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    errors.push(invalid(`${path}[${wrong}]`, list[wrong], "must be an object for an array of list-type map"));
    return;
  }
  const keysOf = (item: unknown) =>
    Object.fromEntries(
      plan.listMapKeys.flatMap((key) => (isObject(item) && Object.hasOwn(item, key) ? [[key, item[key]]] : [])),
    );
  const keys = list.map(keysOf);
  report(keys.map(canonical), (index) => keys[index], path, errors);
}

/** `identities` are equal for equal items. A value that occurs a third time is not reported again, as in v1.21. */
function report(identities: readonly string[], shown: (index: number) => unknown, path: string, errors: FieldError[]) {
  const seen = new Map<string, number>();
  for (const [index, identity] of identities.entries()) {
    const times = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, times);
    if (times === 2) errors.push(duplicate(`${path}[${index}]`, shown(index)));
  }
}

/** A text that equal values share, whatever the order of their members. */
function canonical(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}
