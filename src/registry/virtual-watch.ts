/** Watches of virtual resources whose objects appear one after the other: what the source tells, as events. */

import type { BoundKind } from "../machinery/schema/catalog.ts";
import { parseFieldSelector } from "../machinery/selectors/field-selector.ts";
import { badRequest, noSuchPath } from "../machinery/status/status.ts";
import type { VirtualBatch, VirtualSource } from "./contract/allocator.ts";
import type { RegistryWatchQuery, Watch, WatcherEvent, WatchReceiver } from "./contract/watch.ts";
import type { RegistryServices } from "./services.ts";
import { checkMatch, hasWatchLists, parseVersion } from "./versions.ts";
import { entriesFrom } from "./virtual-resource.ts";

interface VirtualWatched {
  readonly services: RegistryServices;
  readonly kind: BoundKind;
  readonly source: VirtualSource;
  /** Those that run: bookmarks and the end of the server reach them through it. */
  readonly running: Set<VirtualWatch>;
}

/** As `watch` of stored objects; the source refuses fields that it does not know. */
export async function watchVirtual(watched: VirtualWatched, query: RegistryWatchQuery): Promise<Watch> {
  const { services, kind, source, running } = watched;
  const { family } = kind;
  if (source.watch === undefined) throw noSuchPath();
  if (query.atTime) throw badRequest("atTime is for gets and lists: a watch shows what happens from now on");
  if (query.labelSelector) throw badRequest(`${kind.resource} have no labels; a field selector is understood`);
  if (query.question !== undefined) throw badRequest(`${kind.resource} are made for each read, and take no where`);
  checkMatch(family, query, query.isCheckedAsList !== true);
  const fields = parseFieldSelector(query.fieldSelector ?? "");
  const version = parseVersion(query.resourceVersion);
  const initial = hasWatchLists(family) ? query.sendInitialEvents : undefined;
  const isNow = version === undefined || version === 0n;
  const since = (initial ?? isNow) ? undefined : isNow ? await services.kv.revision() : version;
  const stop = new AbortController();
  const { namespace, user, signal, allowBookmarks } = query;
  const batches = source.watch({
    namespace,
    fields,
    user,
    since,
    signal: AbortSignal.any([stop.signal, signal]),
  });
  const watch = new VirtualWatch({
    batches,
    requirements: fields.length,
    allowBookmarks,
    marksInitial: initial === true && allowBookmarks,
    eventsOf: (batch) =>
      entriesFrom({ services, kind }, batch.objects).map((entry) => ({
        type: "ADDED",
        entry,
        revision: entry.revision,
      })),
    onFault: (error) => services.log.error("watch receiver failed", { family: family.id, error }),
    onEnd() {
      running.delete(watch);
      stop.abort();
    },
  });
  running.add(watch);
  if (signal.aborted) watch.close();
  else signal.addEventListener("abort", () => watch.close(), { once: true });
  return watch;
}

interface VirtualWatchOptions {
  readonly batches: AsyncIterable<VirtualBatch>;
  readonly requirements: number;
  readonly allowBookmarks: boolean;
  readonly marksInitial: boolean;
  eventsOf(batch: VirtualBatch): WatcherEvent[];
  onFault(error: unknown): void;
  onEnd(): void;
}

/** Nothing is buffered: the next batch is asked for when the receiver has taken the one before. */
export class VirtualWatch implements Watch {
  readonly #options: VirtualWatchOptions;
  #receiver: WatchReceiver | undefined;
  #hasEnded = false;
  /** Everything up to it has been sent; undefined: nothing is known yet. */
  #reached: bigint | undefined;
  /** Set while the receiver takes no more. */
  #unblock: (() => void) | undefined;

  constructor(options: VirtualWatchOptions) {
    this.#options = options;
  }

  get requirements(): number {
    return this.#options.requirements;
  }

  start(receiver: WatchReceiver): void {
    if (this.#hasEnded || this.#receiver !== undefined) return;
    this.#receiver = receiver;
    this.#run().then(
      () => this.#end(undefined),
      (error: unknown) => this.#end(error instanceof Error ? error : new Error(String(error))),
    );
  }

  async #run(): Promise<void> {
    for await (const batch of this.#options.batches) {
      if (this.#hasEnded) return;
      const events = this.#options.eventsOf(batch);
      if (batch.endsInitial && this.#options.marksInitial)
        events.push({ type: "BOOKMARK", revision: batch.reached, endsInitial: true });
      if (events.length > 0) await this.#send(events);
      this.#reached = batch.reached;
    }
  }

  async #send(events: readonly WatcherEvent[]): Promise<void> {
    if (this.#receiver?.events(events) !== false) return;
    await new Promise<void>((resolve) => {
      this.#unblock = resolve;
    });
  }

  resume(): void {
    const unblock = this.#unblock;
    this.#unblock = undefined;
    unblock?.();
  }

  bookmark(): void {
    if (!this.#options.allowBookmarks || this.#reached === undefined || this.#unblock !== undefined) return;
    try {
      this.#receiver?.events([{ type: "BOOKMARK", revision: this.#reached }]);
    } catch (error) {
      this.#options.onFault(error);
      this.#end(undefined);
    }
  }

  flush(): void {}

  close(): void {
    this.#receiver = undefined;
    this.#end(undefined);
  }

  /** The server ends, and the client may watch again elsewhere. */
  finish(): void {
    this.#end(undefined);
  }

  #end(reason: Error | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd();
    this.resume();
    const receiver = this.#receiver;
    this.#receiver = undefined;
    try {
      receiver?.end(reason);
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}
