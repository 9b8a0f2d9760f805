/** Creating an object. */

import type { AdmissionRequest } from "../admission/contract.ts";
import { admissionRequest } from "../admission/request.ts";
import { finish, inTurns, type Steps, type Turns, turnsFor } from "../base/turns.ts";
import { RevisionConflict } from "../kv/contract.ts";
import { validateMetadata } from "../machinery/meta/metadata.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { checkConstraints } from "../machinery/schema/constraints.ts";
import { convertNow, throughHub } from "../machinery/schema/convert.ts";
import { decodeObject } from "../machinery/schema/decode.ts";
import { defaultKind } from "../machinery/schema/defaults.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { type FieldErrors, noErrors, together } from "../machinery/status/field-error.ts";
import { alreadyExists, badRequest, invalidObject, StatusError } from "../machinery/status/status.ts";
import type { ObjectRef, WriteContext, Written } from "./contract.ts";
import { type Core, giveTurn, newest, refuseIfGone } from "./core.ts";
import type { StoredEntry } from "./entry.ts";
import { beginMetadata, dropRepeatedOwners, settleNamespace, timestamp } from "./metadata.ts";
import { withStrategy } from "./strategy.ts";
import { kindOf, resourceOf } from "./subjects.ts";
import { parseVersion } from "./versions.ts";
import { checkPlace, checkPrintedSize, print, put, unstored } from "./write.ts";

export async function create(
  core: Core,
  kind: BoundKind,
  object: ApiObject,
  ref: ObjectRef,
  context: WriteContext,
): Promise<Written> {
  if ((parseVersion(object.metadata.resourceVersion, "metadata.resourceVersion") ?? 0n) !== 0n) {
    throw badRequest("resourceVersion must not be set on an object that is to be created");
  }
  if (ref.name !== "" && !object.metadata.name) object.metadata.name = ref.name;
  return createDraft(core, kind, object, ref, context, true);
}

/** The way of a new object, also of one that an update or an apply creates. `draft` is changed. */
export async function createDraft(
  core: Core,
  kind: BoundKind,
  draft: ApiObject,
  ref: ObjectRef,
  context: WriteContext,
  track: boolean,
): Promise<Written> {
  const { family } = kind;
  const turns = turnsFor(context.bytes ?? 0);
  if (turns?.isLong) await giveTurn(turns, context);
  defaultKind(kind, draft);
  if (turns?.isLong) await giveTurn(turns, context);
  if (turns !== undefined) checkPrintedSize(draft);
  settleNamespace(draft.metadata, family.namespaced, ref.namespace);
  dropRepeatedOwners(draft, context);
  const made = throughHub(draft, kind);
  if (turns?.isLong) await giveTurn(turns, context);
  if (track) {
    const tracked = trackCreate(core, kind, made, context, turns);
    if (tracked !== undefined) await tracked;
  }
  if (turns?.isLong) await giveTurn(turns, context);
  const hub = kind === family.hub ? made : convertNow(made, kind, family.hub);
  const place = { namespace: family.namespaced ? ref.namespace : "", name: ref.name || (hub.metadata.name ?? "") };
  const request = admissionRequest(kind, place, context, { operation: "CREATE", object: hub, old: undefined });
  const mutating = core.admission.mutate(request);
  if (mutating !== undefined) await mutating;

  if (turns?.isLong) await giveTurn(turns, context);
  prepareNew(kind, hub);
  const problems = turns === undefined ? finish(newProblems(kind, hub)) : await inTurns(newProblems(kind, hub), turns);
  if (problems.length > 0) throw invalidObject(kindOf(family), hub.metadata.name ?? "", problems);
  if (turns?.isLong) await giveTurn(turns, context);
  kind.life.complete?.(hub, family.environment);
  return withStrategy(core, { family, object: hub, old: undefined, dryRun: context.dryRun }, () =>
    storeNew(core, kind, hub, request, context, turns),
  );
}

/** The last step: a final judgement of the finished object, and the write itself. */
async function storeNew(
  core: Core,
  kind: BoundKind,
  hub: ApiObject,
  request: AdmissionRequest,
  context: WriteContext,
  turns: Turns | undefined,
): Promise<Written> {
  const { family } = kind;
  const printed = print(family, hub); // what comes now judges, and can change nothing any more
  const judging = core.admission.validate(request);
  if (judging !== undefined) await judging;
  if (turns?.isLong) await giveTurn(turns, context);
  const named = { namespace: request.namespace, name: hub.metadata.name ?? "" };
  checkPlace(family, named);
  if (context.dryRun) {
    if ((await newest(core, family, named, context.asker)) !== undefined)
      throw taken(kind, named.name, Boolean(hub.metadata.generateName));
    return { entry: unstored(core, family, named, printed, 0n), created: true };
  }
  const generated = Boolean(hub.metadata.generateName);
  const refusal = () => taken(kind, named.name, generated);
  refuseIfGone(context);
  return written(put(core, family, named, printed, 0n), refusal);
}

/** Waits for the store without the object: of many creates under way, only the bytes are held. */
async function written(stored: Promise<StoredEntry>, refusal: () => StatusError): Promise<Written> {
  try {
    return { entry: await stored, created: true };
  } catch (error) {
    if (error instanceof RevisionConflict) throw refusal();
    throw error;
  }
}

/** A promise: it is not done yet. */
function trackCreate(
  core: Core,
  kind: BoundKind,
  next: ApiObject,
  { fieldManager: manager }: WriteContext,
  turns: Turns | undefined,
): void | Promise<void> {
  if (core.ownership === undefined || manager === "") {
    delete next.metadata.managedFields;
    return;
  }
  const now = timestamp(core.clock.now());
  return core.ownership.trackUpdate({ kind, live: undefined, next, manager, subresource: "", now }, turns);
}

/** Brings a new object into the shape in which it may be stored. In place. */
function prepareNew({ family, life, compat, subresources }: BoundKind, hub: ApiObject): void {
  const { environment } = family;
  beginMetadata(hub.metadata, compat, environment);
  if (!compat.keepsStatusOnCreate && subresources.has("status")) resetStatus(family, hub);
  if (life.generation) hub.metadata.generation = 1;
  life.prepareForCreate?.(hub, environment);
}

/** A status as the server prints one that nobody has written yet. */
function resetStatus(family: Family, hub: ApiObject): void {
  const field = family.hub.schema.fields.get("status");
  const always = field?.presence === "elided" || field?.presence === "required";
  if (always && field.schema.type === "struct") hub["status"] = decodeObject(field.schema, {});
  else delete hub["status"];
}

function* newProblems({ family, life, compat }: BoundKind, hub: ApiObject): Steps<FieldErrors> {
  const { environment } = family;
  const ofMetadata = validateMetadata(hub.metadata, {
    namespaced: family.namespaced,
    environment,
    ...(life.name === undefined ? {} : { nameRule: life.name }),
    plainFinalizers: life.plainFinalizers === true,
  });
  yield;
  const ofValues = checkConstraints(family.hub.schema, hub);
  yield;
  const own =
    life.validateInSteps === undefined
      ? (life.validate?.(hub, environment) ?? noErrors)
      : yield* life.validateInSteps(hub, undefined, environment);
  const others = together(ofValues, own);
  return compat.metadataLast && others.length > 0 ? others : together(ofMetadata, others);
}

/** A generated name that is taken is bad luck, and worth another try. */
function taken(kind: BoundKind, name: string, generated: boolean): StatusError {
  const refusal = alreadyExists(resourceOf(kind), name);
  if (!generated) return refusal;
  return new StatusError("AlreadyExists", `${refusal.message}; the name was generated, try again`, {
    details: { ...refusal.details, retryAfterSeconds: 1 },
  });
}
