/** Runs controllers of a program: informers that they share, a queue for each, and if wanted only in the process that leads. */

import { hostname } from "node:os";
import {
  able,
  amount,
  anObject,
  options as checked,
  checkOptions,
  filled,
  listOf,
  type OptionShape,
  required,
  text,
} from "../../base/check-options.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { WorkQueue } from "../../base/queue/contract.ts";
import { followWork } from "../../base/queue/followed-work.ts";
import { createClient } from "../../client/client.ts";
import type { AnyObject, Fetch, Client as PlainClient } from "../../client/contract.ts";
import { createRecorders } from "../../client/events/recorder.ts";
import { keysAcross, ownKeys, workspaceOf } from "../../client/informer/keys.ts";
import { leaderProblem } from "../../client/leader/check-leader.ts";
import { acquireLeadership, type Leadership } from "../../client/leader/leader.ts";
import { whileLeading } from "../../client/leader/while-leading.ts";
import { queueMetrics } from "../../metrics/queue-readings.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createUserClient } from "../client.ts";
import type { Client, InformerOptions } from "../contract.ts";
import { inWorkspaceIn, inWorkspaceOf } from "../in-workspace.ts";
import { warningLog } from "../log.ts";
import { tracingIn, tracingOf } from "../tracing.ts";
import type { Controller } from "./controller.ts";
import { type ListenAt, type ListeningPorts, listenAt, openListeners, type WantedListeners } from "./listeners.ts";
import { createReconcileResults, type ReconcileResults } from "./results.ts";
import { startController } from "./start-controller.ts";

/**
 * Which controllers run, and how.
 * @example
 * const options: RunOptions = { client, controllers: [copies], leaderElection: { name: "copies" } };
 */
export interface RunOptions extends WantedListeners {
  readonly client: Client;
  readonly controllers: readonly Controller[];
  /** Absent: this process works at once, and must be the only one. */
  readonly leaderElection?: LeaderElection;
  /** After how much silence a connection of an informer counts as broken. Default: 120 s. */
  readonly stalledAfterMs?: number;
  /**
   * Only objects of this namespace are read, where kinds have namespaces and a selection names none: for programs that have rights in
   * one namespace. Default: all namespaces.
   */
  readonly namespace?: string;
  /** `console` is one. Default: warnings and errors go to standard error. */
  readonly log?: Log;
  /** Closes them when it aborts, as `close` does. */
  readonly signal?: AbortSignal;
  /** Default: that of the client. */
  readonly clock?: Clock;
}

/**
 * One of several processes works; the others wait until it ends or does not renew its Lease.
 * @example
 * const leaderElection: LeaderElection = { name: "copies", leaseDurationMs: 15_000 };
 */
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

/**
 * `await using running = runControllers(…)` closes them at the end of the block.
 * @example
 * const running: RunningControllers = runControllers({ client, controllers });
 * await running.ready;
 */
export interface RunningControllers extends AsyncDisposable {
  /** Resolves when this process leads and its copies are complete: work has begun. */
  readonly ready: Promise<void>;
  /**
   * Rejects when the lease is lost, or the server refuses what a controller wants to read; the process should end then. Resolves when `close` is
   * done.
   */
  readonly ended: Promise<void>;
  /** Whether work may be done: nothing was lost. For a health check. */
  isHealthy(): boolean;
  /** The metrics of the controllers and their queues, in the text format of Prometheus. */
  metrics(): string;
  /** Resolves with the ports of `health`, `metrics` and `webhooks` when all of them are open. */
  readonly listening: Promise<ListeningPorts>;
  /** Starts no further work, waits for what is in progress, writes waiting Events, releases the lease, ends what listens. */
  close(): Promise<void>;
}

/**
 * Throws a TypeError if two processes with these options could lead at once.
 * @example
 * const running = runControllers({ client: await connect(), controllers: [copies], leaderElection: { name: "copies" } });
 * await running.ended;
 */
export function runControllers(options: RunOptions): RunningControllers {
  checkOptions("runControllers", options, shape);
  const names = options.controllers.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new TypeError(`runControllers: two controllers are called "${twice}"; give one of them another name`);
  const { client, controllers, leaderElection, log = warningLog, clock = options.client.clock } = options;
  const election = leaderElection && leaderOptions(leaderElection, { client, clock, log });
  const problem = election && leaderProblem(election);
  if (problem !== undefined) throw new TypeError(`leaderElection: ${problem}`);
  const results = createReconcileResults();
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
    if (election !== undefined) {
      leadership = await acquireLeadership(election, signal);
      leadership.signal.addEventListener("abort", () => void lose(leadership?.signal.reason));
    }
    const isHeld = leadership?.isHeld;
    const guard = (fetch: Fetch) => (isHeld === undefined ? fetch : whileLeading(fetch, isHeld));
    started = start(controllers, { client, guard, clock, log, signal, results, following: options });
    return started;
  };
  const lose = async (reason: unknown) => {
    stopping.abort(reason);
    await started?.close();
    await listeners.then((open) => open.close()).catch(() => undefined);
    unfollow?.();
    fail(reason);
  };
  // Controllers outlive what is under way here.
  const begun = tracingIn(client)?.apart(begin) ?? begin();
  const ready = begun.then(({ synced }) => synced);
  const unfollow = client[followWork]?.(() => started?.queues.map(({ stats }) => stats) ?? []);
  const close = async () => {
    stopping.abort(new Error("the controllers are stopped"));
    await begun.catch(() => undefined);
    await started?.close();
    await leadership?.release();
    await listeners.then((open) => open.close()).catch(() => undefined);
    unfollow?.();
    end();
  };
  // Callers may wait for these or not: without these lines an unobserved rejection would end the process.
  begun.catch((error: unknown) => {
    if (!signal.aborted) fail(error);
  });
  ready.catch((error: unknown) => {
    if (!signal.aborted) void lose(error);
  });
  ended.catch(() => undefined);

  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  if (options.signal?.aborted) void closeOnce();
  options.signal?.addEventListener("abort", () => void closeOnce(), { once: true });
  const metrics = queueMetrics(
    () => started?.queues.map(({ stats }) => stats) ?? [],
    () => clock.monotonic(),
  );
  const state = {
    ready,
    isHealthy: () => !signal.aborted && (leadership === undefined || leadership.isHeld()),
    metrics: () => [...metrics, results.metric].map((metric) => metric.text()).join(""),
  };
  const listeners = openListeners(options, state);
  const listening = listeners.then(({ ports }) => ports);
  listening.catch((error: unknown) => {
    if (!signal.aborted) void lose(error);
  });
  return { ...state, ended, listening, close: closeOnce, [Symbol.asyncDispose]: closeOnce };
}

const shape: OptionShape<RunOptions> = {
  client: required(able("of", "informers")),
  controllers: required(listOf(able("reconcile"))),
  leaderElection: checked<LeaderElection>({
    name: required(text),
    namespace: filled,
    identity: text,
    leaseDurationMs: amount(1),
    renewDeadlineMs: amount(1),
    retryPeriodMs: amount(1),
  }),
  stalledAfterMs: amount(1),
  health: checked<ListenAt>(listenAt),
  metrics: checked<ListenAt>(listenAt),
  webhooks: anObject,
  namespace: text,
  log: able("warn", "error"),
  signal: anObject,
  clock: able("now", "monotonic", "after"),
};

interface Tools {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

function leaderOptions(election: LeaderElection, { client, clock, log }: Tools) {
  const { name, namespace = client.namespace, identity = `${hostname()}_${crypto.randomUUID()}` } = election;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = election;
  const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  return {
    client: plainClient(client, inWorkspaceIn(client)?.("root") ?? client.fetch, clock),
    clock,
    log,
    identity,
    lease: { namespace, name },
    ...times,
    random: Math.random,
  };
}

function plainClient({ vocabulary, userAgent, requestTimeoutMs }: Client, fetch: Fetch, clock: Clock): PlainClient {
  return createClient({ fetch, vocabulary: vocabularyOf(vocabulary), clock, userAgent, requestTimeoutMs, codec: JSON });
}

interface Started {
  readonly queues: readonly WorkQueue[];
  readonly synced: Promise<void>;
  close(): Promise<void>;
}

interface StartTools extends Tools {
  /** What it returns writes no longer than this process may. */
  guard(fetch: Fetch): Fetch;
  readonly signal: AbortSignal;
  readonly results: ReconcileResults;
  readonly following: InformerOptions;
}

function start(controllers: readonly Controller[], tools: StartTools): Started {
  const { guard, clock, log } = tools;
  const { namespace, userAgent, vocabulary, upgrade, requestTimeoutMs, close } = tools.client;
  const fetch = guard(tools.client.fetch);
  const inWorkspace = inWorkspaceIn(tools.client);
  const plain = plainClient(tools.client, fetch, clock);
  const clientWith = (own: Fetch, across?: object) =>
    createUserClient({
      fetch: own,
      upgrade,
      vocabulary: vocabularyOf(vocabulary),
      namespace,
      userAgent,
      clock,
      log,
      requestTimeoutMs,
      close,
      [tracingOf]: tools.client[tracingOf],
      [inWorkspaceOf]: across,
    });
  const client = clientWith(fetch, inWorkspace);
  const fetchAt = (object: AnyObject) => (inWorkspace === undefined ? fetch : guard(inWorkspace(workspaceOf(object))));
  const { stalledAfterMs, namespace: only } = tools.following;
  const informers = client.informers({ stalledAfterMs, namespace: only });
  const recorders = createRecorders({ client: plain, clock, log });
  const followed: { readonly synced: Promise<void> }[] = [];
  const queues = controllers.map((controller) => {
    const recorder = recorders.of(controller.name);
    const recorderAt = (object: AnyObject) =>
      inWorkspace === undefined
        ? recorder
        : recorders.of(controller.name, plainClient(tools.client, fetchAt(object), clock));
    const { queue, after } = startController(controller, {
      ...tools,
      client,
      clientWith,
      fetchAt,
      keys: inWorkspace === undefined ? ownKeys : keysAcross,
      informers,
      recorderAt,
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
