/** Changing an object, whole or through one of its subresources. */

import { admissionRequest } from "../admission/request.ts";
import { atOnceBytesMax, finish, inTurns, type Steps, type Turns, turnsFor } from "../base/turns.ts";
import { RevisionConflict } from "../kv/contract.ts";
import { nextGeneration } from "../machinery/meta/generation.ts";
import { validateMetadataUpdate } from "../machinery/meta/metadata.ts";
import type { BoundKind, BoundSubresource, Family } from "../machinery/schema/catalog.ts";
import { checkConstraints } from "../machinery/schema/constraints.ts";
import { convertNow, throughHub } from "../machinery/schema/convert.ts";
import { defaultKind } from "../machinery/schema/defaults.ts";
import { emptiedMembers } from "../machinery/schema/emptied.ts";
import { deepFreeze } from "../machinery/schema/freeze.ts";
import { copyJson, sameMembers } from "../machinery/schema/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import { type FieldErrors, invalid, noErrors, together } from "../machinery/status/field-error.ts";
import { conflict, invalidObject, noSuchPath, notFound } from "../machinery/status/status.ts";
import type { Change, ObjectRef, UpdateOptions, WriteContext, Written } from "./contract.ts";
import { type Core, giveTurn, known, newest, refuseIfGone } from "./core.ts";
import { createDraft } from "./create.ts";
import type { StoredEntry } from "./entry.ts";
import { sameObject } from "./equality.ts";
import { keyOf } from "./keys.ts";
import { carryMetadata, checkName, dropRepeatedOwners, settleNamespace, timestamp } from "./metadata.ts";
import { settle as settleStrategy, withStrategy } from "./strategy.ts";
import { kindOf, resourceOf } from "./subjects.ts";
import { parseVersion } from "./versions.ts";
import { checkPrintedSize, print, put, remove, unstored } from "./write.ts";

/** One update under way. */
interface Update {
  readonly core: Core;
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly change: Change;
  readonly context: WriteContext;
  readonly options: UpdateOptions;
  /** Undefined: the object itself is written. */
  readonly subresource: BoundSubresource | undefined;
}

/** The current object in the forms that an update needs; all frozen. */
interface Current {
  readonly entry: StoredEntry;
  readonly hub: ApiObject;
  readonly requested: ApiObject;
}

/** Somebody else was faster, and the writer did not say which state it meant to change. */
class TryAgain extends Error {}

export async function update(
  core: Core,
  kind: BoundKind,
  ref: ObjectRef,
  change: Change,
  context: WriteContext,
  options: UpdateOptions = {},
): Promise<Written> {
  const subresource = options.subresource ? kind.subresources.get(options.subresource) : undefined;
  if (options.subresource && subresource === undefined) throw noSuchPath();
  const job: Update = { core, kind, ref, change, context, options, subresource };
  const { length = 0 } = known(core, kind.family, ref)?.bytes ?? {};
  // What the server writes by itself may be part of a change that waits here.
  if (length <= atOnceBytesMax || context.asServer) return tryUntilWritten(job);
  return core.lanes.take(keyOf(kind.family, ref), async () => {
    const waiting = core.room.enter(length);
    if (waiting !== undefined) await waiting;
    try {
      return await tryUntilWritten(job);
    } finally {
      core.room.leave(length);
    }
  });
}

async function tryUntilWritten(job: Update): Promise<Written> {
  const { core, kind, ref, context } = job;
  for (let attempt = 1; ; attempt += 1) {
    refuseIfGone(context);
    const entry = await newest(core, kind.family, ref, context.asker);
    try {
      return await (entry === undefined ? createMissing(job) : updateExisting(job, entry));
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      if (attempt >= core.limits.attemptsMax) throw changedMeanwhile(job);
    }
  }
}

async function createMissing(job: Update): Promise<Written> {
  const { core, kind, ref, change, context, options, subresource } = job;
  const { family } = kind;
  if (options.uid) throw conflict(resourceOf(kind), ref.name, "the object it was meant for does not exist");
  if (!options.createIfMissing || subresource !== undefined) throw notFound(resourceOf(kind), ref.name);
  const given = await change(undefined);
  const draft = options.fresh ? given : copyJson(given);
  checkName(draft.metadata, ref);
  try {
    return await createDraft(core, kind, draft, ref, context, options.apply !== true);
  } catch (error) {
    const raced = (await newest(core, family, ref, context.asker)) !== undefined;
    if (raced && isTaken(error)) throw new TryAgain();
    throw error;
  }
}

async function updateExisting(job: Update, entry: StoredEntry): Promise<Written> {
  const { core, kind, context, options } = job;
  const { family } = kind;
  const turns = turnsFor(Math.max(context.bytes ?? 0, entry.bytes.length));
  const current = read(kind, entry);
  const { next, unconditional, emptied, request } = await nextState(job, current, turns);
  if (turns?.isLong) await giveTurn(turns, context);
  carryMetadata(next.metadata, current.hub.metadata);
  settle(job, next, current.hub, emptied);
  const steps = problemsOf(job, next, current, emptied);
  const problems = turns === undefined ? finish(steps) : await inTurns(steps, turns);
  if (problems.length > 0) throw invalidObject(kindOf(family), job.ref.name, problems);
  if (turns?.isLong) await giveTurn(turns, context);
  kind.life.complete?.(next, family.environment);
  const store = () => storeNext(job, next, current, { request, turns, retry: unconditional || options.retry === true });
  if (!isWhole(job)) return store();
  return withStrategy(core, { family, object: next, old: current.hub, dryRun: context.dryRun }, store);
}

interface Storing extends Pick<NextState, "request"> {
  /** Whether somebody who was faster is no conflict but a reason to begin again. */
  readonly retry: boolean;
  readonly turns: Turns | undefined;
}

/** The last step: a final judgement of the finished object, and the write itself. */
async function storeNext(
  job: Update,
  next: ApiObject,
  { entry, hub }: Current,
  { request, retry, turns }: Storing,
): Promise<Written> {
  const { core, kind, ref, context } = job;
  const { family } = kind;
  const goes = hasNothingLeftToWaitFor(family, next);
  const isSame = !goes && sameObject(next, hub);
  const printed = isSame ? undefined : print(family, next); // what comes now judges, and can change nothing any more
  if (!context.asServer) await core.admission.validate(request(next));
  if (printed === undefined) return { entry, created: false };
  if (turns?.isLong) await giveTurn(turns, context);
  refuseIfGone(context);
  if (goes && !context.dryRun) {
    await orTryAgain(job, retry, remove(core, family, entry));
    await settleStrategy(core, () => core.strategies.get(family.id)?.end(next));
  }
  if (goes || context.dryRun) return { entry: unstored(core, family, ref, printed, entry.revision), created: false };
  return replaced(orTryAgain(job, retry, put(core, family, ref, printed, entry.revision)));
}

/** Waits for the store without the object: of many updates under way, only the bytes are held. */
async function replaced(stored: Promise<StoredEntry>): Promise<Written> {
  return { entry: await stored, created: false };
}

async function orTryAgain<T>(job: Update, retry: boolean, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    throw retry ? new TryAgain() : changedMeanwhile(job);
  }
}

function read(kind: BoundKind, entry: StoredEntry): Current {
  const { stored, hub } = kind.family;
  const object = entry.object();
  const asHub = deepFreeze(convertNow(object, stored, hub));
  return { entry, hub: asHub, requested: kind === hub ? asHub : deepFreeze(convertNow(object, stored, kind)) };
}

const nothing: ReadonlySet<string> = new Set();

interface NextState {
  /** Of the hub version, ours to change. */
  readonly next: ApiObject;
  /** The writer named no version. */
  readonly unconditional: boolean;
  /** Members for which the writer gave lists or maps that are empty, of which `next` shows nothing. */
  readonly emptied: ReadonlySet<string>;
  /** What validating admission sees of the finished object. */
  readonly request: (next: ApiObject) => ReturnType<typeof admissionRequest>;
}

/** What the writer wants, in the hub version, after mutating admission. */
async function nextState(job: Update, current: Current, turns: Turns | undefined): Promise<NextState> {
  const { core, kind, ref, change, context, options, subresource } = job;
  const { family } = kind;
  const shown = shownAs(job, current.requested);
  if (turns?.isLong) await giveTurn(turns, context);
  const given = await change(shown);
  if (turns?.isLong) await giveTurn(turns, context);
  const emptied = subresource === undefined ? emptiedMembers(given) : nothing;
  const written = options.fresh ? given : copyJson(given);
  checkName(written.metadata, ref);
  const problems = subresource?.validateWritten?.(written, family.environment) ?? [];
  settleNamespace(written.metadata, family.namespaced, ref.namespace);
  const unconditional = checkVersion(job, written, current.entry);
  if (problems.length > 0) throw invalidObject(subresource?.accepts ?? kindOf(family), ref.name, problems);
  if (options.uid && options.uid !== current.hub.metadata.uid) {
    throw conflict(resourceOf(kind), ref.name, "the object has another uid than the one it was meant for");
  }

  const { accepts } = subresource ?? {};
  const of = accepts && core.catalog.byKind(accepts.group, accepts.version, accepts.kind);
  const name = subresource?.name ?? "";
  const admit = (object: ApiObject, old: ApiObject) =>
    admissionRequest(kind, ref, context, { operation: "UPDATE", subresource: name, object, old, of });
  // Clients of such a path never see the parent, and neither does admission.
  if (subresource?.accepts !== undefined) {
    await core.admission.mutate(admit(written, shown));
    const next = toHub(job, merge(job, written, current.requested));
    return {
      next,
      unconditional,
      emptied: nothing,
      request: (made) => admit(shownAs(job, family.hub === kind ? made : convertNow(made, family.hub, kind)), shown),
    };
  }
  defaultKind(kind, written);
  if (turns?.isLong) await giveTurn(turns, context);
  if (turns !== undefined) checkPrintedSize(written);
  if (turns?.isLong) await giveTurn(turns, context);
  const merged = subresource === undefined ? written : merge(job, written, current.requested);
  if (turns?.isLong) await giveTurn(turns, context);
  const requested = throughHub(merged, kind);
  dropRepeatedOwners(requested, context);
  if (turns?.isLong) await giveTurn(turns, context);
  const tracked = trackUpdate(job, requested, current.requested, turns);
  if (tracked !== undefined) await tracked;
  if (turns?.isLong) await giveTurn(turns, context);
  const next = toHub(job, requested);
  const request = admit(next, current.hub);
  if (!context.asServer) await core.admission.mutate(request);
  return { next, unconditional, emptied, request: () => request };
}

const toHub = ({ kind }: Update, requested: ApiObject): ApiObject =>
  kind === kind.family.hub ? requested : convertNow(requested, kind, kind.family.hub);

/** The object as clients of the path see it; frozen. */
function shownAs({ subresource, kind }: Update, requested: ApiObject): ApiObject {
  if (subresource?.view === undefined) return requested;
  // A view is an object of the accepted kind, which has metadata as all objects do.
  return deepFreeze(copyJson(subresource.view(requested, kind.family.environment) as ApiObject));
}

/** The parent after `written` was put to the path. Without a rule of its own a path writes metadata and status. */
function merge({ subresource, kind }: Update, written: ApiObject, parent: ApiObject): ApiObject {
  if (subresource?.merge !== undefined) {
    // What a path makes of the parent is the parent again, an object as all are.
    return copyJson(subresource.merge(deepFreeze(written), parent, kind.family.environment) as ApiObject);
  }
  // A version may keep in metadata what the hub has elsewhere, so both are taken apart there.
  const { toHub } = kind.declaration;
  if (toHub === undefined) return mergeStatus(written, parent);
  return kind.fromHub(mergeStatus(kind.toHub(written), kind.toHub(parent)));
}

function mergeStatus(written: ApiObject, parent: ApiObject): ApiObject {
  const merged: ApiObject = copyJson({ ...parent, metadata: written.metadata });
  if (written["status"] === undefined) delete merged["status"];
  else merged["status"] = copyJson(written["status"]);
  return merged;
}

/** Whether the write is for whatever is there. A version that is not the current one is a conflict. */
function checkVersion(job: Update, written: ApiObject, entry: StoredEntry): boolean {
  const { family, life, compat } = job.kind;
  const version = parseVersion(written.metadata.resourceVersion, "metadata.resourceVersion") ?? 0n;
  if (version === 0n) {
    if (compat.checksVersion ? !isWhole(job) : (life.unconditionalUpdate ?? true)) return true;
    throw invalidObject(compat.checksVersion ? kindOf(family) : resourceOf(job.kind), job.ref.name, [
      invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
  if (version !== entry.revision) throw changedMeanwhile(job);
  return false;
}

/** A promise: it is not done yet. */
function trackUpdate(job: Update, next: ApiObject, live: ApiObject, turns: Turns | undefined): void | Promise<void> {
  const { core, kind, context, options, subresource } = job;
  if (options.apply) return;
  if (core.ownership === undefined || context.fieldManager === "") {
    if (live.metadata.managedFields === undefined) delete next.metadata.managedFields;
    else next.metadata.managedFields = copyJson(live.metadata.managedFields);
    return;
  }
  const change = {
    kind,
    live,
    next,
    manager: context.fieldManager,
    subresource: subresource?.name ?? "",
    now: timestamp(core.clock.now()),
  };
  return core.ownership.trackUpdate(change, turns);
}

/** Whether a write follows the rules of the object itself: a whole update, or a path that shows it as something else. */
const isWhole = ({ subresource, context }: Update): boolean =>
  context.asServer !== true && (subresource === undefined || subresource.accepts !== undefined);

const aside: ReadonlySet<string> = new Set(["metadata", "status"]);

/** Puts back what this write cannot change, and counts the generation. In place. */
function settle(job: Update, next: ApiObject, old: ApiObject, emptied: ReadonlySet<string>): void {
  const { family, life } = job.kind;
  if (isWhole(job)) {
    // A version without a status path writes the status with the object.
    if (job.kind.subresources.has("status")) {
      if (old["status"] === undefined) delete next["status"];
      else next["status"] = copyJson(old["status"]);
    }
    life.prepareForUpdate?.(next, old, family.environment);
  }
  // A kind may count more than this as a change; then it has counted already.
  if (!life.generation || next.metadata.generation !== old.metadata.generation) return;
  const isSame =
    life.generation === "literal" ? emptied.size === 0 && sameMembers(next, old, aside) : sameWish(family, next, old);
  if (!isSame) next.metadata.generation = nextGeneration(old.metadata.generation);
}

/** Whether both ask for the same, be it in other words. */
function sameWish({ hub }: Family, next: ApiObject, old: ApiObject): boolean {
  const wish = (object: ApiObject) => Object.fromEntries(Object.entries(object).filter(([key]) => !aside.has(key)));
  return sameValue(wish(next), wish(old), hub);
}

function* problemsOf(job: Update, next: ApiObject, current: Current, emptied: ReadonlySet<string>): Steps<FieldErrors> {
  const { family, life } = job.kind;
  const { environment } = family;
  const ofMetadata = validateMetadataUpdate(next.metadata, current.hub.metadata, {
    environment,
    ...(life.name === undefined ? {} : { nameRule: life.name }),
    plainFinalizers: life.plainFinalizers === true,
  });
  yield;
  const ofValues = checkConstraints(family.hub.schema, next);
  yield;
  return together(ofMetadata, ofValues, yield* ownProblems(job, next, current, emptied));
}

function* ownProblems(
  { kind, subresource, context }: Update,
  next: ApiObject,
  current: Current,
  emptied: ReadonlySet<string>,
): Steps<FieldErrors> {
  if (context.asServer) return noErrors;
  const { life } = kind;
  const { environment, hub } = kind.family;
  if (subresource?.validate !== undefined) {
    const requested = kind === hub ? next : convertNow(next, hub, kind);
    return subresource.validate(requested, current.requested, environment);
  }
  if (subresource !== undefined && subresource.accepts === undefined) return noErrors;
  if (life.validateInSteps !== undefined) return yield* life.validateInSteps(next, current.hub, environment);
  if (life.validateUpdate !== undefined) return life.validateUpdate(next, current.hub, environment, emptied);
  return life.validate?.(next, environment) ?? noErrors;
}

/** A terminating object whose last finalizer has gone, and that nothing else keeps, goes as well. */
function hasNothingLeftToWaitFor(family: Family, { metadata, ...rest }: ApiObject): boolean {
  return (
    Boolean(metadata.deletionTimestamp) &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    (metadata.finalizers ?? []).length === 0 &&
    family.life.keepTerminating?.({ metadata, ...rest }) !== true
  );
}

function changedMeanwhile({ kind, ref }: Update): Error {
  return conflict(
    resourceOf(kind),
    ref.name,
    "the object has been modified; apply the change to the newest version and try again",
  );
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "AlreadyExists";
}
