/**
 * When workspaces have work to do although nobody uses them: kept in the store, so that whichever server runs their controllers opens them
 * then, also after a crash. A workspace whose controllers run is due at once.
 */

import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Kv, type KvChange, KvError, RevisionConflict } from "../../kv/contract.ts";

const wakePrefix = "workspace-wakes/";
/** How long to wait before the store is asked again after a failure. */
const retryMs = 1_000;
/** The maximum delay of Node's timers. */
const timerMsMax = 2 ** 31 - 1;

interface WakesOptions {
  readonly kv: Kv;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether other servers have the same store. */
  readonly isShared: boolean;
  /** The time of the workspace with this uid has come. Called once, until it is set again. */
  onDue(uid: string): void;
  /** Another server no longer waits for this workspace, or until later. */
  onLater(uid: string): void;
}

interface Wake {
  /** On the wall clock. */
  readonly atMs: number;
  readonly revision: bigint;
  isTold: boolean;
}

export class Wakes {
  readonly #options: WakesOptions;
  readonly #wakes = new Map<string, Wake>();
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;
  #leads = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: WakesOptions) {
    this.#options = options;
    this.#following = this.#follow();
  }

  /** Whether the workspace is due now or soon: within `ms`. */
  isDue(uid: string, ms = 0): boolean {
    const wake = this.#wakes.get(uid);
    return wake !== undefined && wake.atMs <= this.#options.clock.now() + ms;
  }

  /** While this server leads, it is told which are due. */
  lead(leads: boolean): void {
    this.#leads = leads;
    for (const wake of this.#wakes.values()) wake.isTold = false;
    this.#schedule();
  }

  /** It may be told again. */
  again(uid: string): void {
    const wake = this.#wakes.get(uid);
    if (wake !== undefined) wake.isTold = false;
    this.#schedule();
  }

  /** `atMs`: on the wall clock; undefined: never. `isTold`: this server acts already. */
  async set(uid: string, atMs: number | undefined, isTold = false): Promise<void> {
    const { kv } = this.#options;
    const known = this.#wakes.get(uid);
    if (known === undefined && atMs === undefined) return;
    const key = wakePrefix + uid;
    for (;;) {
      try {
        const found = await kv.get(key);
        if (atMs === undefined) {
          if (found !== undefined) await kv.delete(key, found.revision);
          this.#wakes.delete(uid);
        } else {
          const revision = await kv.put(key, Buffer.from(String(Math.round(atMs))), found?.revision ?? 0n);
          this.#wakes.set(uid, { atMs, revision, isTold });
        }
        return this.#schedule();
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error; // otherwise another server was faster, and the later one counts
      }
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer?.();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { kv, clock, log, isShared } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { entries, revision } = await kv.range(wakePrefix);
        if (signal.aborted) return;
        const found = new Set(entries.map(({ key }) => key));
        const gone = [...this.#wakes.keys()].map((uid) => wakePrefix + uid).filter((key) => !found.has(key));
        this.#take([...entries, ...gone.map((key) => ({ key, revision }))]);
        if (!isShared) return;
        for await (const { changes } of kv.watch(wakePrefix, revision, signal)) this.#take(changes);
      } catch (error) {
        if (signal.aborted || (error instanceof KvError && error.code === "closed")) return;
        log.warn("the times at which workspaces have work to do could not be read", { error });
      }
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
  }

  #take(changes: readonly KvChange[]): void {
    for (const { key, value, revision } of changes) {
      const uid = key.slice(wakePrefix.length);
      const known = this.#wakes.get(uid);
      if (known !== undefined && known.revision >= revision) continue;
      const atMs = value === undefined ? Number.NaN : Number(Buffer.from(value).toString());
      if (Number.isNaN(atMs)) this.#wakes.delete(uid);
      else this.#wakes.set(uid, { atMs, revision, isTold: false });
      if (!this.isDue(uid)) this.#options.onLater(uid);
    }
    this.#schedule();
  }

  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (!this.#leads || this.#stop.signal.aborted) return;
    const { clock, onDue } = this.#options;
    const now = clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [uid, wake] of this.#wakes) {
      if (wake.isTold) continue;
      if (wake.atMs > now) nextMs = Math.min(nextMs, wake.atMs);
      else {
        wake.isTold = true;
        onDue(uid);
      }
    }
    if (nextMs < Number.POSITIVE_INFINITY)
      this.#cancelTimer = clock.after(Math.min(nextMs - now, timerMsMax), () => this.#schedule());
  }
}
