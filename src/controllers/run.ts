/** Runs controllers: creates the context of each, and stops them in order. */

import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { QueueStats, WorkQueue } from "../base/queue/contract.ts";
import { existsIn } from "../base/release.ts";
import type { AnyObject, Client, Ref, ResourceAddress } from "../client/contract.ts";
import type { Recorder } from "../client/events/contract.ts";
import { createRecorders } from "../client/events/recorder.ts";
import { createInformers } from "../client/informer/informers.ts";
import { keyOfRef } from "../client/informer/keys.ts";
import { createReconcileQueue } from "../client/reconcile/reconcile-queue.ts";
import { hasReason, isNamespaceTerminating } from "../client/requests/send.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { bindFeatures } from "../machinery/schema/features.ts";
import { carryOut } from "./carry-out.ts";
import { causeOf, whileReconciling } from "./causes.ts";
import type { Controller, ControllerContext, Running, SyncOptions } from "./contract.ts";
import { features } from "./features.ts";
import { HostedAgents } from "./hosted-agents.ts";
import { SyncTimes } from "./rest.ts";
import type { Settings } from "./settings.ts";
import { logsWrites, withWriteLog } from "./write-log.ts";

interface RunOptions {
  readonly controllers: readonly Controller[];
  /** The client of one controller; all may share one. */
  clientOf(controller: Controller): Client;
  /** Whose reads fill the caches, and who writes events. */
  readonly client: Client;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: (below: number) => number;
  /** See StoreInformer: tests freeze what is shared. */
  readonly prepare?: <T extends AnyObject>(object: T) => T;
  /** See createInformers; for clients that reach the server by requests. */
  readonly listsByWatch?: boolean;
  /** Whether the clients send with each write what it was for: see withCauses. */
  readonly sendsCauses?: boolean;
}

export interface RunningControllers extends Running {
  readonly stats: readonly QueueStats[];
  /** In how many milliseconds the first object is due that waits for a time. Undefined: none does. */
  dueInMs(): number | undefined;
}

export function runControllers(options: RunOptions): RunningControllers {
  const { client, clock, log, prepare, listsByWatch, sendsCauses = false } = options;
  const random = () => options.random(2 ** 30) / 2 ** 30;
  const informers = createInformers({ client, clock, log, random, listsByWatch, ...(prepare ? { prepare } : {}) });
  const recorders = createRecorders({ client, clock, log });
  const running: Running[] = [];
  const stats: QueueStats[] = [];
  const timed: WorkQueue[] = [];
  const known = (address: ResourceAddress, ref: Ref) => informers.peek(address, keyOfRef(ref));

  const { level } = options.environment;
  const has = bindFeatures(level, features);
  const agents = new HostedAgents();

  for (const controller of options.controllers.filter((each) => existsIn(level, each))) {
    const name = controller.name;
    const own: Running[] = [];
    const plain = options.clientOf(controller);
    const ownClient = logsWrites(log) ? withWriteLog(plain, { controller: name, log, known }) : plain;
    const context: ControllerContext = {
      client: ownClient,
      informers,
      recorder: (component) => recorders.of(component),
      vocabulary: client.vocabulary,
      gates: options.environment.gates,
      has: (feature) => has[feature],
      environment: options.environment,
      settings: options.settings,
      agents,
      clock,
      log,
      random: options.random,
      queue(sync) {
        const recorder = recorders.of(sync.component ?? name);
        const queue = createSyncQueue({ name, ...sync }, { client: ownClient, recorder, clock, log, sendsCauses });
        own.push(queue);
        stats.push(queue.stats);
        if (sync.isRound !== true) timed.push(queue);
        return queue;
      },
      every(ms, work, component = name) {
        const tools = { client: ownClient, recorder: recorders.of(component), clock, log };
        own.push(startRounds({ name, ms, work }, tools));
      },
    };
    // A controller that cannot start must not prevent the others from starting.
    try {
      const started = controller.start(context);
      if (started !== undefined) own.push(started);
    } catch (error) {
      log.error("a controller did not start", { name, error });
    }
    running.push(...own);
  }

  return {
    stats,
    dueInMs() {
      const due = timed.map((queue) => queue.dueInMs).filter((ms) => ms !== undefined);
      return due.length === 0 ? undefined : Math.min(...due);
    },
    async close() {
      // Requests in flight end with the work; from then on events of informers and recorders are dropped.
      await Promise.all(running.map((each) => each.close()));
      await recorders.close();
      await informers.close();
    },
  };
}

interface SyncTools {
  readonly sendsCauses: boolean;
  readonly client: Client;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Log;
}

interface Rounds {
  readonly name: string;
  readonly ms: number;
  readonly work: Parameters<ControllerContext["every"]>[1];
}

/** Periodic work: each round returns plans, which are carried out one after the other. */
function startRounds(
  { name, ms, work }: Rounds,
  { client, recorder, clock, log }: Omit<SyncTools, "sendsCauses">,
): Running {
  const failed = (error: unknown) => {
    // Another writer was faster, or a namespace is being deleted: the next round sees that.
    const level = hasReason(error, "Conflict") || isNamespaceTerminating(error) ? "debug" : "warn";
    log[level]("the periodic work of a controller failed", { name, error });
  };
  const round = async () => {
    for (const plan of (await work()) ?? [])
      await carryOut(plan, { key: "", client, recorder, queue: noQueue }).catch(failed);
  };
  return repeat(ms, round, clock, failed);
}

function createSyncQueue(options: SyncOptions & { readonly name: string }, tools: SyncTools): WorkQueue {
  const { name, workers, workersWhenSlow, after, pods, retriesMax, sizeOf } = options;
  const { client, recorder, clock, log, sendsCauses } = tools;
  // Plans say what their writes are for; the log of writes asks for all others as well.
  const saysCauses = sendsCauses && options.onlyPlans === true && !logsWrites(log);
  const followsCauses = !saysCauses && (sendsCauses || logsWrites(log));
  const times = new SyncTimes(clock === systemClock);
  return createReconcileQueue({
    name,
    workers,
    workersWhenSlow,
    after,
    retriesMax,
    restMs: sizeOf && ((key) => times.restMs(key, () => sizeOf(key))),
    clock,
    log,
    async reconcile(key, queue) {
      const cause = saysCauses ? causeOf({ controller: name, key }) : undefined;
      const sync = async () => {
        const beganMs = performance.now();
        const plan = await options.sync(key, cause);
        if (plan) await carryOut(plan, { key, client, recorder, queue, pods, cause });
        // The creation of hundreds of pods takes long on any machine.
        if (sizeOf !== undefined && plan?.pods === undefined) times.note(key, performance.now() - beganMs);
      };
      const syncQuietly = async () => {
        try {
          await sync();
        } catch (error) {
          if (!isNamespaceTerminating(error)) throw error;
          // Nothing can be created there any more, and its objects are about to go: another try would be refused as well.
          log.debug("the namespace of an object is being deleted", { controller: name, object: key });
        }
      };
      await (followsCauses ? whileReconciling({ controller: name, key }, syncQuietly) : syncQuietly());
    },
  });
}

/** Periodic work comes again by itself. */
const noQueue: Pick<WorkQueue, "addAfter"> = { addAfter: () => {} };

function repeat(ms: number, work: () => Promise<void>, clock: Clock, failed: (error: unknown) => void): Running {
  let closed = false;
  let cancel = () => {};
  let working: Promise<void> = Promise.resolve();
  const round = async () => {
    try {
      await work();
    } catch (error) {
      if (!closed) failed(error);
    }
    if (!closed) schedule();
  };
  const schedule = () => {
    cancel = clock.after(ms, () => {
      working = round();
    });
  };
  schedule();
  return {
    async close() {
      closed = true;
      cancel();
      await working;
    },
  };
}
