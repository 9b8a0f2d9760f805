/** A memory budget: work that fits begins at once, the rest waits in line. */

export interface MemoryBudget {
  /**
   * Resolves when `size` fits, in the order of the calls; undefined: it fits now. A size larger than the whole
   * budget gets the budget to itself.
   */
  enter(size: number): Promise<void> | undefined;
  /** Gives back the size that was passed to `enter`. */
  leave(size: number): void;
}

/** The part of a budget that one piece of work holds, and can release while it waits for another service. */
export interface MemoryHold {
  /** Releases it for now. False: too much suspended work waits already, and nothing was released. */
  release(): boolean;
  /** Takes it again, in the order of the calls; undefined: it fitted at once. */
  acquire(): Promise<void> | undefined;
}

export function createMemoryBudget(sizeMax: number): MemoryBudget {
  let used = 0;
  const waiting: { readonly size: number; readonly begin: () => void }[] = [];
  const fits = (size: number) => used === 0 || used + size <= sizeMax;
  return {
    enter(size) {
      if (waiting.length === 0 && fits(size)) {
        used += size;
        return undefined;
      }
      return new Promise((resolve) => waiting.push({ size, begin: resolve }));
    },
    leave(size) {
      used -= size;
      for (let first = waiting[0]; first !== undefined && fits(first.size); first = waiting[0]) {
        waiting.shift();
        used += first.size;
        first.begin();
      }
    },
  };
}

/** A limit on the memory of work that waits for another service, in addition to the budget that other work waits for. */
export class Suspended {
  readonly #sizeMax: number;
  #size = 0;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** False: there is too much already. */
  add(size: number): boolean {
    if (this.#size > 0 && this.#size + size > this.#sizeMax) return false;
    this.#size += size;
    return true;
  }

  remove(size: number): void {
    this.#size -= size;
  }
}

/** Starts as held: the caller has already entered the budget with `size`. */
export class BudgetHold implements MemoryHold {
  readonly #budget: MemoryBudget;
  readonly #suspended: Suspended;
  readonly #size: number;
  #state: "held" | "suspended" | "ended" = "held";

  constructor(budget: MemoryBudget, suspended: Suspended, size: number) {
    this.#budget = budget;
    this.#suspended = suspended;
    this.#size = size;
  }

  release(): boolean {
    if (this.#state !== "held") return true;
    if (!this.#suspended.add(this.#size)) return false;
    this.#state = "suspended";
    this.#budget.leave(this.#size);
    return true;
  }

  acquire(): Promise<void> | undefined {
    if (this.#state !== "suspended") return undefined;
    const entered = this.#budget.enter(this.#size);
    if (entered !== undefined) return entered.then(() => this.#entered());
    this.#entered();
    return undefined;
  }

  #entered(): void {
    // The work ended while it waited in line.
    if (this.#state !== "suspended") this.#budget.leave(this.#size);
    else {
      this.#suspended.remove(this.#size);
      this.#state = "held";
    }
  }

  /** Gives everything back for good. */
  end(): void {
    if (this.#state === "held") this.#budget.leave(this.#size);
    if (this.#state === "suspended") this.#suspended.remove(this.#size);
    this.#state = "ended";
  }
}
