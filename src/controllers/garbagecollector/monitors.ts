/** Watches every resource whose objects can be deleted, and follows as resources come and go. */

import { TimeSlice } from "../../base/time-slice.ts";
import type { AnyObject, CachedObject, Client, ResourceAddress } from "../../client/contract.ts";
import { type Receiver, reflect } from "../../client/informer/reflector.ts";
import { apiVersionOf } from "../../client/requests/address.ts";
import type { ControllerContext, Running } from "../contract.ts";

export interface Monitors extends Running {
  /** Resolves when every resource that was there at the start has been read. */
  readonly synced: Promise<void>;
  /** Discovers resources again. False: some must be checked again soon. */
  refresh(): Promise<boolean>;
  /** Where objects of a kind are; undefined: the server does not know the kind. */
  addressOf(apiVersion: string, kind: string): ResourceAddress | undefined;
}

interface MonitorsOptions {
  readonly context: Pick<ControllerContext, "clock" | "log" | "random"> & {
    readonly client: Pick<Client, "discover" | "listWatch">;
  };
  put(object: AnyObject, address: ResourceAddress): void;
  /** The object was deleted. */
  remove(uid: string): void;
  /** The state of `uid` is unknown: its resource is no longer served. */
  forget(uid: string): void;
}

/** How long to wait for the resources at the start: one that does not answer must not delay all others. */
const monitorsSyncMsMax = 30_000;

interface Monitor {
  readonly address: ResourceAddress;
  /** The objects that it has put and not removed. */
  readonly uids: Set<string>;
  readonly synced: Promise<void>;
  readonly ended: Promise<void>;
  stop(): void;
}

export function startMonitors(options: MonitorsOptions): Monitors {
  const { client, clock, log } = options.context;
  const monitors = new Map<string, Monitor>();
  /** Those whose resource was missing the last time. The remaining events of their watches must be processed first. */
  const missing = new Set<string>();
  let addresses = new Map<string, ResourceAddress>();
  let closed = false;

  const start = (address: ResourceAddress, uids: Set<string>): Monitor => {
    const abort = new AbortController();
    const follower = new Follower(address, uids, options);
    const ended = reflect({
      listWatch: client.listWatch(address, "metadata"),
      selection: {},
      receiver: follower,
      mayBeAbsent: true,
      clock,
      log,
      random: () => options.context.random(2 ** 30) / 2 ** 30,
      signal: abort.signal,
    });
    return {
      address,
      uids,
      synced: follower.synced,
      ended,
      stop() {
        abort.abort(closedReason);
        follower.stopWaiting();
      },
    };
  };

  const refresh = async () => {
    const { resources: all, preferred, failed } = await client.discover();
    const slice = new TimeSlice(); // there may be ten thousand of them
    const found = new Map<string, ResourceAddress>();
    for (const each of all) {
      found.set(`${apiVersionOf(each)} ${each.kind}`, each);
      if (slice.isOver) await slice.next();
    }
    addresses = found;
    const wanted = new Map<string, ResourceAddress>();
    for (const each of preferred) {
      if (isFollowed(each)) wanted.set(keyOf(each), each);
      if (slice.isOver) await slice.next();
    }
    const unanswered = new Set(failed.map(({ groupVersion }) => groupVersion));
    const silent = new Set(failed.map(({ groupVersion }) => groupVersion.slice(0, groupVersion.indexOf("/"))));
    for (const [key, address] of wanted) {
      if (slice.isOver) await slice.next();
      if (closed) return true;
      const old = monitors.get(key);
      // If another version is preferred now, it is followed instead, unless discovery of the present one has failed.
      if (old && (old.address.version === address.version || unanswered.has(apiVersionOf(old.address)))) continue;
      old?.stop();
      // All versions show the same objects: those that the first list does not have were deleted meanwhile.
      monitors.set(key, start(address, old?.uids ?? new Set()));
    }
    for (const [key, monitor] of monitors) {
      if (slice.isOver) await slice.next();
      if (closed) return true;
      // A group that does not answer may still exist: its objects are not treated as deleted.
      if (wanted.has(key) || silent.has(monitor.address.group)) missing.delete(key);
      else if (!missing.has(key)) missing.add(key);
      else {
        missing.delete(key);
        monitors.delete(key);
        monitor.stop();
        for (const uid of monitor.uids) options.forget(uid);
      }
    }
    return failed.length === 0 && missing.size === 0;
  };

  const first = refreshUntilRead(refresh, () => closed, options.context);
  return {
    refresh,
    addressOf: (apiVersion, kind) => addresses.get(`${apiVersion} ${kind}`),
    synced: first.then(() => inTime(Promise.all([...monitors.values()].map(({ synced }) => synced)), options.context)),
    async close() {
      closed = true;
      const slice = new TimeSlice();
      for (const { stop } of monitors.values()) {
        stop();
        if (slice.isOver) await slice.next();
      }
      await Promise.all([...monitors.values()].map(({ ended }) => ended));
    },
  };
}

/** Made once: a reason that the signal makes itself takes a stack trace for each of a hundred resources. */
const closedReason = new Error("the garbage collector no longer follows this resource");

/** Events expire without the garbage collector, and have neither owners nor dependents. */
function isFollowed({ resource, group, verbs }: ResourceAddress & { readonly verbs: readonly string[] }): boolean {
  if (resource === "events" && (group === "" || group.startsWith("events."))) return false;
  return ["list", "watch", "delete"].every((verb) => verbs.includes(verb));
}

const keyOf = ({ group, resource }: ResourceAddress) => `${group} ${resource}`;

const refreshAgainMs = 1_000;

async function refreshUntilRead(
  refresh: () => Promise<unknown>,
  isClosed: () => boolean,
  { clock, log }: Pick<ControllerContext, "clock" | "log">,
): Promise<void> {
  while (!isClosed()) {
    try {
      await refresh();
      return;
    } catch (error) {
      if (!isClosed()) log.warn("resources could not be discovered", { error });
    }
    await new Promise<void>((resolve) => void clock.after(refreshAgainMs, resolve));
  }
}

async function inTime(work: Promise<unknown>, { clock }: Pick<ControllerContext, "clock">): Promise<void> {
  let cancel = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(monitorsSyncMsMax, resolve);
  });
  await Promise.race([work, late]);
  cancel();
}

/** Keeps only the identity of each object. */
class Follower implements Receiver<AnyObject> {
  readonly synced: Promise<void>;
  readonly #address: ResourceAddress;
  readonly #options: Omit<MonitorsOptions, "context">;
  readonly #uids: Set<string>;
  #seen = new Set<string>();
  #sync = () => {};

  constructor(address: ResourceAddress, uids: Set<string>, options: Omit<MonitorsOptions, "context">) {
    this.#address = address;
    this.#uids = uids;
    this.#options = options;
    this.synced = new Promise((resolve) => {
      this.#sync = resolve;
    });
  }

  restarted(): void {
    this.#seen = new Set();
  }
  part(objects: readonly CachedObject<AnyObject>[]): void {
    for (const held of objects) this.#seen.add(this.changed("MODIFIED", held));
  }
  listed(): void {
    for (const uid of this.#uids) if (!this.#seen.has(uid)) this.#remove(uid);
    this.#seen = new Set();
    this.#sync();
  }
  /** The uid of the object. */
  changed(type: "ADDED" | "MODIFIED" | "DELETED", held: CachedObject<AnyObject>): string {
    const object = held.object();
    const uid = object.metadata.uid ?? "";
    if (type === "DELETED") this.#remove(uid);
    else {
      this.#uids.add(uid);
      this.#options.put(object, this.#address);
    }
    return uid;
  }
  /** Ends the wait for the first list, which does not come any more. */
  stopWaiting(): void {
    this.#sync();
  }
  #remove(uid: string): void {
    if (this.#uids.delete(uid)) this.#options.remove(uid);
  }
}
