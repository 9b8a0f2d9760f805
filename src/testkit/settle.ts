/** Waits until nothing is left to do inside a server: no request, no work of a controller, no watcher that is behind. */

import type { QueueStats } from "../base/queue/contract.ts";
import { hasWaitingSlices } from "../base/time-slice.ts";
import { Patience } from "./patience.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** The parts of a server that can be busy. */
export interface Workplace {
  /** Resolves when everything that runs in the background has been started. */
  readonly started: Promise<void>;
  /** How many requests are in progress, watches not counted. */
  requests(): number;
  queues(): readonly QueueStats[];
  /** The resources with a watcher that takes no more events for now. */
  watchedBehind(): readonly string[];
  revision(): Promise<bigint>;
  catchUp(): Promise<void> | undefined;
}

/** How long the first work of a server is waited for, in real time: altogether, and while nothing moves. */
const restMsMax = 5_000;
const restStuckMs = 1_000;
/** What is handed on by promises and by turns of the event loop arrives within so many idle turns. */
const idleTurns = 4;
/** After so many busy turns without progress the wait is for a timer of the machine, or for another process, such as a webhook. */
const busyTurnsMax = 50;
const pauseMs = 1;
/** All waits of a process together look this often, so that hundreds of them leave the time to the servers. */
export const looksPerMsMax = 8;
/** Without progress for this long, work is taken to wait for the virtual clock itself, which therefore moves on. */
const stuckMs = 250;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Who works, in words; work that waits for a next try is not counted. */
export function workers(place: Workplace): string[] {
  const found: string[] = [];
  const requests = place.requests();
  if (requests > 0) found.push(requests === 1 ? "1 request" : `${requests} requests`);
  for (const { name, running, depth } of place.queues()) {
    for (const key of running.keys()) found.push(`controller ${name} on ${key}`);
    if (depth > 0) found.push(`controller ${name}, with ${depth} waiting`);
  }
  for (const resource of place.watchedBehind()) found.push(`a watcher of ${resource} that does not read its events`);
  return found;
}

/** Controllers that will try again, in words. */
export function retriers(place: Workplace): string[] {
  return place
    .queues()
    .flatMap(({ name, retrying }) => [...retrying].map((key) => `controller ${name}, which failed on ${key}`));
}

/** How many requests and keys are worked on or wait. */
const workOf = (place: Workplace): number =>
  place.queues().reduce((sum, { running, depth }) => sum + running.size + depth, place.requests());

/** How much there is to wait for. */
const loadOf = (place: Workplace): number => workOf(place) + place.watchedBehind().length;

/** What changes whenever something happens. */
interface Progress {
  readonly revision: bigint;
  /** Keys that were added to queues, and keys that were worked on. */
  readonly keys: number;
}

async function progressOf(place: Workplace): Promise<Progress> {
  let keys = 0;
  for (const { adds, workedSeconds } of place.queues()) keys += adds + workedSeconds.count;
  return { revision: await place.revision(), keys };
}

const noProgress: Progress = { revision: -1n, keys: -1 };
const isSame = (a: Progress, b: Progress): boolean => a.keys === b.keys && a.revision === b.revision;

/** The waits of this process that are looking now. */
const waits = new Set<symbol>();

interface QuietOptions {
  /** Default: 250 ms. */
  readonly limitMs?: number;
  readonly asleep?: number;
  /** When to give up although there is progress, by `performance.now()`. Default: never. */
  readonly endMs?: number;
}

/**
 * Resolves with true when all work is done, or with false if nothing has moved for `limitMs`. Retries are not waited for, nor is
 * as much work as `asleep`, which is known to wait for time to pass.
 */
export async function quiet(place: Workplace, options: QuietOptions = {}): Promise<boolean> {
  await place.started;
  await place.catchUp();
  const wait = Symbol("wait");
  waits.add(wait);
  try {
    return await lookUntilQuiet(place, options);
  } finally {
    waits.delete(wait);
  }
}

/** Resolves when nothing happens any more, nothing has happened for a moment, or it takes too long. */
export async function atRest(place: Workplace): Promise<void> {
  await quiet(place, { limitMs: restStuckMs, endMs: performance.now() + restMsMax });
}

async function lookUntilQuiet(place: Workplace, options: QuietOptions): Promise<boolean> {
  const { limitMs = stuckMs, asleep = 0, endMs = Number.POSITIVE_INFINITY } = options;
  let before = noProgress;
  let movedMs = performance.now();
  let idle = 0;
  for (let turns = 0; idle < idleTurns; turns++) {
    if (waits.size > looksPerMsMax) await pause(waits.size / looksPerMsMax);
    else await (turns > busyTurnsMax ? pause(pauseMs) : turn());
    const progress = await progressOf(place);
    const hasMoved = !isSame(progress, before);
    if (hasMoved) turns = 0;
    if (hasMoved || hasWaitingSlices() || workOf(place) > asleep) idle = 0;
    else idle++;
    // There are many watchers, so they are looked at last.
    if (idle === idleTurns && loadOf(place) > asleep) idle = 0;
    if (hasMoved) movedMs = performance.now();
    else if (idle === 0 && performance.now() - movedMs > limitMs) return false;
    if (performance.now() > endMs) return false;
    before = progress;
  }
  return true;
}

export interface SettleOptions {
  /** In real time, without that in which other programs had the processor. Default: 10 s. */
  readonly timeoutMs?: number;
}

const settleMsDefault = 10_000;

/**
 * Resolves when all work is done and no failed work is to be tried again. Failed work is tried again after a moment of the server's clock: a virtual
 * clock is moved that far, and no further.
 */
export async function settled(
  place: Workplace,
  clock: VirtualClock | undefined,
  { timeoutMs = settleMsDefault }: SettleOptions = {},
): Promise<void> {
  const patience = new Patience(timeoutMs);
  for (;;) {
    const left = patience.leftMs();
    if ((await quiet(place, { limitMs: Math.max(0, left) })) && retriers(place).length === 0) return;
    if (patience.leftMs() <= 0) {
      const who = [...workers(place), ...retriers(place)].join("; ");
      throw new Error(`the server did not settle within ${timeoutMs} ms; still at work: ${who || "nothing just now"}`);
    }
    if (workers(place).length > 0) continue;
    if (clock === undefined) await pause(pauseMs);
    else clock.runNext();
  }
}

/** Runs the timers of the next `ms` in order; all that those of one moment cause is done before the next moment comes. */
export async function advance(place: Workplace, clock: VirtualClock, ms: number): Promise<void> {
  const end = clock.now() + ms;
  /** Work that waits for the clock: a request with latency, for example. */
  let asleep = 0;
  const finish = async () => {
    if (await quiet(place, { asleep })) asleep = Math.min(asleep, loadOf(place));
    else asleep = loadOf(place);
  };
  await finish();
  for (;;) {
    const next = clock.next();
    if (next === undefined || next > end) break;
    clock.runMoment();
    await finish();
  }
  clock.moveTo(end);
}
