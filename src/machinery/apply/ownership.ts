/** Ownership of fields through creates, updates and plain patches. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { finish, type Steps } from "../../base/time-slice.ts";
import { sameJson } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { Codec } from "../schema/codec.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import type { FieldSet } from "./field-set.ts";
import { unionOf } from "./field-set.ts";
import type { Managers } from "./managed.ts";
import { asksForReset, parseManagers, readManagers, writeManagers } from "./managed.ts";
import { rememberedTemplate, rememberFields } from "./remembered-fields.ts";
import { parentManagers } from "./through-scale.ts";
import { Unidentified } from "./topology.ts";
import { updateManagers } from "./updater.ts";
import { withoutManagers, zeroObject } from "./versions.ts";

/** A write that is about to happen. Both states are decoded, in the version of `kind`. */
interface TrackedWrite {
  readonly kind: BoundKind;
  /** undefined: the write creates the object. */
  readonly live: ApiObject | undefined;
  /** As the client sent it, with defaults, before admission: no manager owns what plugins add. */
  readonly next: ApiObject;
  /** "": not tracked. */
  readonly manager: string;
  readonly subresource: string;
  /** RFC 3339 to the second. */
  readonly now: string;
}

/** Ownership of the fields of objects, as recorded in managedFields. */
export interface Ownership {
  /** Sets the managedFields of `next`, in place. Undefined: that is done; otherwise it is when all steps have run. */
  track(write: TrackedWrite, isLarge: boolean): Steps<void> | undefined;
}

/** Keeps no state: all its data is in the objects, except for the remembered fields of similar objects. */
export function createOwnership(): Ownership {
  return {
    track(write, isLarge) {
      return write.live === undefined && trackKnownCreate(write) ? undefined : trackSteps(write, isLarge);
    },
  };
}

/** Tracks synchronously, for objects that are not large and whose versions are converted synchronously. */
export function trackNow(write: TrackedWrite): void {
  const steps = createOwnership().track(write, false);
  if (steps !== undefined) finish(steps);
}

/** Whether an object like this one has been created before: then its managed fields are the same. */
function trackKnownCreate({ kind, next, manager, subresource, now }: TrackedWrite): boolean {
  if (manager === "" || subresource !== "" || !isTracked(kind) || next.metadata.managedFields !== undefined)
    return false;
  const entries = rememberedTemplate("create", kind, withoutManagers(next))?.managedFieldsOf(kind, manager, now);
  if (entries === undefined) return false;
  if (checksCaches) checkAnswer("remembered fields of creates", entries, plainEntries(kind, next, manager, now));
  setEntries(next, entries.length === 0 ? undefined : (entries as ManagedFieldsEntry[])); // frozen, and never changed
  return true;
}

/** The managed fields of a create, computed. */
function plainEntries(kind: BoundKind, next: ApiObject, manager: string, now: string): readonly ManagedFieldsEntry[] {
  const transition = { kind, before: zeroObject(kind), after: withoutManagers(next), subresource: "", isLarge: false };
  return writeManagers(finish(updateManagers(transition, new Map(), manager, now))) ?? [];
}

const ownsThroughScale = ({ family }: BoundKind): boolean => family.environment.has("ownersOfSubresources");

const isTracked = ({ family }: BoundKind): boolean => family.environment.gates.enabled("ServerSideApply");

function* trackSteps(write: TrackedWrite, isLarge: boolean): Steps<void> {
  const { kind, live, next, manager, subresource } = write;
  if (!isTracked(kind)) {
    setEntries(next, undefined);
    return;
  }
  const entries = live?.metadata.managedFields;
  // Since 1.22 a write of another kind, a scale, owns what it changes of the object.
  const path = kind.subresources.get(subresource);
  const isUntracked = path?.accepts !== undefined && !ownsThroughScale(kind);
  if (manager === "" || isUntracked) {
    setEntries(next, entries);
    return;
  }
  if (path?.ownsWith !== undefined && !kind.family.environment.has(path.ownsWith)) {
    const left = parentManagers(kind, subresource, entries, undefined);
    setEntries(next, left && [...left]);
    return;
  }
  const managers = managersBefore(write);
  // Writing an object without managers does not add one: most objects are never applied to. A client that empties the
  // managed fields owns what the same write changes.
  if (live !== undefined && managers.size === 0 && !isReset(write)) {
    setEntries(next, undefined);
    return;
  }
  // The fields of values of other types than the schema says are not known, and wrong managed fields are worse than none.
  if (live !== undefined && kind.codec.fits !== undefined && !(yield* bothFit(kind.codec.fits, live, next))) {
    setEntries(next, undefined);
    return;
  }
  try {
    const before = withoutManagers(live ?? zeroObject(kind));
    const transition = { kind, before, after: withoutManagers(next), subresource, isLarge };
    yield;
    const after = yield* updateManagers(transition, managers, manager, write.now);
    // Managers that the client sent own what they say, which is not what other creates of such an object own.
    const isPlainCreate = live === undefined && subresource === "" && managers.size === 0;
    if (isPlainCreate) rememberFields("create", kind, transition.after, ownedByAll(after));
    setEntries(next, sameEntries(after, entries) ? entries : writeManagers(after));
  } catch (problem) {
    // Items that cannot be distinguished have no owners.
    if (!(problem instanceof Unidentified)) throw problem;
    setEntries(next, undefined);
  }
}

function* bothFit(fits: NonNullable<Codec["fits"]>, live: ApiObject, next: ApiObject): Steps<boolean> {
  return (yield* fits(next)) && (yield* fits(live));
}

/** The union of all owned fields; a new object has one manager, or none. */
function ownedByAll(managers: Managers): FieldSet {
  return unionOf([...managers.values()].map(({ set }) => set));
}

/** The managers to start from: those that the client sent, if any, otherwise those of the live object. */
function managersBefore({ live, next, subresource }: TrackedWrite): Managers {
  const given = next.metadata.managedFields;
  if (live === undefined) return (given === undefined ? undefined : parseManagers(given)) ?? new Map();
  const entries = live.metadata.managedFields;
  const isOfClient = subresource === "" && given !== undefined && given !== entries && !sameJson(given, entries);
  if (isReset({ next, subresource })) return new Map();
  const sent = isOfClient ? parseManagers(given) : undefined;
  return sent !== undefined && sent.size > 0 ? sent : readManagers(entries);
}

const isReset = ({ next, subresource }: Pick<TrackedWrite, "next" | "subresource">): boolean =>
  subresource === "" && asksForReset(next.metadata.managedFields);

/** Whether the managers are exactly those of the entries, in their order, so that the list itself can be kept. */
function sameEntries(managers: Managers, entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined || managers.size !== entries.length) return false;
  let at = 0;
  for (const { entry } of managers.values()) if (entry === undefined || entry !== entries[at++]) return false;
  return true;
}

function setEntries(object: ApiObject, entries: ManagedFieldsEntry[] | undefined): void {
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}
