/** Creates an object: stores the result of create-steps.ts under a name that is not taken. */

import { RevisionConflict } from "../kv/contract.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { alreadyExists, badRequest, StatusError } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import { readStored } from "./cache/layout.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { Written } from "./contract/registry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { Creation, createSteps } from "./create-steps.ts";
import { checkReference } from "./encode.ts";
import { refuseIfGone } from "./run-steps.ts";
import { runWrite } from "./run-write.ts";
import { cachedEntry, catchUp, currentEntry, type RegistryServices } from "./services.ts";
import { resourceOf } from "./subjects.ts";
import { put, unstored } from "./write.ts";

export async function create(
  services: RegistryServices,
  kind: BoundKind,
  object: ApiObject,
  ref: ObjectRef,
  context: WriteContext,
): Promise<Written> {
  if (ref.name !== "" && !object.metadata.name) object.metadata.name = ref.name;
  const isVersioned = namesVersion(object.metadata.resourceVersion);
  const write = new Creation(services, kind, object, ref, context);
  return runWrite(services, createSteps, write, () => store(services, write, isVersioned));
}

/** Also used for an object that an update or an apply creates. */
export function createDraft(services: RegistryServices, write: Creation): Promise<Written> {
  return runWrite(services, createSteps, write, () => store(services, write));
}

async function store(services: RegistryServices, write: Creation, isVersioned = false): Promise<Written> {
  const { kind, object, ref, context, encoded } = write;
  const { family } = kind;
  const { name = "", generateName } = object.metadata;
  const named = { namespace: family.namespaced ? ref.namespace : "", name };
  const refusal = async () => {
    await catchUp(services, context.caller);
    const found = cachedEntry(services, family, named); // an object that cannot be read exists all the same
    return taken(kind, name, Boolean(generateName), found?.object().metadata.deletionTimestamp !== undefined);
  };
  checkReference(family, named);
  if (encoded === undefined) throw new Error("a new object is always encoded");
  if (context.dryRun) {
    if ((await currentEntry(services, kind, named, context.caller)) !== undefined) throw await refusal();
    const entry = unstored(services, family, named, encoded, 0n);
    services.staging?.leave(family, named, entry);
    return { entry, created: true };
  }
  refuseIfGone(context);
  if (isVersioned) throw badRequest("resourceVersion must not be set on an object that is to be created");
  return awaitStored(put(services, family, named, encoded, 0n, context), refusal);
}

/** Only the store refuses a version, as in v1.21: an invalid object is Invalid, a dry run succeeds, and what is not a version is ignored. */
const namesVersion = (text = ""): boolean => /^[0-9]+$/.test(text) && BigInt(text) !== 0n;

/** Stores an object as an earlier create of the same object encoded it, without the steps of a create. */
export function createEncoded(
  services: RegistryServices,
  { family }: BoundKind,
  ref: ObjectRef,
  text: string,
): Promise<Written> {
  const value = Buffer.from(text);
  const { layout, attributes } = readStored(family, value);
  const refusal = () => taken(family.hub, ref.name, false, false);
  return awaitStored(
    put(services, family, ref, { version: layout.version, value, attributes }, 0n, undefined),
    refusal,
  );
}

/** Waits for the store without holding the object: many concurrent creates then hold only bytes. */
async function awaitStored(
  stored: Promise<StoredEntry>,
  refusal: () => StatusError | Promise<StatusError>,
): Promise<Written> {
  try {
    return { entry: await stored, created: true };
  } catch (error) {
    if (error instanceof RevisionConflict) throw await refusal();
    throw error;
  }
}

/** A generated name may be taken by chance; then the client should try again. */
function taken(kind: BoundKind, name: string, generated: boolean, isLeaving: boolean): StatusError {
  const exists = alreadyExists(resourceOf(kind), name);
  const { details = {} } = exists;
  const refusal = isLeaving
    ? new StatusError("AlreadyExists", `object is being deleted: ${exists.message}`, { details })
    : exists;
  if (!generated) return refusal;
  return new StatusError("AlreadyExists", `${refusal.message}; the name was generated, try again`, {
    details: { ...refusal.details, retryAfterSeconds: 1 },
  });
}
