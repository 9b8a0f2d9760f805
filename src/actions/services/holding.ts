/** What one write allocates for its object, so that it can be released when the write fails. */

import type { Holder, Pool } from "./pool.ts";

export class Holding {
  readonly #holder: Holder;
  readonly #taken: { readonly pool: Pool; readonly item: string }[] = [];

  constructor(holder: Holder) {
    this.#holder = holder;
  }

  async take(pool: Pool, item: string): Promise<"taken" | "held" | "outside"> {
    const answer = await pool.take(item, this.#holder);
    if (answer === "taken") this.#taken.push({ pool, item });
    return answer;
  }

  async takeAny(pool: Pool): Promise<string | undefined> {
    const item = await pool.takeAny(this.#holder);
    if (item !== undefined) this.#taken.push({ pool, item });
    return item;
  }

  /** What the object had before this write is not released, since the object still has it. */
  async giveBack(): Promise<void> {
    await Promise.all(this.#taken.map(({ pool, item }) => pool.free(item, pool.identify(this.#holder))));
    this.#taken.length = 0;
  }
}

/** A dry run allocates nothing; it gets made-up values, as in v1.21. */
export class DryHolding extends Holding {
  readonly #asked = new Set<string>();

  /** Checks whether the range contains it only where the pool has proposals, as later releases do. */
  override async take(pool: Pool, item: string): Promise<"taken" | "held" | "outside"> {
    const answer = await pool.ask(item);
    if (this.#asked.has(item) || answer === "held") return "held";
    if (answer === "outside" && pool.propose !== undefined) return answer;
    this.#asked.add(item);
    return "taken";
  }

  /** What the pool proposes; or else the next after the requested ones, or otherwise one above the usual node ports. */
  override takeAny(pool: Pool): Promise<string | undefined> {
    if (pool.propose !== undefined) return pool.propose();
    const next = String(Math.max(...(this.#asked.size > 0 ? [...this.#asked].map(Number) : [madeUpAfter])) + 1);
    this.#asked.add(next);
    return Promise.resolve(next);
  }
}

const madeUpAfter = 32_768;
