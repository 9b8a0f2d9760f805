/** Starts one controller: what makes it look at objects, and what it is called with. */

import { amount } from "../../base/check-options.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { WorkQueue } from "../../base/queue/contract.ts";
import { inSpan } from "../../base/tracing.ts";
import type { AnyObject, Fetch, ResourceAddress, Stored } from "../../client/contract.ts";
import type { Recorder } from "../../client/events/contract.ts";
import type { Informer, Informers } from "../../client/informer/contract.ts";
import { keyOfRef, type ObjectKeys } from "../../client/informer/keys.ts";
import { createReconcileQueue, TryAgain } from "../../client/reconcile/reconcile-queue.ts";
import { withCause } from "../../client/requests/cause.ts";
import type { Client, Target } from "../contract.ts";
import { ownerKey } from "../objects/owners.ts";
import { tracingIn } from "../tracing.ts";
import { type Controller, type ObjectEvents, type Source, watch } from "./controller.ts";
import type { ReconcileResults } from "./results.ts";
import { withinTime } from "./within-time.ts";

export interface ControllerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  /** How requests of the work on an object are sent. */
  fetchAt(object: AnyObject): Fetch;
  readonly keys: ObjectKeys;
  readonly signal: AbortSignal;
  readonly results: ReconcileResults;
  clientWith(fetch: Fetch): Client;
  readonly informers: Informers;
  recorderAt(object: AnyObject): Recorder;
  readonly address: ResourceAddress;
}

/** As controllers in Go have it: enough for many objects that fail now and then, and no storm after an outage. */
const retriesPerSecond = 10;
const retriesBurst = 100;

interface StartedController {
  readonly queue: WorkQueue;
  /** What must be complete before work begins. */
  readonly after: readonly { readonly synced: Promise<void> }[];
}

export function startController(controller: Controller, parts: ControllerParts): StartedController {
  const { client, informers, keys, address, clock, log, signal } = parts;
  const { name, selection, owns = [], watches = [], sources = [], workers = 1, retry = {}, resyncMs } = controller;
  const { perSecond = retriesPerSecond, burst = retriesBurst } = retry;
  const objects: Informer<Stored<AnyObject>> = informers.of(controller.for, selection);
  const after: { readonly synced: Promise<void> }[] = [objects];
  const queue = createReconcileQueue({
    name,
    workers,
    after,
    retriesMax: retry.attempts,
    retryMs: retry.firstMs,
    retryMsMax: retry.longestMs,
    retryLimit: { perSecond, burst },
    clock,
    log,
    async reconcile(key) {
      const cached = objects.get(key);
      if (cached === undefined) return;
      const own = withFields(log, { controller: name, object: key });
      const fetch = withCause(parts.fetchAt(cached), () => `${name} ${key}`);
      const span = tracingIn(client)?.begin(`reconcile ${name}`, { attributes: { "orch.object": key } });
      const reconciled = (later: () => void) =>
        withinTime({ ...parts, fetch, log: own, timeoutMs: controller.timeoutMs }, (limited) =>
          controller.reconcile({
            // The cache is shared, and the caller may change what it gets.
            object: structuredClone(cached),
            ...limited,
            informers,
            events: eventsAbout(cached, parts.recorderAt(cached)),
            log: own,
            requeueAfter(ms) {
              const wrong = amount(0)(ms);
              if (wrong !== undefined) throw new TypeError(`requeueAfter: the time in milliseconds${wrong}`);
              later();
              queue.addAfter(key, ms);
            },
          }),
        );
      await parts.results.count(name, (later) =>
        span === undefined ? reconciled(later) : inSpan(span, () => reconciled(later), isFailure),
      );
    },
  });
  const enqueue = (target: Target) => queue.add(keyOfTarget(target, keys, address.namespaced ? client.namespace : ""));
  const owned = owns.map((kind) =>
    watch<AnyObject>(kind, (object) => {
      const key = ownerKey(object, address);
      return key === undefined ? [] : [keys.beside(object, key)];
    }),
  );
  after.push(...[...owned, ...watches].map((watched) => watched.follow(informers, enqueue)));
  const changed = (object: Stored<AnyObject>, old?: Stored<AnyObject>) => {
    if (controller.when?.(object, old) ?? true) queue.add(keys.object(object));
  };
  objects.on({ add: (object) => changed(object), update: changed });
  for (const source of sources) void startSource(source, { name, enqueue, signal, log });
  if (resyncMs !== undefined)
    void repeat(clock, resyncMs, signal, () => {
      for (const object of objects.list()) queue.add(keys.object(object));
    });
  return { queue, after };
}

const isFailure = (error: unknown): boolean => !(error instanceof TryAgain);

interface Sourced {
  readonly name: string;
  enqueue(target: Target): void;
  readonly signal: AbortSignal;
  readonly log: Log;
}

async function startSource(source: Source, { name, enqueue, signal, log }: Sourced): Promise<void> {
  try {
    await source(enqueue, signal);
  } catch (error) {
    if (!signal.aborted) log.error("a source of a controller failed", { controller: name, error });
  }
}

async function repeat(clock: Clock, ms: number, signal: AbortSignal, act: () => void): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, ms, signal).catch(() => undefined);
    if (!signal.aborted) act();
  }
}

function keyOfTarget(target: Target, keys: ObjectKeys, namespace: string): string {
  if (typeof target !== "string") return "metadata" in target ? keys.object(target) : keyOfRef(target);
  return target.includes("/") || namespace === "" ? target : `${namespace}/${target}`;
}

function eventsAbout(object: AnyObject, recorder: Recorder): ObjectEvents {
  return {
    normal: (reason, message, about = object) => recorder.event(about, "Normal", reason, message),
    warning: (reason, message, about = object) => recorder.event(about, "Warning", reason, message),
  };
}

function withFields(log: Log, own: Record<string, unknown>): Log {
  return {
    ...(log.verbosity === undefined ? {} : { verbosity: log.verbosity }),
    debug: (message, fields) => log.debug(message, { ...own, ...fields }),
    info: (message, fields) => log.info(message, { ...own, ...fields }),
    warn: (message, fields) => log.warn(message, { ...own, ...fields }),
    error: (message, fields) => log.error(message, { ...own, ...fields }),
  };
}
