/** The fields that a configuration sets: those that its manager owns once it is applied. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { Pace, type Steps } from "../../base/time-slice.ts";
import { deepFreeze, isObject } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { FieldSet } from "./field-set.ts";
import { difference, emptySet, isEmpty } from "./field-set.ts";
import { isShared, keepPrinted } from "./print-managed.ts";
import { rememberedTemplate, rememberFields } from "./remembered-fields.ts";
import { strippedFields } from "./resets.ts";
import { toFieldSetInSteps } from "./to-field-set.ts";

/** Controllers apply the same configuration again with other values, so that the set is remembered. */
export function* appliedFields(kind: BoundKind, applied: ApiObject): Steps<FieldSet> {
  const known = rememberedTemplate("apply", kind, applied);
  if (known !== undefined) {
    if (checksCaches)
      checkAnswer("remembered fields of applies", known.set, yield* toFieldSetInSteps(kind.codec.topology, applied));
    return known.set;
  }
  const set = yield* toFieldSetInSteps(kind.codec.topology, applied);
  rememberFields("apply", kind, applied, set);
  return set;
}

/**
 * The fields that a configuration sets to an empty map or list. Most are not stored, so that the live state does not have them for
 * the next applier either; managers that set the same empty value still share it.
 */
export function* emptyFields({ codec }: BoundKind, applied: ApiObject): Steps<FieldSet> {
  if (!hasEmpty(applied)) return emptySet;
  const all = yield* toFieldSetInSteps(codec.topology, applied);
  return difference(all, yield* toFieldSetInSteps(codec.topology, yield* withoutEmpty(applied, new Pace())));
}

/** Whether a member somewhere inside is an empty map or list. */
function hasEmpty(value: unknown): boolean {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (hasEmpty(value[at])) return true;
    return false;
  }
  if (!isObject(value)) return false;
  for (const name in value) {
    const member = value[name];
    if (typeof member === "object" && member !== null && (isEmptyPart(member) || hasEmpty(member))) return true;
  }
  return false;
}

function* withoutEmpty(value: unknown, pace: Pace): Steps<unknown> {
  if (pace.isDue) yield;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(isPart(item) ? yield* withoutEmpty(item, pace) : item);
    return items;
  }
  if (!isObject(value)) return value;
  const filled: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value))
    if (!isPart(member)) filled.push([name, member]);
    else if (!isEmptyPart(member)) filled.push([name, yield* withoutEmpty(member, pace)]);
  return Object.fromEntries(filled);
}

const isPart = (value: unknown): value is object => typeof value === "object" && value !== null;

function isEmptyPart(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

/** By the set itself, which is frozen: only sets that many objects share are keys. */
const stripped = new WeakMap<FieldSet, FieldSet>();

/** The set without what no manager ever owns. That of a set that many objects share is shared as well. */
export function withoutStripped(set: FieldSet): FieldSet {
  const known = stripped.get(set);
  if (known !== undefined) {
    if (checksCaches) checkAnswer("stripped sets", known, difference(set, strippedFields));
    return known;
  }
  const left = difference(set, strippedFields);
  if (!isShared(set)) return left;
  if (left !== set && !isEmpty(left)) keepPrinted(deepFreeze(left));
  stripped.set(set, left);
  return left;
}

/** The set that each of these was last compared with, and what it did not have. By both sets themselves, which are frozen. */
const omitted = new WeakMap<FieldSet, { readonly set: FieldSet; readonly fields: FieldSet }>();

/** The fields of `former` that `set` does not have. Those of sets that many objects share are found once. */
export function omittedFields(set: FieldSet, former: FieldSet): FieldSet {
  if (set === former) return emptySet;
  const known = omitted.get(former);
  if (known?.set === set) {
    if (checksCaches) checkAnswer("omitted fields", known.fields, difference(former, set));
    return known.fields;
  }
  const fields = difference(former, set);
  if (isShared(former) && isShared(set)) omitted.set(former, { set, fields });
  return fields;
}
