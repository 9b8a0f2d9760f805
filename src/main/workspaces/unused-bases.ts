/** Removes what new workspaces no longer begin with: choices of types that have changed or are gone, and bases without a workspace. */

import type { Clock } from "../../base/clock.ts";
import { type Kv, RevisionConflict } from "../../kv/contract.ts";
import { baseIds, choices, removeBase, removeChoice } from "./bases.ts";

interface UnusedBasesOptions {
  readonly kv: Kv;
  readonly clock: Clock;
  /** How long a choice or a base is unused before it is removed: another server may be about to use it. */
  readonly unusedMs: number;
  /** The choices that the types of now lead to. */
  current(): ReadonlySet<string>;
  /** The bases that workspaces have begun with. */
  used(): ReadonlySet<string>;
  /** Called before a base is removed: nothing of it may stay in memory. */
  forget(id: string): Promise<void>;
}

/*
 * A type changes          its choice is unused: after `unusedMs` it is removed, and its base is chosen no more
 * its last workspace goes its base is unused: after `unusedMs` it is removed
 */
export class UnusedBases {
  readonly #options: UnusedBasesOptions;
  /** Since when what is unused has been seen to be so, on the monotonic clock. */
  readonly #since = new Map<string, number>();

  constructor(options: UnusedBasesOptions) {
    this.#options = options;
  }

  /** Resolves with when to look again, in milliseconds. Undefined: nothing is unused. */
  async remove(): Promise<number | undefined> {
    const { kv, used, current, forget } = this.#options;
    const chosen = new Set<string>();
    const unused = new Map<string, () => Promise<void>>();
    const isCurrent = current();
    for (const choice of await choices(kv)) {
      chosen.add(choice.base);
      if (!isCurrent.has(choice.type)) unused.set(`choice ${choice.type}`, () => removeChoice(kv, choice));
    }
    const isUsed = used();
    for (const id of await baseIds(kv)) {
      if (chosen.has(id) || isUsed.has(id)) continue;
      unused.set(`base ${id}`, async () => {
        await forget(id);
        await removeBase(kv, id);
      });
    }
    for (const name of this.#since.keys()) if (!unused.has(name)) this.#since.delete(name);
    let lookMs: number | undefined;
    let hasRemoved = false;
    for (const [name, take] of unused) {
      const leftMs = this.#leftMs(name);
      if (leftMs > 0) {
        lookMs = Math.min(lookMs ?? leftMs, leftMs);
        continue;
      }
      this.#since.delete(name);
      hasRemoved = true;
      await take().catch((error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error; // another server was faster
      });
    }
    // The base of a choice that was removed is unused from now on.
    return hasRemoved ? this.remove() : lookMs;
  }

  #leftMs(name: string): number {
    const now = this.#options.clock.monotonic();
    const since = this.#since.get(name) ?? now;
    this.#since.set(name, since);
    return since + this.#options.unusedMs - now;
  }
}
