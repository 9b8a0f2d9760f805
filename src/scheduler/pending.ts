/**
 * The pods that wait for a node: the most important first, each again after a delay that grows with its failures, and all of them
 * when the cluster has changed.
 */

import { KeyedFifo } from "../base/keyed-fifo.ts";
import type { KnownPod } from "./known-pod.ts";

/** As v1.21: the first delay, and the longest. */
const backoffFirstMs = 1_000;
const backoffMaxMs = 10_000;

interface Waiting {
  known: KnownPod;
  attempts: number;
  /** It is not tried again sooner. */
  delayMsMin: number;
  state: /** It may be tried now. */
    | "ready"
    /** It was taken: what follows from the decision is not seen yet. */
    | "taken"
    /** It found no node since the cluster changed last. */
    | "unscheduled"
    /** The cluster has changed; it may be tried when its delay is over. */
    | "delayed";
}

export class PendingPods {
  readonly #pods = new Map<string, Waiting>();
  /** By priority, in the order in which they became ready, so that `take` does not look at all that wait. */
  readonly #ready = new Map<number, KeyedFifo<Waiting>>();
  readonly #unscheduled = new Map<string, Waiting>();

  /** A pod that is new, or has changed; it may be tried at once. */
  set(known: KnownPod): void {
    const attempts = this.#pods.get(known.key)?.attempts ?? 0;
    this.delete(known.key);
    const waiting: Waiting = { known, attempts, delayMsMin: 0, state: "ready" };
    this.#pods.set(known.key, waiting);
    this.#makeReady(waiting);
  }

  delete(key: string): void {
    const waiting = this.#pods.get(key);
    if (waiting === undefined) return;
    this.#pods.delete(key);
    this.#unscheduled.delete(key);
    this.#noLongerReady(waiting);
  }

  /** As it was seen last; undefined: it does not wait. */
  knownOf(key: string): KnownPod | undefined {
    return this.#pods.get(key)?.known;
  }

  /** A pod that waits was seen again, and nothing has changed that a decision depends on. */
  refresh(known: KnownPod): void {
    const waiting = this.#pods.get(known.key);
    if (waiting !== undefined) waiting.known = known;
  }

  /** The most important pod that may be tried; of equals the one that was ready first. */
  take(): KnownPod | undefined {
    if (this.#ready.size === 0) return undefined;
    const priority = Math.max(...this.#ready.keys());
    const equals = this.#ready.get(priority);
    const [, waiting] = equals?.take() ?? [];
    if (equals?.size === 0) this.#ready.delete(priority);
    if (waiting === undefined) return undefined;
    waiting.state = "taken";
    waiting.attempts++;
    return waiting.known;
  }

  /** Whether it was taken, and what was decided is awaited: it has not gone or changed since. */
  isTaken(key: string): boolean {
    return this.#pods.get(key)?.state === "taken";
  }

  /** A pod that was taken found no node; it waits at least so long before it is tried again. */
  setUnscheduled(key: string, delayMsMin = 0): void {
    const waiting = this.#pods.get(key);
    if (waiting?.state !== "taken") return;
    waiting.state = "unscheduled";
    waiting.delayMsMin = delayMsMin;
    this.#unscheduled.set(key, waiting);
  }

  /** A pod that was taken waits for something that is about to come. That is not a failure, after which it would wait longer. */
  setAwaiting(key: string): void {
    const waiting = this.#pods.get(key);
    if (waiting?.state === "taken") waiting.attempts--;
    this.setUnscheduled(key);
  }

  /** What the pod waits for has come. */
  retryAtOnce(key: string): void {
    const waiting = this.#pods.get(key);
    if (waiting?.state !== "unscheduled" && waiting?.state !== "delayed") return;
    this.#unscheduled.delete(key);
    this.#makeReady(waiting);
  }

  /** The pods that found no node are to be tried again: their keys, with the delays after which `endDelay` is due. */
  delayUnscheduled(): readonly { readonly key: string; readonly delayMs: number }[] {
    const delayed = [...this.#unscheduled].map(([key, waiting]) => {
      waiting.state = "delayed";
      const delayMs = Math.min(backoffFirstMs * 2 ** Math.max(0, waiting.attempts - 1), backoffMaxMs);
      return { key, delayMs: Math.max(delayMs, waiting.delayMsMin) };
    });
    this.#unscheduled.clear();
    return delayed;
  }

  /** The delay of a pod is over; does nothing for a pod that has none. */
  endDelay(key: string): void {
    const waiting = this.#pods.get(key);
    if (waiting?.state === "delayed") this.#makeReady(waiting);
  }

  /** A pod was taken, but what was decided failed. */
  putBack(key: string): void {
    const waiting = this.#pods.get(key);
    if (waiting?.state === "taken") this.#makeReady(waiting);
  }

  #makeReady(waiting: Waiting): void {
    const { key, priority } = waiting.known;
    waiting.state = "ready";
    const equals = this.#ready.get(priority) ?? new KeyedFifo<Waiting>();
    this.#ready.set(priority, equals);
    equals.add(key, waiting);
  }

  #noLongerReady({ known: { key, priority } }: Waiting): void {
    const equals = this.#ready.get(priority);
    if (equals?.delete(key) && equals.size === 0) this.#ready.delete(priority);
  }
}
