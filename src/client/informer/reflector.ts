/** List-and-watch: tells a receiver the state of a resource and then every change, whatever happens to the watch. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { AnyObject, ResourceClient } from "../contract.ts";
import { chunkItems } from "../requests/resource-client.ts";
import { hasReason, sleep } from "../requests/send.ts";
import type { Selection } from "./contract.ts";

export interface Receiver<T> {
  /** A complete state begins: objects follow in one or more parts, then `listed`. */
  part(objects: readonly T[]): void;
  /** The parts since the last `listed` were everything there is. */
  listed(): void;
  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void;
  /** A list broke off: the parts so far mean nothing. */
  restarted(): void;
}

export interface ReflectorOptions<T extends AnyObject> {
  readonly client: ResourceClient<T>;
  readonly selection: Selection;
  readonly receiver: Receiver<T>;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** How long a watch lasts at least, and twice that at most, so that not all end at once. */
export const watchSeconds = 300;
/** How long after a failure the server is asked again; doubled by each further failure. */
export const reconnectMs = 200;
export const reconnectMsMax = 30_000;

/** Runs until `signal` aborts, and does not reject. */
export async function reflect<T extends AnyObject>(options: ReflectorOptions<T>): Promise<void> {
  const { client, clock, log, signal, random } = options;
  let since: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      since ??= await listInto(options);
      for await (const reached of follow(options, since)) {
        since = reached;
        failures = 0;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (hasReason(error, "Expired", "Gone")) {
        log.debug("the watch has expired and the resource is listed again", { resource: client.address.resource });
        since = undefined;
        if (failures === 0) {
          failures++;
          continue;
        }
      } else log.debug("a watch failed and is opened again", { resource: client.address.resource, error });
      failures++;
      const delayMs = Math.min(reconnectMs * 2 ** (failures - 1), reconnectMsMax) * (1 + random());
      await sleep(clock, delayMs, signal).catch(() => undefined);
    }
  }
}

/** The resourceVersion at which the list was complete. */
async function listInto<T extends AnyObject>(options: ReflectorOptions<T>): Promise<string> {
  const { client, selection, receiver, signal } = options;
  receiver.restarted();
  for (let next = ""; ; ) {
    const chunk = await client.list({ ...selection, limit: chunkItems, continue: next, signal });
    receiver.part(chunk.items);
    if (chunk.continue === "") {
      receiver.listed();
      return chunk.resourceVersion;
    }
    next = chunk.continue;
  }
}

/** Yields how far the receiver has been told, after every event. Ends when the server ends the watch. */
async function* follow<T extends AnyObject>(options: ReflectorOptions<T>, since: string): AsyncGenerator<string> {
  const { client, selection, receiver, signal, random } = options;
  const timeoutSeconds = Math.floor(watchSeconds * (1 + random()));
  let reached = since;
  const query = { ...selection, resourceVersion: since, bookmarks: true, timeoutSeconds, signal };
  for await (const { type, object } of client.watch(query)) {
    const version = object.metadata.resourceVersion ?? "";
    // A proxy or a reconnect may repeat what was told already; telling it again would bring back what is gone.
    if (!isAfter(version, reached)) continue;
    reached = version;
    if (type !== "BOOKMARK") receiver.changed(type, object);
    yield reached;
  }
  yield reached;
}

/** Versions that are no numbers cannot be compared, and are taken as they come. */
function isAfter(version: string, reached: string): boolean {
  const digits = /^\d+$/;
  if (!digits.test(version) || !digits.test(reached)) return true;
  return version.length === reached.length ? version > reached : version.length > reached.length;
}
