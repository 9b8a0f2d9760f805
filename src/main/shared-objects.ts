/** The objects of a server for the informers of its own process: they hold its entries, and so share its bytes. */

import { nextTimeSlice, TimeSlice } from "../base/time-slice.ts";
import type { CachedObjectEvent, ListQuery, ListWatch, ResourceAddress, WatchQuery } from "../client/contract.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Registry } from "../registry/contract/registry.ts";
import type { WatcherEvent } from "../registry/contract/watch.ts";
import { viewAs } from "../registry/entry-view.ts";

/** Events that wait for an informer; with more, the registry keeps them until it has caught up. */
export const sharedEventsMax = 1_000;

type SharedObjects = (address: ResourceAddress) => ListWatch<ApiObject> | undefined;

/** For callers that may read everything: nothing is authorized or audited here. */
export function shareObjects({ registry, catalog }: { registry: Registry; catalog: Catalog }): SharedObjects {
  return (address) => {
    const kind = catalog.byResource(address.group, address.version, address.resource);
    // An aggregated server has it, or a webhook converts it: such objects are read by requests.
    if (kind === undefined || !kind.family.conversion.isImmediate) return undefined;
    return { address, list: (query) => list(registry, kind, query), watch: (query) => watch(registry, kind, query) };
  };
}

async function list(
  registry: Registry,
  kind: BoundKind,
  query: ListQuery = {},
): ReturnType<ListWatch<ApiObject>["list"]> {
  const { entries, revision, continue: next } = await registry.list(kind, queryOf(query));
  await nextTimeSlice(); // the receiver decodes a whole chunk, and the next one is there at once
  return {
    items: entries.map((entry) => viewAs(entry, kind)),
    resourceVersion: String(revision),
    continue: next,
  };
}

/** The registry checks the texts, as it does those of requests. */
function queryOf({ namespace = "", labelSelector, fieldSelector, resourceVersion, limit, signal, ...rest }: ListQuery) {
  return {
    namespace,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(limit === undefined ? {} : { limit }),
    ...(signal === undefined ? {} : { signal }),
    ...(rest.continue === undefined ? {} : { continue: rest.continue }),
  };
}

async function* watch(
  registry: Registry,
  kind: BoundKind,
  { signal = new AbortController().signal, ...query }: WatchQuery = {},
): AsyncGenerator<CachedObjectEvent<ApiObject>> {
  let waiting: WatcherEvent[] = [];
  let end: { readonly reason: Error | undefined } | undefined;
  let wake = () => {};
  const finish = (reason: Error | undefined) => {
    end ??= { reason };
    wake();
  };
  const aborted = () => finish(undefined);
  const opened = await registry.watch(kind, { ...queryOf(query), allowBookmarks: false, signal });
  signal.addEventListener("abort", aborted);
  try {
    opened.start({
      events(batch) {
        waiting.push(...batch);
        wake();
        return waiting.length < sharedEventsMax;
      },
      end: finish,
    });
    while (!signal.aborted) {
      if (waiting.length === 0) {
        if (end !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const batch = waiting;
      waiting = [];
      opened.resume();
      yield* told(batch, kind);
    }
    if (end?.reason !== undefined) throw end.reason;
  } finally {
    signal.removeEventListener("abort", aborted);
    opened.close();
  }
}

async function* told(batch: readonly WatcherEvent[], kind: BoundKind): AsyncGenerator<CachedObjectEvent<ApiObject>> {
  const slice = new TimeSlice();
  for (const event of batch) {
    const resourceVersion = String(event.revision);
    if (event.type === "BOOKMARK") yield { type: event.type, resourceVersion };
    else yield { type: event.type, held: viewAs(event.entry, kind), resourceVersion };
    if (slice.isLong) await slice.next();
  }
}
