/** The contract of a controller: a loop that follows some resources and reconciles objects. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { WorkQueue } from "../base/queue/contract.ts";
import type { Span } from "../base/release.ts";
import type { Client } from "../client/contract.ts";
import type { Recorder } from "../client/events/contract.ts";
import type { Informers } from "../client/informer/contract.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import type { FeatureGates } from "../machinery/schema/gates.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { ControllerFeature } from "./features.ts";
import type { HostedAgents } from "./hosted-agents.ts";
import type { Plan, PodWriter } from "./plan.ts";
import type { Settings } from "./settings.ts";

/** As a Span: the levels that have it. A controller that the level does not have is not started. */
export interface Controller extends Span {
  /** As --controllers names it: "replicaset". `names.ts` has further names. */
  readonly name: string;
  /** Runs only where it is named, not by "*". Default: false. */
  readonly offByDefault?: boolean;
  /** The account of its requests with --use-service-account-credentials: "replicaset-controller". Absent: the manager's own. */
  readonly account?: string;
  /** Must not block: work begins when the caches that it names are filled. Undefined: there is nothing to do. */
  start(context: ControllerContext): Running | undefined;
}

export interface Running {
  /** Starts no further work; resolves when the work in progress has ended. */
  close(): Promise<void>;
}

/** The environment of a controller: the only source of its clock, names and randomness. */
export interface ControllerContext {
  readonly client: Client;
  /** Shared by all controllers of the process: their objects must not be changed. */
  readonly informers: Informers;
  /** A recorder of events as `component`: "replicaset-controller". */
  recorder(component: string): Recorder;
  readonly vocabulary: Vocabulary;
  readonly gates: FeatureGates;
  /** Whether controllers do this at the level of the server. */
  has(feature: ControllerFeature): boolean;
  /** The environment that declarations use. */
  readonly environment: Environment;
  readonly settings: Settings;
  /** The agents of simulated nodes that run beside the controllers. */
  readonly agents: HostedAgents;
  readonly clock: Clock;
  readonly log: Log;
  /** A whole number from 0 up to, not including, `below`. */
  readonly random: (below: number) => number;
  /** A queue whose keys are worked on by `sync`. It is closed with the controller. */
  queue(options: SyncOptions): WorkQueue;
  /**
   * Calls back every `ms` until the controller is closed, never twice at once, and carries out the plans that it returns, one after
   * the other. A failure is logged, and the next round tries again. `component`: as for a queue.
   */
  every(ms: number, work: () => Plans | Promise<Plans>, component?: string): void;
}

export interface SyncOptions {
  /** For metrics and logs. Default: the controller's name. */
  readonly name?: string;
  readonly workers: number;
  /** How many keys are worked on at once where each takes long, because it waits for the server. Default: as many. */
  readonly workersWhenSlow?: number;
  /** Informers whose copies must be complete before the first key is worked on. */
  readonly after?: readonly { readonly synced: Promise<void> }[];
  /** The component that the Events of plans name as their source. Absent: the plans have none. */
  readonly component?: string;
  /** Creates and deletes the pods of plans. Absent: the plans have none. */
  readonly pods?: PodWriter;
  /**
   * What to do about the object of the key; undefined: nothing. If this or the plan fails, it is called again with growing delays,
   * and other keys do not wait. `cause`: what a write that is not in the plan says that it was made for; absent: that is known without it.
   */
  sync(key: string, cause?: string): ReconcileOutcome | Promise<ReconcileOutcome>;
  /**
   * How many objects a sync of the key looks at. After a large one the key rests for a moment, so that the next one gathers what has
   * changed meanwhile: a hundred pods that become ready are not a hundred passes over all pods. Default: few.
   */
  sizeOf?(key: string): number;
  /** After this many failures in a row the key is dropped until it is added again. Default: never. */
  readonly retriesMax?: number;
  /**
   * Whether it writes by its plans alone, or passes the cause of a sync on. What a write is for is then said with it, and not followed
   * through all promises of the process. Default: false.
   */
  readonly onlyPlans?: boolean;
  /** Whether keys that were added for later are about all objects, again and again, and no reason to start the controllers for. Default: false. */
  readonly isRound?: boolean;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a controller that has nothing to plan returns nothing
export type ReconcileOutcome = Plan | undefined | void;
// biome-ignore lint/suspicious/noConfusingVoidType: the same
type Plans = readonly Plan[] | void;
