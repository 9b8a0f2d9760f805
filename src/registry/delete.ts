/** Deleting an object: at once, or in two steps when something still has to be done about it. */

import { admissionRequest } from "../admission/request.ts";
import type { Turns } from "../base/turns.ts";
import { RevisionConflict } from "../kv/contract.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import { deepFreeze } from "../machinery/schema/freeze.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { type FieldError, invalid, notSupported } from "../machinery/status/field-error.ts";
import { conflict, forbiddenRequest, invalidObject, notFound } from "../machinery/status/status.ts";
import type { Deleted, DeleteOptions, ObjectRef, WriteContext } from "./contract.ts";
import { type Core, giveTurn, newest, refuseIfGone } from "./core.ts";
import { planDeletion } from "./deletion.ts";
import type { StoredEntry } from "./entry.ts";
import { sameObject } from "./equality.ts";
import { kindOf, optionsOf, resourceOf } from "./subjects.ts";
import { print, put, remove, unstored } from "./write.ts";

/** `turns`: of the many deletes that this is one of. */
export async function deleteOne(
  core: Core,
  kind: BoundKind,
  ref: ObjectRef,
  options: DeleteOptions,
  context: WriteContext,
  turns?: Turns,
): Promise<Deleted> {
  const { family } = kind;
  checkOptions(kind, options);
  for (let attempt = 1; ; attempt += 1) {
    refuseIfGone(context);
    const entry = await newest(core, family, ref, context.asker);
    if (entry === undefined) throw notFound(resourceOf(kind), ref.name);
    if (turns?.isLong) await giveTurn(turns, context);
    try {
      return await deleteState(core, kind, entry, options, context);
    } catch (error) {
      // Somebody changed the object in between; whether it may still be deleted is asked of its new state.
      if (!(error instanceof RevisionConflict)) throw error;
      if (attempt >= core.limits.attemptsMax) throw conflict(resourceOf(kind), ref.name, "it keeps changing");
    }
  }
}

async function deleteState(
  core: Core,
  kind: BoundKind,
  entry: StoredEntry,
  options: DeleteOptions,
  context: WriteContext,
): Promise<Deleted> {
  const { family } = kind;
  const ref = { namespace: entry.namespace, name: entry.name };
  const object = deepFreeze(convertNow(entry.object(), family.stored, family.hub));
  checkPreconditions(kind, object, options);
  const refusal = kind.life.refuseDelete?.(object, family.environment);
  if (refusal !== undefined) throw forbiddenRequest(resourceOf(kind), ref.name, refusal);
  if (!context.asServer) {
    const request = admissionRequest(kind, ref, context, { operation: "DELETE", object: undefined, old: object });
    await core.admission.mutate(request);
    await core.admission.validate(request);
  }

  refuseIfGone(context);
  const plan = planDeletion({ kind, object, options, nowMs: core.clock.now() });
  switch (plan.step) {
    case "leave":
      return held(kind, entry);
    case "remove":
      if (!context.dryRun) await remove(core, family, entry);
      return gone(kind, entry);
    case "mark": {
      const { next } = plan;
      const marked = context.dryRun
        ? unstored(core, family, ref, print(family, next), entry.revision)
        : sameObject(next, object)
          ? entry
          : await put(core, family, ref, print(family, next), entry.revision);
      if (!plan.thenRemove) return held(kind, marked);
      if (!context.dryRun) await removeMarked(core, kind, marked);
      return gone(kind, marked);
    }
  }
}

const gone = (kind: BoundKind, entry: StoredEntry): Deleted => ({
  entry,
  removed: true,
  answer: kind.life.returnsDeleted ? "object" : "status",
});

const held = (kind: BoundKind, entry: StoredEntry): Deleted => ({
  entry,
  removed: false,
  answer: kind.compat.hidesDeleted ? "status" : "object",
});

/** The object was marked a moment ago; whoever removed it since then did what we were about to do. */
async function removeMarked(core: Core, kind: BoundKind, marked: StoredEntry): Promise<void> {
  const { namespace, name } = marked;
  try {
    await remove(core, kind.family, marked);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    if ((await newest(core, kind.family, { namespace, name })) !== undefined) throw error;
  }
}

function checkPreconditions(kind: BoundKind, { metadata }: ApiObject, { preconditions = {} }: DeleteOptions): void {
  const { family } = kind;
  // The reference names the kind here, except for kinds that end in two steps.
  const subject = kind.life.beginDeletion === undefined ? kindOf(family) : resourceOf(kind);
  const failed = (what: string, wanted: string, found: string) =>
    conflict(subject, metadata.name ?? "", `the object has ${what} ${found}, not ${wanted.slice(0, 200)}`);
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) throw failed("uid", uid, metadata.uid ?? "");
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw failed("resourceVersion", resourceVersion, metadata.resourceVersion ?? "");
  }
}

const policies = ["Background", "Foreground", "Orphan"];

function checkOptions(kind: BoundKind, options: DeleteOptions): void {
  const { propagationPolicy: policy, orphanDependents, dryRun } = options;
  const errors: FieldError[] = [];
  if (policy !== undefined && orphanDependents !== undefined) {
    errors.push(invalid("propagationPolicy", policy, "must not be given together with orphanDependents"));
  }
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupported("propagationPolicy", policy, policies));
  }
  if (dryRun?.some((part) => part !== "All")) errors.push(notSupported("dryRun", dryRun, ["All"]));
  if (errors.length > 0) throw invalidObject(optionsOf(kind.family, "DeleteOptions"), "", errors);
}
