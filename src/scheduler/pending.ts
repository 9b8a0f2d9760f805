/**
 * The pods that wait for a node: the most important first, each again after a delay that grows with its failures, and all of them
 * when the cluster has changed.
 */

import type { Pod } from "../api/core/v1/pod.ts";
import type { KnownPod } from "./cluster.ts";

/** As v1.21: the first delay, and the longest. */
const backoffFirstMs = 1_000;
const backoffMaxMs = 10_000;

interface Waiting {
  known: KnownPod;
  attempts: number;
  /** Whether it may be tried now; otherwise it found no node since the cluster changed last. */
  isReady: boolean;
}

export class PendingPods {
  readonly #pods = new Map<string, Waiting>();

  /** A pod that is new, or has changed; it may be tried at once. */
  set(known: KnownPod): void {
    const before = this.#pods.get(known.key);
    this.#pods.set(known.key, { known, attempts: before?.attempts ?? 0, isReady: true });
  }

  delete(key: string): void {
    this.#pods.delete(key);
  }

  has(key: string): boolean {
    return this.#pods.has(key);
  }

  specOf(key: string): Pod["spec"] {
    return this.#pods.get(key)?.known.pod.spec;
  }

  /** The most important pod that may be tried; it is ready again only after `retry`. Of equals the oldest. */
  take(): KnownPod | undefined {
    let first: Waiting | undefined;
    for (const waiting of this.#pods.values())
      if (waiting.isReady && (first === undefined || waiting.known.priority > first.known.priority)) first = waiting;
    if (first === undefined) return undefined;
    first.isReady = false;
    first.attempts++;
    return first.known;
  }

  /** The pods that found no node, with the delays after which they may be tried again. */
  *unscheduled(): Iterable<{ readonly key: string; readonly delayMs: number }> {
    for (const [key, { attempts, isReady }] of this.#pods)
      if (!isReady && attempts > 0)
        yield { key, delayMs: Math.min(backoffFirstMs * 2 ** (attempts - 1), backoffMaxMs) };
  }

  retry(key: string): void {
    const waiting = this.#pods.get(key);
    if (waiting !== undefined) waiting.isReady = true;
  }
}
