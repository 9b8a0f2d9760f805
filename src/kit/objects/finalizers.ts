/** Finalizers: names in an object that keep it until a controller has cleaned up. */

import type { AnyObject } from "../../client/contract.ts";
import type { CallOptions, Resource } from "../contract.ts";

/** Whether the object was deleted and only waits for its finalizers. */
export const isDeleting = ({ metadata }: AnyObject): boolean => metadata.deletionTimestamp !== undefined;

export const hasFinalizer = ({ metadata }: AnyObject, name: string): boolean =>
  metadata.finalizers?.includes(name) === true;

/** Returns the object with the finalizer. A conflict if the object has changed since it was read. */
export function addFinalizer<T extends AnyObject>(
  resource: Resource<T>,
  object: T,
  name: string,
  options: CallOptions = {},
): Promise<T> {
  if (hasFinalizer(object, name)) return Promise.resolve(object);
  return write(resource, object, [...(object.metadata.finalizers ?? []), name], options);
}

/** Returns the object without the finalizer, which may have been its last state. A conflict if it has changed since it was read. */
export function removeFinalizer<T extends AnyObject>(
  resource: Resource<T>,
  object: T,
  name: string,
  options: CallOptions = {},
): Promise<T> {
  if (!hasFinalizer(object, name)) return Promise.resolve(object);
  return write(resource, object, object.metadata.finalizers?.filter((each) => each !== name) ?? [], options);
}

/** The list is replaced as a whole, so the patch names the version that was read. */
function write<T extends AnyObject>(resource: Resource<T>, object: T, finalizers: string[], options: CallOptions) {
  const { uid, resourceVersion } = object.metadata;
  return resource.patch(object, { metadata: { uid, resourceVersion, finalizers } }, options);
}
