/** Reading one object. */

import type { BoundKind } from "../machinery/schema/catalog.ts";
import { badRequest, notFound } from "../machinery/status/status.ts";
import type { Entry, ObjectRef } from "./contract/entry.ts";
import type { GetOptions } from "./contract/registry.ts";
import { getAt, revisionAt } from "./past.ts";
import { cachedEntry, type RegistryServices } from "./services.ts";
import { translateKvErrors } from "./store-errors.ts";
import { resourceOf } from "./subjects.ts";
import { parseVersion, tooLargeVersion } from "./versions.ts";

/** Not an async function: on the usual path it only waits for the store to confirm its revision. */
export function get(
  services: RegistryServices,
  kind: BoundKind,
  ref: ObjectRef,
  options: GetOptions = {},
): Promise<Entry> {
  const found = (): Entry => {
    const entry = cachedEntry(services, kind.family, ref);
    if (entry !== undefined) return entry;
    services.cache.unreadable.refuse(kind, ref);
    throw notFound(resourceOf(kind), ref.name);
  };
  try {
    const past = revisionAt(services, kind, options);
    if (past !== undefined) return Promise.resolve(past).then((revision) => getAt(services, kind, ref, revision));
    const version = parseVersion(options.resourceVersion);
    // Without a history a match means nothing for one object, as in v1.21.
    if (version && options.resourceVersionMatch === "Exact" && services.notes !== undefined)
      return notOlderThan(services, version, options).then(() => getAt(services, kind, ref, version));
    if (version === 0n && options.resourceVersionMatch === "Exact" && services.notes !== undefined)
      throw badRequest('resourceVersionMatch is forbidden to be "Exact" for resourceVersion "0": no state has it');
    if (version === 0n) return Promise.resolve(found());
    if (version !== undefined) return notOlderThan(services, version, options).then(found);
  } catch (error) {
    return Promise.reject(error);
  }
  return services.kv.revision().then((revision) => {
    const wait = services.cache.reach(revision, undefined, options);
    return wait === undefined ? found() : wait.then(found);
  }, translateKvErrors);
}

/** With a store that no other process writes to, the usual path does not wait. */
export function getNow(services: RegistryServices, kind: BoundKind, ref: ObjectRef): Entry | undefined {
  const revision = services.kv.newest?.();
  return revision !== undefined && revision <= services.cache.revision
    ? cachedEntry(services, kind.family, ref)
    : undefined;
}

/** Waits for a version, but not for long: this store may never have had it. */
export async function notOlderThan(
  services: RegistryServices,
  version: bigint,
  caller?: { readonly signal?: AbortSignal },
): Promise<void> {
  const wait = services.cache.reach(version, services.limits.versionWaitMs, caller);
  if (wait !== undefined && !(await wait)) throw tooLargeVersion(version, services.cache.revision);
}
