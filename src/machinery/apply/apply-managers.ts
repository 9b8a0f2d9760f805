/** The effect of an apply on an object and its managers. */

import type { Steps } from "../../base/time-slice.ts";
import { sameJson } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { ApiObject } from "../schema/kind.ts";
import { appliedFields, emptyFields, omittedFields, withoutStripped } from "./applied-fields.ts";
import { isSame } from "./compare.ts";
import { droppedFields } from "./dropped.ts";
import type { FieldSet } from "./field-set.ts";
import { difference, equalSets, intersection, isEmpty, recursiveDifference, union, unionOf } from "./field-set.ts";
import type { Manager, Managers } from "./managed.ts";
import { idOf, pathIn } from "./managed.ts";
import { mergeInSteps } from "./merge-steps.ts";
import { withDeclaredMembers } from "./reconcile.ts";
import { removeItems } from "./remove.ts";
import { resetFields } from "./resets.ts";
import { toFieldSetInSteps } from "./to-field-set.ts";
import type { Loss } from "./updater.ts";
import { managersAfter, reconciled } from "./updater.ts";
import type { Versioned } from "./versions.ts";
import { inVersion, toVersion } from "./versions.ts";

interface Application {
  readonly kind: BoundKind;
  /** The present state, without managedFields. */
  readonly live: ApiObject;
  readonly applied: ApiObject;
  readonly subresource: string;
  readonly manager: string;
  readonly now: string;
}

interface Applied {
  /** The next state, without managedFields; the live state itself if nothing changes. */
  readonly object: ApiObject;
  readonly managers: Managers;
  /** Fields that others own and this apply sets to another value. */
  readonly conflicts: readonly Loss[];
}

export function* applyManagers(application: Application, given: Managers): Steps<Applied> {
  const { kind, live, applied, subresource, manager: name, now } = application;
  const managers = yield* reconciled(kind, given);
  yield;
  const { apiVersion } = kind;
  const operation = "Apply";
  const path = pathIn(kind, subresource);
  const id = idOf({ name, operation, apiVersion, subresource: path });
  const former = managers.get(id);

  // Merging an object into an object gives an object.
  const merged = (yield* mergeInSteps(kind.codec.topology, live, applied)) as ApiObject;
  yield;
  const fields = yield* appliedFields(kind, applied);
  yield;
  const set = recursiveDifference(fields, resetFields(kind, subresource));
  const self: Manager = { name, operation, apiVersion, subresource: path, time: now, set, entry: undefined };
  const claimed = new Map(managers).set(id, self);
  yield;
  const after = yield* prune({ kind, object: merged }, claimed, former, self);
  yield;
  const shared = yield* emptyFields(kind, applied);
  yield;
  const outcome = yield* managersAfter({ kind, before: live, after, subresource, isLarge: true, shared }, claimed, id);
  yield;
  const { environment } = kind.family;
  const isSteady = environment.has("steadyApplyTimes");
  const isUnchanged = isSame(outcome.comparison) && !(environment.has("orderedApplies") && !sameJson(live, after));
  const left = outcome.managers;
  // Since 1.27 an apply that changes nothing of the object leaves the time of its manager as it was, and a new manager without one.
  const time = isUnchanged && isSteady ? former?.time : now;
  keepSelf(left, id, { former, self, time, isUnchanged: isUnchanged && isSameOthers(left, managers, id) });
  return { object: isUnchanged ? live : after, managers: left, conflicts: outcome.losses };
}

/** The applier before and after the apply. */
interface OwnChange {
  readonly former: Manager | undefined;
  readonly self: Manager;
  readonly time: Manager["time"];
  /** Whether nothing of the object and of other managers has changed. */
  readonly isUnchanged: boolean;
}

/** Updates the applier's own entry: removed if it owns nothing, unchanged if nothing changed at all. */
function keepSelf(managers: Map<string, Manager>, id: string, { former, self, time, isUnchanged }: OwnChange): void {
  const { name, operation, apiVersion, subresource } = self;
  const set = withoutStripped(self.set);
  if (isEmpty(set)) managers.delete(id);
  else if (isUnchanged && former?.apiVersion === apiVersion && equalSets(former.set, set)) managers.set(id, former);
  else managers.set(id, { name, operation, apiVersion, subresource, time, set, entry: undefined });
}

function isSameOthers(left: Managers, before: Managers, self: string): boolean {
  for (const [id, manager] of before) if (id !== self && left.get(id) !== manager) return false;
  return true;
}

/**
 * The merged state without what the applier set last time, omits now, and no other manager owns. An item or member that
 * is removed takes its unowned fields with it; one that stays because another manager owns part of it keeps its unowned fields.
 */
function* prune(merged: Versioned, managers: Managers, former: Manager | undefined, self: Manager): Steps<ApiObject> {
  if (former === undefined || isEmpty(former.set)) return merged.object;
  // Sets of different versions cannot be compared.
  const omitted = former.apiVersion === self.apiVersion ? omittedFields(self.set, former.set) : undefined;
  if (omitted !== undefined && isEmpty(omitted)) return merged.object;
  const version = inVersion(merged.kind, former.apiVersion);
  if (version === undefined) return merged.object;

  const state = yield* toVersion(merged, version);
  yield;
  const ownedIn = setsByVersion(version, managers);
  const owners = ownedIn.get(version) ?? [];
  ownedIn.delete(version);
  const dropped =
    omitted !== undefined && ownedIn.size === 0
      ? yield* droppedFields({
          schema: version.codec.topology,
          value: state.object,
          former: former.set,
          omitted,
          owners,
        })
      : yield* droppedThroughVersions(state, former.set, owners, ownedIn);
  yield;
  if (isEmpty(dropped)) return merged.object;
  return (yield* toVersion({ kind: version, object: removeFrom(state, dropped) }, merged.kind)).object;
}

/** The result of `droppedFields`; what is owned in other versions is found by converting the objects to these versions. */
function* droppedThroughVersions(
  state: Versioned,
  former: FieldSet,
  owners: readonly FieldSet[],
  ownedIn: SetsByVersion,
): Steps<FieldSet> {
  const { kind } = state;
  const last = withDeclaredMembers(kind.codec.topology, former);
  yield;
  const all = yield* declaredFieldsOf(state);
  yield;
  const others = recursiveDifference(all, last);
  yield;
  const left = union(others, yield* ownedOf(kind, owners));
  yield;
  const gone = difference(all, left);
  yield;
  let pruned: Versioned = { kind, object: removeFrom(state, gone) };
  for (const [version, sets] of ownedIn) {
    yield;
    const full = yield* toVersion(state, version);
    const found = yield* declaredFieldsOf(yield* toVersion(pruned, version));
    yield;
    const kept = union(found, yield* ownedOf(version, sets));
    yield;
    const excess = difference(yield* declaredFieldsOf(full), kept);
    yield;
    pruned = { kind: version, object: removeFrom(full, excess) };
  }
  yield;
  const kept = yield* declaredFieldsOf(yield* toVersion(pruned, kind));
  yield;
  const removed = difference(all, kept);
  yield;
  return intersection(removed, last);
}

type SetsByVersion = Map<BoundKind, FieldSet[]>;

function setsByVersion(kind: BoundKind, managers: Managers): SetsByVersion {
  const result: SetsByVersion = new Map();
  for (const manager of managers.values()) {
    const version = inVersion(kind, manager.apiVersion);
    if (version === undefined) continue;
    const sets = result.get(version) ?? [];
    sets.push(manager.set);
    result.set(version, sets);
  }
  return result;
}

function* ownedOf(kind: BoundKind, sets: readonly FieldSet[]): Steps<FieldSet> {
  const all = unionOf(sets);
  yield;
  const declared = withDeclaredMembers(kind.codec.topology, all);
  yield;
  return declared;
}

function* declaredFieldsOf({ kind, object }: Versioned): Steps<FieldSet> {
  const set = yield* toFieldSetInSteps(kind.codec.topology, object);
  yield;
  return withDeclaredMembers(kind.codec.topology, set);
}

function removeFrom({ kind, object }: Versioned, set: FieldSet): ApiObject {
  // The kind and version of an object are in no set, so something always remains; its metadata may be removed.
  const left = removeItems(kind.codec.topology, object, difference(set, typeFields)) as ApiObject;
  return isObjectMeta(left.metadata) ? left : { ...left, metadata: {} };
}

const typeFields: FieldSet = { "f:apiVersion": {}, "f:kind": {} };
const isObjectMeta = (metadata: unknown) => typeof metadata === "object" && metadata !== null;
