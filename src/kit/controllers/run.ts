/** Runs controllers of a program: informers that they share, a queue for each, and if wanted only in the process that leads. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Clock, holdingClock, sleep } from "../../base/clock.ts";
import { type Log, silentLog } from "../../base/log.ts";
import type { WorkQueue } from "../../base/queue/contract.ts";
import { createClient } from "../../client/client.ts";
import type { AnyObject, Fetch, Client as PlainClient, ResourceAddress } from "../../client/contract.ts";
import type { Recorder } from "../../client/events/contract.ts";
import { createRecorders } from "../../client/events/recorder.ts";
import type { Informers } from "../../client/informer/contract.ts";
import { keyOf, keyOfRef } from "../../client/informer/keys.ts";
import { acquireLeadership, type Leadership } from "../../client/leader/leader.ts";
import { whileLeading } from "../../client/leader/while-leading.ts";
import { createReconcileQueue } from "../../client/reconcile/reconcile-queue.ts";
import { queueMetrics } from "../../metrics/queue-readings.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createUserClient } from "../client.ts";
import type { Client, Target } from "../contract.ts";
import { ownerKey } from "../objects/owners.ts";
import { type Controller, type ObjectEvents, type Source, watch } from "./controller.ts";

export interface RunOptions {
  readonly client: Client;
  readonly controllers: readonly Controller[];
  /** Absent: this process works at once, and must be the only one. */
  readonly leaderElection?: LeaderElection;
  /** Default: nowhere. */
  readonly log?: Log;
  readonly clock?: Clock;
}

/** One of several processes works; the others wait until it ends or does not renew its Lease. */
export interface LeaderElection {
  /** The name of the Lease. */
  readonly name: string;
  /** Default: that of the client. */
  readonly namespace?: string;
  /** Unique to the process. Default: the name of the host and a random part. */
  readonly identity?: string;
  /** How long others wait after the last renewal. Default: 15 s. */
  readonly leaseDurationMs?: number;
  /** How long the leader tries to renew before it gives up. Default: 10 s. */
  readonly renewDeadlineMs?: number;
  /** Default: 2 s. */
  readonly retryPeriodMs?: number;
}

export interface RunningControllers {
  /** Resolves when this process leads and its copies are complete: work has begun. */
  readonly ready: Promise<void>;
  /** Rejects when the lease is lost; the process should end then. Resolves when `close` is done. */
  readonly ended: Promise<void>;
  /** Whether work may be done: nothing was lost. For a health check. */
  isHealthy(): boolean;
  /** The metrics of the queues, in the text format of Prometheus. */
  metrics(): string;
  /** Starts no further work, waits for what is in progress, writes waiting Events, releases the lease. */
  close(): Promise<void>;
}

export function runControllers(options: RunOptions): RunningControllers {
  const { client, controllers, leaderElection, log = silentLog, clock = holdingClock } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let leadership: Leadership | undefined;
  let started: Started | undefined;
  let closing: Promise<void> | undefined;
  let end: () => void = () => {};
  let fail: (reason: unknown) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });

  const begin = async () => {
    if (leaderElection !== undefined) {
      leadership = await acquireLeadership(leaderOptions(leaderElection, { client, clock, log }), signal);
      leadership.signal.addEventListener("abort", () => void lose(leadership?.signal.reason));
    }
    const fetch = leadership === undefined ? client.fetch : whileLeading(client.fetch, leadership.isHeld);
    started = start(controllers, { client, fetch, clock, log, signal });
    return started;
  };
  const lose = async (reason: unknown) => {
    stopping.abort(reason);
    await started?.close();
    fail(reason);
  };
  const begun = begin();
  const ready = begun.then(({ synced }) => synced);
  const close = async () => {
    stopping.abort(new Error("the controllers are stopped"));
    await begun.catch(() => undefined);
    await started?.close();
    await leadership?.release();
    end();
  };
  // Callers may wait for these or not: without these lines an unobserved rejection would end the process.
  begun.catch((error: unknown) => {
    if (!signal.aborted) fail(error);
  });
  ready.catch(() => undefined);
  ended.catch(() => undefined);

  const metrics = queueMetrics(
    () => started?.queues.map(({ stats }) => stats) ?? [],
    () => clock.monotonic(),
  );
  return {
    ready,
    ended,
    isHealthy: () => !signal.aborted && (leadership === undefined || leadership.isHeld()),
    metrics: () => metrics.map((metric) => metric.text()).join(""),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

interface Tools {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

function leaderOptions(election: LeaderElection, { client, clock, log }: Tools) {
  const { name, namespace = client.namespace, identity = `${hostname()}_${randomUUID()}` } = election;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = election;
  const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  return {
    client: plainClient(client, client.fetch, clock),
    clock,
    log,
    identity,
    lease: { namespace, name },
    ...times,
    random: Math.random,
  };
}

function plainClient({ vocabulary, userAgent }: Client, fetch: Fetch, clock: Clock): PlainClient {
  return createClient({ fetch, vocabulary: vocabularyOf(vocabulary), clock, userAgent });
}

interface Started {
  readonly queues: readonly WorkQueue[];
  readonly synced: Promise<void>;
  close(): Promise<void>;
}

function start(
  controllers: readonly Controller[],
  tools: Tools & { readonly fetch: Fetch; readonly signal: AbortSignal },
): Started {
  const { fetch, clock, log } = tools;
  const { namespace, userAgent, vocabulary, close } = tools.client;
  const plain = plainClient(tools.client, fetch, clock);
  const client = createUserClient({
    fetch,
    vocabulary: vocabularyOf(vocabulary),
    namespace,
    userAgent,
    clock,
    log,
    close,
  });
  const informers = client.informers();
  const recorders = createRecorders({ client: plain, clock, log });
  const followed: { readonly synced: Promise<void> }[] = [];
  const queues = controllers.map((controller) => {
    const recorder = recorders.of(controller.name);
    const { queue, after } = startOne(controller, {
      ...tools,
      client,
      informers,
      recorder,
      address: plain.addressOf(controller.for),
    });
    followed.push(...after);
    return queue;
  });
  let closing: Promise<void> | undefined;
  return {
    queues,
    synced: Promise.all(followed.map(({ synced }) => synced)).then(() => undefined),
    close() {
      closing ??= (async () => {
        await Promise.all(queues.map((queue) => queue.close()));
        await recorders.close();
        await informers.close();
      })();
      return closing;
    },
  };
}

interface Parts extends Tools {
  readonly informers: Informers;
  readonly recorder: Recorder;
  readonly address: ResourceAddress;
  readonly signal: AbortSignal;
}

function startOne(
  controller: Controller,
  parts: Parts,
): { readonly queue: WorkQueue; readonly after: readonly { readonly synced: Promise<void> }[] } {
  const { client, informers, recorder, address, clock, log, signal } = parts;
  const { name, selection, owns = [], watches = [], sources = [], workers = 1, retry = {}, resyncMs } = controller;
  const objects = informers.of(controller.for, selection);
  const after: { readonly synced: Promise<void> }[] = [objects];
  const queue = createReconcileQueue({
    name,
    workers,
    after,
    retriesMax: retry.attempts,
    retryMs: retry.firstMs,
    retryMsMax: retry.longestMs,
    clock,
    log,
    async reconcile(key) {
      const cached = objects.get(key);
      if (cached === undefined) return;
      await controller.reconcile({
        // The cache is shared, and the caller may change what it gets.
        object: structuredClone(cached),
        client,
        informers,
        events: eventsAbout(cached, recorder),
        log: withFields(log, { controller: name, object: key }),
        signal,
        requeueAfter: (ms) => queue.addAfter(key, ms),
      });
    },
  });
  const enqueue = (target: Target) => queue.add(keyOfTarget(target, address.namespaced ? client.namespace : ""));
  const owned = owns.map((kind) =>
    watch<AnyObject>(kind, (object) => {
      const key = ownerKey(object, address);
      return key === undefined ? [] : [key];
    }),
  );
  after.push(...[...owned, ...watches].map((watched) => watched.follow(informers, enqueue)));
  const changed = (object: AnyObject, old?: AnyObject) => {
    if (controller.when?.(object, old) ?? true) queue.add(keyOf(object));
  };
  objects.on({ add: (object) => changed(object), update: changed });
  for (const source of sources) void startSource(source, { name, enqueue, signal, log });
  if (resyncMs !== undefined)
    void repeat(clock, resyncMs, signal, () => {
      for (const object of objects.list()) queue.add(keyOf(object));
    });
  return { queue, after };
}

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

function keyOfTarget(target: Target, namespace: string): string {
  if (typeof target !== "string") return keyOfRef("metadata" in target ? { name: "", ...target.metadata } : target);
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
