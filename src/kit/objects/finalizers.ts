/** Finalizers: names in an object that keep it until a controller has cleaned up. */

import type { AnyObject } from "../../client/contract.ts";
import type { CallOptions, ResourceCalls } from "../contract.ts";
import type { Patch } from "../patch-types.ts";

/**
 * Whether the object was deleted and only waits for its finalizers.
 * @example
 * if (isDeleting(site)) return;
 */
export const isDeleting = ({ metadata }: AnyObject): boolean => Boolean(metadata.deletionTimestamp);

/**
 * Whether the object has the finalizer.
 * @example
 * if (isDeleting(site) && hasFinalizer(site, "example.com/dns")) await cleanUp(site);
 */
export const hasFinalizer = ({ metadata }: AnyObject, name: string): boolean =>
  metadata.finalizers?.includes(name) === true;

/**
 * Returns the object with the finalizer. A conflict if the object has changed since it was read.
 * @example
 * const kept = await addFinalizer(client.of(Site), site, "example.com/dns");
 */
export async function addFinalizer<T extends AnyObject, O extends T>(
  resource: ResourceCalls<T>,
  object: O,
  name: string,
  options: CallOptions = {},
): Promise<O> {
  if (hasFinalizer(object, name)) return object;
  return write(resource, object, [...(object.metadata.finalizers ?? []), name], options);
}

/**
 * Returns the object without the finalizer, which may have been its last state. A conflict if it has changed since it was read.
 * @example
 * await removeFinalizer(client.of(Site), site, "example.com/dns");
 */
export async function removeFinalizer<T extends AnyObject, O extends T>(
  resource: ResourceCalls<T>,
  object: O,
  name: string,
  options: CallOptions = {},
): Promise<O> {
  if (!hasFinalizer(object, name)) return object;
  return write(resource, object, object.metadata.finalizers?.filter((each) => each !== name) ?? [], options);
}

/** The list is replaced as a whole, so the patch names the version that was read. The answer has at least the members that were read. */
async function write<T extends AnyObject, O extends T>(
  resource: ResourceCalls<T>,
  object: O,
  finalizers: string[],
  options: CallOptions,
): Promise<O> {
  const { uid, resourceVersion } = object.metadata;
  const patch: Patch<AnyObject> = {
    metadata: { uid: uid ?? null, resourceVersion: resourceVersion ?? null, finalizers },
  };
  const answer: AnyObject = await resource.patch(object, patch as Patch<T>, options);
  return answer as O;
}
