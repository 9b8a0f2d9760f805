/** All informers of one client: one for each resource and selection, started on first use. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { AnyObject, Client, ListWatch, ResourceAddress } from "../contract.ts";
import type { InformerSelection, Informers } from "./contract.ts";
import { StoreInformer } from "./informer.ts";
import type { ObjectKeys } from "./keys.ts";
import { reflect } from "./reflector.ts";
import { withStallCheck } from "./stalled.ts";

interface InformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 up to 1; spreads reconnects. */
  readonly random?: () => number;
  /** See StoreInformer. */
  readonly prepare?: <T extends AnyObject>(object: T) => T;
  /** After how much silence a connection counts as broken. Absent: never, as inside the process of a server. */
  readonly stalledAfterMs?: number | undefined;
  /** Of which namespace objects are read, where a selection names none. Absent: of all. */
  readonly namespace?: string | undefined;
  /** Whether to read states as the beginning of a watch, where the server offers that. Default: false. */
  readonly listsByWatch?: boolean | undefined;
  /** Default: those of one server. */
  readonly keys?: ObjectKeys | undefined;
}

interface Started {
  /** A StoreInformer; of what objects, follows from its key. */
  readonly informer: unknown;
  get(key: string): AnyObject | undefined;
  readonly ended: Promise<void>;
  stop(): void;
}

export function createInformers(options: InformersOptions): Informers {
  const { client, clock, log, random = Math.random, prepare, stalledAfterMs, namespace } = options;
  /** All of them speak to one server, which refuses a watch list once for all. */
  const lists = { byWatch: options.listsByWatch === true };
  const started = new Map<string, Started>();
  let closed = false;

  const within = ({ namespaced }: ResourceAddress, selection: InformerSelection = {}): InformerSelection =>
    namespaced && namespace !== undefined ? { ...selection, namespace: selection.namespace ?? namespace } : selection;

  function start<T extends AnyObject>(
    form: "whole" | "metadata",
    address: ResourceAddress,
    {
      selection: wanted,
      mayBeAbsent = false,
    }: { selection?: InformerSelection | undefined; mayBeAbsent?: boolean } = {},
  ) {
    const selection = within(address, wanted);
    const key = keyOf(form, address, selection);
    const known = started.get(key);
    if (known !== undefined) return known.informer as StoreInformer<T>; // the key says so
    const informer = new StoreInformer<T>(address, log, prepare, options.keys);
    const abort = new AbortController();
    if (closed) {
      abort.abort(closedReason);
      informer.end();
    }
    const { signal } = abort;
    const stop = () => {
      abort.abort(closedReason);
      informer.end();
    };
    const plain = client.listWatch(address, form) as ListWatch<AnyObject> as ListWatch<T>; // the address is that of the kind
    const listWatch = stalledAfterMs === undefined ? plain : withStallCheck(plain, { clock, stalledAfterMs });
    const following = { listWatch, lists, selection, receiver: informer, mayBeAbsent, clock, log, random, signal };
    const ended = reflect(following);
    started.set(key, { informer, get: (one) => informer.get(one), ended, stop });
    return informer;
  }

  const close = async () => {
    closed = true;
    for (const { stop } of started.values()) stop();
    await Promise.all([...started.values()].map(({ ended }) => ended));
  };
  return {
    of: (kind, selection) => start("whole", client.addressOf(kind), { selection }),
    at: (address) => start("whole", address, { mayBeAbsent: true }),
    metadata: (address) => start("metadata", address, { mayBeAbsent: true }),
    peek: (address, key) => started.get(keyOf("whole", address, within(address)))?.get(key),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Made once: a reason that the signal makes itself takes a stack trace for each informer. */
const closedReason = new Error("the informers are closed");

function keyOf(form: string, address: ResourceAddress, selection: InformerSelection): string {
  const { namespace = "", labelSelector = "", fieldSelector = "" } = selection;
  return [form, address.group, address.version, address.resource, namespace, labelSelector, fieldSelector].join(" ");
}
