/** List-and-watch: passes a receiver the state of a resource and then every change, and restarts the watch when it breaks. */

import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { atOnceBytesMax, beforeLongStep, inTimeSlices, type Steps, TimeSlice } from "../../base/time-slice.ts";
import type { CachedObject, ListWatch } from "../contract.ts";
import { tokenAfter } from "../requests/continue-token.ts";
import { chunkItems } from "../requests/resource-client.ts";
import { hasReason } from "../requests/send.ts";
import type { InformerSelection } from "./contract.ts";
import { Stalled } from "./stalled.ts";

export interface Receiver<T> {
  /** A complete state begins: objects follow in one or more parts, then `listed`. */
  part(objects: readonly CachedObject<T>[]): void;
  /** The parts since the last `listed` were everything there is. */
  listed(): void;
  changed(type: "ADDED" | "MODIFIED" | "DELETED", held: CachedObject<T>): void;
  /** What it has in the place of this one, and will read when that changes. */
  before?(held: CachedObject<T>): CachedObject<T> | undefined;
  /** The list was interrupted: the parts so far are invalid. */
  restarted(): void;
  /** The resource cannot be read for now; called once for each time of trouble, unless the state is shown. It is tried again. */
  failed?(error: unknown): void;
  /** The server will never answer the question, because it is wrong. Nothing follows. */
  refused?(error: unknown): void;
}

interface ReflectorOptions<T> {
  readonly listWatch: ListWatch<T>;
  /** Whether states are read as the beginning of a watch; becomes false when the server refuses that. Default: they are listed. */
  readonly lists?: { byWatch: boolean };
  readonly selection: InformerSelection;
  readonly receiver: Receiver<T>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the resource may stop being served, as those found by discovery may. A 404 is not reported then. Default: false. */
  readonly mayBeAbsent?: boolean;
  /**
   * Whether a person looks at the state: each failure is reported, tries are seconds apart at most, and each begins with a list, since a watch does
   * not say that a server is back before something changes. Default: false.
   */
  readonly isShown?: boolean;
  /** Whether it ends when the state is complete, as where nothing can be watched. Default: false. */
  readonly isOnce?: boolean;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** How long a watch lasts at least, and twice that at most, so that not all end at once. */
const watchSeconds = 300;
/** The delay after a failure; doubled by each further failure. */
const reconnectMs = 200;
const reconnectMsMax = 30_000;
/** The same while a person looks at the state. */
const shownReconnectMsMax = 2_000;
/** How many failures in a row are passed over: the server may have been restarted. One that trying again does not help counts at once. */
const quietFailures = 3;

/** Runs until `signal` aborts or the server refuses the question as such, and does not reject. */
export async function reflect<T>(options: ReflectorOptions<T>): Promise<void> {
  const { listWatch, clock, log, signal, random, lists = { byWatch: false }, isShown = false } = options;
  const pauseMsMax = isShown ? shownReconnectMsMax : reconnectMsMax;
  const { resource } = listWatch.address;
  let since: string | undefined;
  let failures = 0;
  const trouble = createTrouble(options);
  while (!signal.aborted) {
    // Another informer may learn meanwhile that the server has no watch lists.
    const { byWatch } = lists;
    try {
      if (!byWatch) since ??= await listInto(options);
      if (options.isOnce === true) return;
      const before = since;
      for await (const reached of follow(options, since)) {
        since = reached;
        failures = 0;
        trouble.end();
      }
      // A server that ends every watch at once must not be called again without a pause.
      if (since === before) await sleep(clock, reconnectMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (since === undefined && byWatch && isRefused(error)) {
        if (lists.byWatch) log.debug("the server has no watch lists", { resource });
        lists.byWatch = false;
        continue;
      }
      if (hasReason(error, "Expired", "Gone")) {
        log.debug("the watch has expired and the resource is listed again", { resource });
        since = undefined;
        if (failures === 0) {
          failures++;
          continue;
        }
      } else if (since === undefined && hasReason(error, "BadRequest", "Invalid")) {
        // The question itself is wrong, such as a selector: no later try can be answered otherwise.
        log.error("a resource cannot be read as it was asked for", { resource, ...options.selection, error });
        options.receiver.refused?.(error);
        return;
      } else trouble.add(error, failures);
      if (isShown) since = undefined;
      failures++;
      const delayMs = Math.min(reconnectMs * 2 ** (failures - 1), pauseMsMax) * (1 + random());
      await sleep(clock, delayMs, signal).catch(() => undefined);
    }
  }
}

/** Reports a time of trouble once: at its first failure that time alone will not repair, or after a few others. */
function createTrouble<T>({ listWatch, receiver, log, mayBeAbsent = false, isShown = false }: ReflectorOptions<T>) {
  const { resource } = listWatch.address;
  let isReported = false;
  return {
    /** `before`: how many failures came before this one. */
    add(error: unknown, before: number): void {
      if (isShown) {
        receiver.failed?.(error);
        return;
      }
      const isLasting = hasReason(error, "Forbidden", "Unauthorized", "NotFound");
      if (isReported || (mayBeAbsent && hasReason(error, "NotFound")) || (!isLasting && before < quietFailures)) {
        log.debug("a watch failed and is opened again", { resource, error });
        return;
      }
      isReported = true;
      log.warn("a resource cannot be read; it is tried again", { resource, error });
      receiver.failed?.(error);
    },
    end(): void {
      if (isReported) log.info("a resource can be read again", { resource });
      isReported = false;
    },
  };
}

/** The resourceVersion at which the list was complete. */
async function listInto<T>(options: ReflectorOptions<T>): Promise<string> {
  const { listWatch, selection, receiver, signal } = options;
  receiver.restarted();
  for (let next = ""; ; ) {
    const chunk = await listWatch.list({ ...selection, limit: chunkItems, continue: next, signal });
    // Receivers decode what they get, and a chunk may have hundreds of objects of a megabyte.
    const slice = new TimeSlice();
    signal.throwIfAborted();
    for (const item of chunk.items) {
      const loading = loadLarge(receiver, item);
      if (loading !== undefined) await loading;
      signal.throwIfAborted();
      receiver.part([item]);
      if (!slice.isLong) continue;
      await slice.next();
      signal.throwIfAborted();
    }
    if (chunk.continue === "") {
      receiver.listed();
      return chunk.resourceVersion;
    }
    next = tokenAfter(next, chunk.continue);
  }
}

/** A server without watch lists refuses their options, or does not know them and never says where the state ends. */
const isRefused = (error: unknown): boolean => hasReason(error, "Invalid", "BadRequest") || error instanceof Stalled;

/**
 * Yields the last version that the receiver has got, after every event. Ends when the server ends the watch. Without `since` the
 * state comes first, and nothing is yielded before it is complete.
 */
async function* follow<T>(options: ReflectorOptions<T>, since: string | undefined): AsyncGenerator<string> {
  const { listWatch, selection, receiver, signal, random } = options;
  const timeoutSeconds = Math.floor(watchSeconds * (1 + random()));
  let reached = since;
  const start = since === undefined ? { sendInitialEvents: true } : { resourceVersion: since };
  const query = { ...selection, ...start, bookmarks: true, timeoutSeconds, signal };
  if (since === undefined) receiver.restarted();
  for await (const { type, held, resourceVersion, endsInitial } of listWatch.watch(query)) {
    if (reached === undefined) {
      if (held !== undefined && type !== "BOOKMARK") {
        const loading = loadLarge(receiver, held);
        if (loading !== undefined) await loading;
        signal.throwIfAborted();
        receiver.part([held]);
      }
      if (endsInitial !== true) continue;
      receiver.listed();
      reached = resourceVersion;
      yield reached;
      continue;
    }
    // A proxy or a reconnect may repeat events; passing them on again would bring back deleted objects.
    if (!isAfter(resourceVersion, reached)) continue;
    reached = resourceVersion;
    if (type !== "BOOKMARK" && held !== undefined) {
      const turn = beforeLongStep();
      if (turn !== undefined) await turn;
      const loading = loadLarge(receiver, held);
      if (loading !== undefined) await loading;
      signal.throwIfAborted();
      receiver.changed(type, held);
    }
    yield reached;
  }
  if (reached !== undefined) yield reached;
}

/** Decodes what the receiver will read in time slices, if it is large. Undefined: it is not. */
function loadLarge<T>(receiver: Receiver<T>, held: CachedObject<T>): Promise<readonly T[]> | undefined {
  const before = receiver.before?.(held);
  if (!isLarge(held) && !isLarge(before)) return undefined;
  return inTimeSlices(loadAll([held, before]));
}

const isLarge = (held: CachedObject<unknown> | undefined): boolean => (held?.length ?? 0) > atOnceBytesMax;

/** All of them, so that none is dropped before it is read. */
function* loadAll<T>(objects: readonly (CachedObject<T> | undefined)[]): Steps<readonly T[]> {
  const loaded: T[] = [];
  for (const held of objects) {
    if (held?.load === undefined) continue;
    loaded.push(yield* held.load());
    yield;
  }
  return loaded;
}

/** Versions that are not numbers cannot be compared, and are taken as they come. */
function isAfter(version: string, reached: string): boolean {
  const digits = /^\d+$/;
  if (!digits.test(version) || !digits.test(reached)) return true;
  return version.length === reached.length ? version > reached : version.length > reached.length;
}
