/** The nodes that renew their leases together, and how long the next ones wait after them. */

/**
 * Where a machine has little time left, renewals would take more of it the less there is: they are due by the clock, whatever else is done
 * meanwhile. So after a turn the nodes rest for this many times as long as it took beyond its time. The monitor of nodes knows that they wait.
 */
const restPerTurn = 4;

export class RenewalTurn {
  /** The next turn does not begin before. */
  restsUntilMs = 0;
  #left = new Set<string>();
  #beganMs = 0;
  readonly #usualMs: number;

  /** `usualMs`: the time until the next turn. */
  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  begin(names: readonly string[], nowMs: number): void {
    this.#left = new Set(names);
    this.#beganMs = nowMs;
  }

  /** The node has renewed its lease; does nothing for one that is not of this turn. */
  ends(name: string, nowMs: number): void {
    if (!this.#left.delete(name) || this.#left.size > 0) return;
    this.restsUntilMs = nowMs + Math.max(0, nowMs - this.#beganMs - this.#usualMs) * restPerTurn;
  }
}
