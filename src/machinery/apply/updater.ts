/** How ownership moves when an object changes: from the owner of a field to the manager that changed it. */

import { type Steps, wait } from "../../base/time-slice.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { convertAll, convertInSteps } from "../schema/convert.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { Comparison } from "./compare.ts";
import { compare, excluding, isSame } from "./compare.ts";
import { compareInSteps } from "./compare-steps.ts";
import type { FieldSet } from "./field-set.ts";
import { difference, equalSets, intersection, isEmpty, union } from "./field-set.ts";
import type { Manager, Managers } from "./managed.ts";
import { capUpdaters, idOf, pathIn, withSet } from "./managed.ts";
import { reconcile } from "./reconcile.ts";
import { compareRepeated } from "./repeated.ts";
import { resetFields, strippedFields } from "./resets.ts";
import { Unidentified } from "./topology.ts";
import { decodeSteps, inVersion } from "./versions.ts";

/** A change of an object, both states in the version of `kind` and without managedFields. */
interface Transition {
  readonly kind: BoundKind;
  readonly before: ApiObject;
  readonly after: ApiObject;
  /** The path of the write; "": the object itself. */
  readonly subresource: string;
  /** Whether the object may be so large that comparing its states takes a while. */
  readonly isLarge: boolean;
  /** Fields that nobody loses although `before` does not have them: see `emptyFields`. Default: none. */
  readonly shared?: FieldSet;
}

/** The fields that a manager loses to a change. */
export interface Loss {
  readonly manager: Manager;
  /** Fields that have another value now, in the manager's version. */
  readonly fields: FieldSet;
}

interface ApplyOutcome {
  /** Those that still own something. */
  readonly managers: Map<string, Manager>;
  readonly losses: readonly Loss[];
  readonly comparison: Comparison;
}

interface Changes {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** What each manager but `self` still owns after the change: they lose fields that changed or were removed. */
export function* managersAfter(
  transition: Transition,
  managers: Managers,
  self: string | undefined,
): Steps<ApplyOutcome> {
  const { kind, before, after, subresource, isLarge } = transition;
  const comparison = yield* compareStates(kind, before, after, isLarge);
  yield;
  const left = new Map<string, Manager>();
  const losses: Loss[] = [];
  const changes = new Map<BoundKind, Changes>();
  const isUnchanged = isSame(comparison);
  for (const [id, manager] of managers) {
    const version = inVersion(kind, manager.apiVersion);
    // Only a client writes such a set.
    if (id !== self && isEmpty(manager.set)) continue;
    if (id === self || (version !== undefined && isUnchanged)) left.set(id, manager);
    // The fields of a version that no longer exists are unknown.
    if (id === self || version === undefined || isUnchanged) continue;
    let found = changes.get(version);
    if (found === undefined) {
      const own = version === kind ? comparison : yield* compareIn(version, transition);
      const seen = excluding(own, resetFields(version, subresource));
      yield;
      const changed = union(seen.modified, seen.added);
      yield;
      found = {
        changed: transition.shared === undefined ? changed : difference(changed, transition.shared),
        removed: seen.removed,
      };
      changes.set(version, found);
    }
    const { changed, removed } = found;
    yield;
    const lost = intersection(changed, manager.set);
    if (!isEmpty(lost)) losses.push({ manager, fields: lost });
    yield;
    const kept = difference(manager.set, lost);
    yield;
    const set = difference(kept, removed);
    if (!isEmpty(set)) left.set(id, withSet(manager, set));
  }
  return { managers: left, losses, comparison };
}

function* compareIn(version: BoundKind, { kind, before, after, isLarge }: Transition): Steps<Comparison> {
  const decoded: ApiObject[] = [];
  for (const object of [before, after]) {
    decoded.push(yield* decodeSteps(kind.codec, object));
    yield;
  }
  const [from, to] = yield* convertedSteps(decoded, kind, version);
  yield;
  return yield* compareStates(version, from, to, isLarge);
}

/** What converts in this process converts one object in a step; a webhook is asked for all at once. */
function* convertedSteps(objects: readonly ApiObject[], from: BoundKind, to: BoundKind): Steps<readonly ApiObject[]> {
  if (!from.family.conversion.isImmediate) return yield* wait(convertAll(objects, from, to));
  const converted: ApiObject[] = [];
  for (const object of objects) {
    converted.push(yield* convertInSteps(object, from, to));
    yield;
  }
  return converted;
}

function* compareStates({ codec, family }: BoundKind, from: unknown, to: unknown, isLarge: boolean): Steps<Comparison> {
  try {
    return isLarge ? yield* compareInSteps(codec.topology, from, to) : compare(codec.topology, from, to);
  } catch (problem) {
    if (!(problem instanceof Unidentified) || !family.environment.has("repeatedItems")) throw problem;
  }
  return yield* compareRepeated(codec.topology, from, to);
}

/** The managers with their sets adapted to the present schemas. */
export function* reconciled(kind: BoundKind, managers: Managers): Steps<Managers> {
  let result: Map<string, Manager> | undefined;
  for (const [id, manager] of managers) {
    yield;
    const version = inVersion(kind, manager.apiVersion);
    const fitted = version === undefined ? manager : withSet(manager, reconcile(version.codec.topology, manager.set));
    if (fitted === manager) continue;
    result ??= new Map(managers);
    result.set(id, fitted);
  }
  return result ?? managers;
}

/** The managers after an update by `name`, which owns what the update added or changed, in addition to what it owned before. */
export function* updateManagers(transition: Transition, given: Managers, name: string, now: string): Steps<Managers> {
  const { kind, subresource } = transition;
  const managers = yield* reconciled(kind, given);
  yield;
  const { apiVersion } = kind;
  const operation = "Update";
  const path = pathIn(kind, subresource);
  const id = idOf({ name, operation, apiVersion, subresource: path });
  const { managers: left, comparison } = yield* managersAfter(transition, managers, id);
  const { added, modified, removed } = excluding(comparison, resetFields(kind, subresource));
  yield;
  const changed = union(modified, added);
  yield;
  const taken = difference(difference(changed, removed), strippedFields);
  yield;
  const former = managers.get(id);
  // It takes what it changes again at once, so only what it cannot take is lost.
  const kept = former && difference(difference(former.set, removed), intersection(changed, strippedFields));
  yield;
  if (isEmpty(taken)) {
    if (kept !== undefined && isEmpty(kept)) left.delete(id);
    else if (former !== undefined && kept !== undefined) left.set(id, withSet(former, kept));
  } else {
    const set = kept === undefined ? taken : union(kept, taken);
    // In v1.21 the time is that of the last change of the set; since 1.22 that of the last change of a value, too.
    const isKnown = former !== undefined && equalSets(former.set, set) && !kind.family.environment.has("timesOfValues");
    // As in the reference, what was written through another kind, a scale, has no time.
    const isThroughAnother = kind.subresources.get(subresource)?.accepts !== undefined;
    const time = isThroughAnother ? undefined : now;
    left.set(id, isKnown ? former : { name, operation, apiVersion, subresource: path, time, set, entry: undefined });
  }
  yield;
  return capUpdaters(left);
}
