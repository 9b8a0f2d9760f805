/** Updates an object, whole or through one of its subresources: read, run update-steps.ts, compare and swap, retry. */

import { BudgetHold, type MemoryHold } from "../base/memory-budget.ts";
import { atOnceBytesMax, type Steps, wait } from "../base/time-slice.ts";
import { RevisionConflict } from "../kv/contract.ts";
import { copyJson, freezeInSteps } from "../machinery/json/json-value.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convert, convertInSteps, isOf, versionIn } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { conflict, noSuchPath, notFound, tooManyRequests } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { UpdateFunction, UpdateOptions, Written } from "./contract/registry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { createDraft } from "./create.ts";
import { Creation } from "./create-steps.ts";
import { keyOf } from "./keys.ts";
import { checkName } from "./metadata.ts";
import { refuseIfGone, waitOutside } from "./run-steps.ts";
import { afterWrite, runWrite } from "./run-write.ts";
import { cachedEntry, currentEntry, type RegistryServices } from "./services.ts";
import { resourceOf } from "./subjects.ts";
import { type Current, changedMeanwhile, isLastStep, stepsOf, Update, type Updating } from "./update-steps.ts";
import { put, remove, unstored } from "./write.ts";

/** Bytes of one large object, for each of its changes that wait: each may take seconds, and more would end in timeouts. */
export const changesPendingBytesMax = 4 * 1024 * 1024;

/** Another writer was faster, and the caller did not name the version to change. */
class TryAgain extends Error {}

export async function update(
  services: RegistryServices,
  kind: BoundKind,
  ref: ObjectRef,
  change: UpdateFunction,
  context: WriteContext,
  options: UpdateOptions = {},
): Promise<Written> {
  const subresource = options.subresource ? kind.subresources.get(options.subresource) : undefined;
  if (options.subresource && subresource === undefined) throw noSuchPath();
  const { accepts } = subresource ?? {};
  const accepted = accepts && services.catalog.byKind(accepts.group, accepts.version, accepts.kind);
  // Not a copy by spread: each write would make another hidden class.
  const holding = (hold: MemoryHold | undefined): Updating => ({
    kind,
    ref,
    change,
    context,
    options,
    subresource,
    accepted,
    hold,
  });
  const { length = 0 } = cachedEntry(services, kind.family, ref) ?? {};
  // An object that does not exist yet will be about as large as what is sent: all that apply it at once would start again and again.
  const size = Math.max(length, context.bytes ?? 0);
  // A write of the server itself may be part of a change that already holds the mutex.
  if (size <= atOnceBytesMax || context.skipAdmission) return tryUntilWritten(services, holding(undefined));
  const key = keyOf(kind.family, ref);
  if (services.mutex.pending(key) * size >= changesPendingBytesMax) {
    throw tooManyRequests(
      `too many changes of ${kind.resource} "${ref.name}" are in progress, please try again later`,
      1,
    );
  }
  return services.mutex.run(key, async (leave) => {
    await services.budget.enter(length);
    const hold = new BudgetHold(services.budget, services.suspended, length);
    try {
      return await tryUntilWritten(services, holding(leaving(hold, leave)));
    } finally {
      hold.end();
    }
  });
}

/** A change that waits for another service lets the next change of the same object start. */
function leaving(hold: MemoryHold, leave: () => void): MemoryHold {
  return {
    release() {
      leave();
      return hold.release();
    },
    acquire: () => hold.acquire(),
  };
}

async function tryUntilWritten(services: RegistryServices, updating: Updating): Promise<Written> {
  const { kind, ref, context } = updating;
  for (let attempt = 1; ; attempt += 1) {
    refuseIfGone(context);
    const found = currentEntry(services, kind, ref, context.caller);
    const entry = found instanceof Promise ? await found : found;
    try {
      return await (entry === undefined
        ? createMissing(services, updating)
        : updateExisting(services, updating, entry));
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      if (attempt >= services.limits.attemptsMax) throw changedMeanwhile(updating);
    }
  }
}

async function createMissing(services: RegistryServices, updating: Updating): Promise<Written> {
  const { kind, ref, change, context, options, subresource } = updating;
  const createsIt = options.createIfMissing === true && subresource === undefined;
  // At early levels the uid is compared before anyone asks whether the object exists.
  if (options.uid && (createsIt || !kind.family.environment.has("missingBeforeUid")))
    throw conflict(resourceOf(kind), ref.name, "the object with that uid does not exist");
  if (!createsIt) throw notFound(resourceOf(kind), ref.name);
  const given = await change(undefined);
  const draft = options.fresh ? given : copyJson(given);
  checkName(draft.metadata, ref);
  try {
    return await createDraft(services, new Creation(services, kind, draft, ref, context, options.apply === true));
  } catch (error) {
    const raced = (await currentEntry(services, kind, ref, context.caller)) !== undefined;
    if (raced && isTaken(error)) throw new TryAgain();
    throw error;
  }
}

function updateExisting(services: RegistryServices, updating: Updating, entry: StoredEntry): Promise<Written> {
  const write = new Update(services, updating, entry.size, () => read(services, updating, entry));
  return runWrite(services, stepsOf(updating.subresource), write, () => store(services, write, entry));
}

function* read(services: RegistryServices, updating: Updating, entry: StoredEntry): Steps<Current> {
  const { kind } = updating;
  const { revision } = entry;
  // Encrypted with a key that is no longer the first one: the next write moves it, even if nothing else changes.
  const isStale = entry.isStale || entry.keyId !== services.transformer.writesWith(kind.family.id);
  const version = versionIn(kind.family, entry.version);
  const object = yield* entry.load();
  yield;
  // Nothing changes it from here on, so an object that is stored in the hub version is not copied.
  const hub = isOf(object, version, kind.hub) ? object : yield* inHub(updating, object, version);
  // Only versions that are their own hub are converted by a webhook.
  const requested = kind === kind.hub ? hub : yield* convertInSteps(object, version, kind);
  yield;
  yield* freezeInSteps(requested);
  const spec = isStale ? undefined : entry.spec;
  return { hub: yield* freezeInSteps(hub), requested, spec, revision, isStale };
}

function* inHub(updating: Updating, object: ApiObject, version: BoundKind): Steps<ApiObject> {
  const { kind, context } = updating;
  if (kind.family.conversion.isImmediate) return yield* convertInSteps(object, version, kind.hub);
  const converted = convert(object, version, kind.hub, context.caller);
  return converted instanceof Promise ? yield* wait(waitOutside(updating, converted)) : converted;
}

/** The write itself: the object is removed, kept, or replaced. */
async function store(services: RegistryServices, write: Update, entry: StoredEntry): Promise<Written> {
  const { kind, ref, context, object, encoded, isUnconditional, options } = write;
  const { family } = kind;
  if (encoded === undefined) return { entry, created: false };
  const retry = isUnconditional || options.retry === true;
  const goes = isLastStep(write);
  refuseIfGone(context);
  if (goes && !context.dryRun) {
    await orTryAgain(write, retry, remove(services, family, entry, context));
    await afterWrite(services, () => services.allocators.get(family.id)?.end(object));
  }
  if (goes || context.dryRun) {
    const next = unstored(services, family, ref, encoded, entry.revision);
    if (context.dryRun) services.staging?.leave(family, ref, goes ? undefined : next);
    return { entry: next, created: false };
  }
  return replaced(orTryAgain({ kind, ref }, retry, put(services, family, ref, encoded, entry.revision, context)));
}

/** Waits for the store without holding the object: many concurrent updates then hold only bytes. */
async function replaced(stored: Promise<StoredEntry>): Promise<Written> {
  return { entry: await stored, created: false };
}

async function orTryAgain<T>(of: Pick<Updating, "kind" | "ref">, retry: boolean, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    throw retry ? new TryAgain() : changedMeanwhile(of);
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "AlreadyExists";
}
