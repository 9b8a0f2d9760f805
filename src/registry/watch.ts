/** Starts a watch of a collection; watcher.ts delivers its events. */

import type { BoundKind } from "../machinery/schema/catalog.ts";
import { badRequest, noSuchPath, StatusError } from "../machinery/status/status.ts";
import { Watcher } from "./cache/watcher.ts";
import type { RegistryWatchQuery, Watch } from "./contract/watch.ts";
import { notOlderThan } from "./get.ts";
import { catchUp, type RegistryServices } from "./services.ts";
import { checkMatch, hasWatchLists, parseVersion } from "./versions.ts";

/**
 * Without a version the newest state comes first, as ADDED events; with 0 the state in the cache; otherwise only what
 * happened after the version. A watch list says itself whether the state comes first. A version that is too old ends the watch when it starts, as clients expect (an ERROR event).
 */
export async function watch(services: RegistryServices, kind: BoundKind, query: RegistryWatchQuery): Promise<Watch> {
  const { family } = kind;
  if (query.atTime) throw badRequest("atTime is for gets and lists: a watch shows what happens from now on");
  checkMatch(family, query, query.isCheckedAsList !== true);
  const selection = services.selections.of(kind, query, query.question?.condition);
  const version = parseVersion(query.resourceVersion);
  const sendInitialEvents = hasWatchLists(family) ? query.sendInitialEvents : undefined;
  if (sendInitialEvents && version !== undefined && version > 0n) {
    try {
      await notOlderThan(services, version, query);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return endedWatch(error); // clients of a watch list expect it as an event
    }
  }
  if (version === undefined) await catchUp(services, query);
  // Nothing would ever end a watch of a kind that was removed meanwhile.
  if (!services.cache.follows(family)) throw noSuchPath();
  services.cache.unreadable.refuseSelected(kind, selection);
  const collection = services.cache.of(family);
  const isNow = version === undefined || version === 0n;
  const fromState = sendInitialEvents ?? isNow;
  if (fromState) collection.prepareFor(selection);
  const watcher = new Watcher({
    collection,
    selection,
    initial: fromState ? collection.live : undefined,
    since: fromState || isNow ? services.cache.revision : version,
    allowBookmarks: query.allowBookmarks,
    marksInitial: sendInitialEvents === true && query.allowBookmarks,
    reached: () => services.cache.revision,
    bufferBytesMax: services.limits.watchBufferBytesMax,
    onFault: (error) => services.log.error("watch receiver failed", { family: family.id, error }),
  });
  const close = (): void => watcher.close();
  if (query.signal.aborted) close();
  else query.signal.addEventListener("abort", close, { once: true });
  return watcher;
}

/** A watch that begins with its end. */
function endedWatch(reason: StatusError): Watch {
  return {
    requirements: 0,
    start: (receiver) => receiver.end(reason),
    resume() {},
    bookmark() {},
    flush() {},
    close() {},
  };
}
