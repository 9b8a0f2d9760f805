/** When the steps of each pod began: exactly if this agent took them, otherwise by the seconds that its status shows. */

import { timeText } from "../../machinery/values/time.ts";

/**
 * The exact times of one pod: "pod" of its start, "ready" of its last change of readiness, "run NAME" and "end NAME" of a container; and
 * "calm NAME", the number of its restarts from which on the delays grow.
 */
export type StepTimes = ReadonlyMap<string, number>;
/** Those that a step reads. */
export type KnownTimes = Pick<StepTimes, "get">;

export class ExactTimes {
  readonly #known = new Map<string, Map<string, number>>();

  of(uid: string): StepTimes {
    return this.#known.get(uid) ?? none;
  }

  record(uid: string, times: StepTimes): void {
    if (times.size === 0) return;
    const known = this.#known.get(uid);
    if (known === undefined) this.#known.set(uid, new Map(times));
    else for (const [step, ms] of times) known.set(step, ms);
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }
}

const none: StepTimes = new Map();

/** The time that `text` shows; `otherwise` if it shows none. */
export function exactTime(times: KnownTimes, step: string, text: string | null | undefined, otherwise: number): number {
  const exact = times.get(step);
  if (exact !== undefined && timeText(exact) === text) return exact;
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? otherwise : ms;
}
