/** Server-side apply: merges a configuration into an object and updates its managed fields. */

import { finish, type Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { copyObject } from "../schema/final-places.ts";
import type { ApiObject } from "../schema/kind.ts";
import { sharingMembers } from "../schema/shared-members.ts";
import { badRequest, conflict, StatusError } from "../status/status.ts";
import { applyManagers } from "./apply-managers.ts";
import { applyConflict } from "./conflict.ts";
import { isCommandLine, withLastApplied, withoutLastApplied } from "./last-applied.ts";
import type { Managers } from "./managed.ts";
import { firstApplyName, readManagers, writeManagers } from "./managed.ts";
import { decodePartial } from "./partial.ts";
import { Unidentified } from "./topology.ts";
import { updateManagers } from "./updater.ts";
import { withoutManagers, zeroObject } from "./versions.ts";

export interface ApplyOptions {
  readonly kind: BoundKind;
  /** The present state in the version of `kind`, decoded; undefined: the object does not exist, the apply creates it. */
  readonly live: ApiObject | undefined;
  /** The configuration as sent, not decoded: absent fields must stay absent. */
  readonly applied: unknown;
  readonly manager: string;
  /** Takes fields that others own instead of refusing. */
  readonly force: boolean;
  /** The path of the request; "": the object itself. */
  readonly subresource: string;
  /** RFC 3339 to the second. */
  readonly now: string;
}

/**
 * The next state, decoded and with its managedFields. Defaults are left to the caller: fields that were given up are removed,
 * and defaulting then sets their defaults. Throws 400 for what is not a configuration of the kind and 409 with a cause
 * for each field that another manager owns. The arguments are not changed; members that stay as they are and managed fields are shared
 * with them.
 */
export function applyConfiguration(options: ApplyOptions): ApiObject {
  return finish(applySteps(options));
}

/** As `applyConfiguration`: for an object with thousands of fields each step takes milliseconds. */
export function* applySteps(options: ApplyOptions): Steps<ApiObject> {
  const { kind, manager, force, subresource, now } = options;
  const applied = yield* configuration(kind, options.applied);
  const { name = "", uid = "" } = applied.metadata;
  // A uid identifies one object, and a new object would have another.
  if (options.live === undefined && uid !== "") {
    throw conflict({ group: kind.group, kind: kind.resource }, name, "an object with the given uid does not exist");
  }
  const live = withoutManagers(options.live ?? zeroObject(kind));
  try {
    yield;
    const managers = yield* managersBefore(options, live);
    const application = { kind, live, applied, subresource, manager, now };
    const { object, managers: next, conflicts } = yield* applyManagers(application, managers);
    yield;
    if (conflicts.length > 0 && !force) {
      const real = isCommandLine(kind, manager) ? withoutLastApplied(kind, live, conflicts) : conflicts;
      if (real.length > 0) throw applyConflict(real);
    }
    const known = options.live === undefined ? undefined : live;
    const decoded = object === known ? sharingMembers(object) : yield* decodeApplied(kind, object, known);
    yield;
    return withManagers(isCommandLine(kind, manager) ? withLastApplied(kind, decoded, applied) : decoded, next);
  } catch (problem) {
    if (!(problem instanceof Unidentified)) throw problem;
    // The configuration has been checked, so the invalid list is in the object.
    throw new StatusError(
      "Invalid",
      `the stored object cannot be merged: in one of its lists ${problem.message}; repair it by an update first`,
      { details: {}, cause: problem },
    );
  }
}

/**
 * The merged object in its final form. It may have members of the live one. A new object has only members of its own: they are filled in
 * place, and those of the zero object belong to every create.
 */
function* decodeApplied(
  { codec, schema }: BoundKind,
  object: ApiObject,
  live: ApiObject | undefined,
): Steps<ApiObject> {
  // Parts that nothing was merged into are already decoded.
  if (codec.adopt !== undefined) return copyObject(schema, codec.adopt(object));
  return codec.decodeInSteps === undefined ? codec.decode(object) : yield* codec.decodeInSteps(object, live);
}

/** The body of an apply, once it is known to be one. */
function* configuration(kind: BoundKind, value: unknown): Steps<ApiObject> {
  if (!isObject(value)) throw badRequest("the body of an apply must be an object");
  const { apiVersion, kind: type, metadata } = value;
  if (apiVersion !== kind.apiVersion) {
    throw badRequest(`the apiVersion of the body must be that of the path, ${kind.apiVersion}`);
  }
  if (type !== kind.kind) throw badRequest(`the kind of the body must be that of the path, ${kind.kind}`);
  if (isObject(metadata) && (metadata["managedFields"] ?? null) !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  // decodePartial has checked it against the schema, which has metadata; an absent one is empty.
  const partial = (yield* decodePartial(kind.codec.topology, value, misfitPrefix(kind, metadata))) as ApiObject;
  if (isObject(partial.metadata) && !Object.hasOwn(partial.metadata, "managedFields")) return partial;
  const { managedFields: _, ...rest } = partial.metadata ?? {};
  return { ...partial, metadata: rest };
}

/** What precedes the fields that do not fit: the object as the configuration names it. */
function misfitPrefix({ apiVersion, kind }: BoundKind, metadata: unknown): string {
  const { namespace, name } = isObject(metadata) ? metadata : {};
  const named = [namespace, name].map((text) => (typeof text === "string" ? text : "")).join("/");
  return `failed to create typed patch object (${named}; ${apiVersion}, Kind=${kind}): `;
}

/** The fields of an object without managers are first assigned to a manager for the writes before the first apply. */
function* managersBefore(options: ApplyOptions, live: ApiObject): Steps<Managers> {
  const { kind, subresource, now } = options;
  const managers = readManagers(options.live?.metadata.managedFields);
  if (managers.size > 0 || options.live === undefined) return managers;
  const transition = { kind, before: zeroObject(kind), after: live, subresource, isLarge: true };
  return yield* updateManagers(transition, managers, firstApplyName, now);
}

function withManagers(object: ApiObject, managers: Managers): ApiObject {
  const entries = writeManagers(managers);
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } };
}
