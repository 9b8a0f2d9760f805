/** A range from which objects allocate items: a specific one, or any that is free. */

import type { NameClaims } from "../../registry/contract/allocator.ts";
import type { NumberedRange } from "./address-range.ts";
import { searchOrder } from "./search-order.ts";

/** The object that holds an item. */
export interface Holder {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Pool {
  readonly range: Pick<NumberedRange, "text" | "canonical">;
  /** The holder as `held` and `free` name it. */
  identify(holder: Holder): string;
  /** "outside": it is not in the range; "held": it is taken. */
  take(item: string, holder: Holder): Promise<"taken" | "held" | "outside">;
  /** Undefined: nothing is free. */
  takeAny(holder: Holder): Promise<string | undefined>;
  /** A free item for a dry run, which is not taken. Absent: dry runs are shown none. */
  propose?(): Promise<string | undefined>;
  /** The result that `take` would have, without taking it. */
  ask(item: string): Promise<"taken" | "held" | "outside">;
  free(item: string, holder: string): Promise<void>;
  /** Everything that is taken. */
  held(): ReturnType<NameClaims["held"]>;
}

interface PoolOptions {
  readonly claims: NameClaims;
  /** Where the claims are stored: "services/IPv4". */
  readonly name: string;
  readonly range: NumberedRange;
  /** A whole number from 0 up to, not including, `below`. */
  readonly random: (below: number) => number;
  /** How many of the first items are only given away when no others are left. Default: none. */
  readonly reserved?: number;
}

export function createPool({ claims, name, range, random, reserved = 0 }: PoolOptions): Pool {
  // A hint that saves reads of items that are known to be taken. Items that other servers freed are found when all seem taken.
  let known: Set<string> | undefined;

  const learn = async (): Promise<Set<string>> => {
    known = new Set((await claims.held(name)).keys());
    return known;
  };

  const search = async (taken: Set<string>, holder: string): Promise<string | undefined> => {
    for (const index of searchOrder(range.size, reserved, random)) {
      const item = range.at(index);
      if (taken.has(item)) continue;
      taken.add(item); // also keeps others of this process from trying it at the same time
      if (await claims.take(name, item, holder)) return item;
    }
    return undefined;
  };

  return {
    range,
    identify: ({ uid }) => uid,
    async take(item, { uid }) {
      const canonical = range.canonical(item);
      if (canonical === undefined) return "outside";
      if (!(await claims.take(name, canonical, uid))) return "held";
      known?.add(canonical);
      return "taken";
    },
    async takeAny({ uid }) {
      return (known && (await search(known, uid))) ?? (await search(await learn(), uid));
    },
    async ask(item) {
      const canonical = range.canonical(item);
      if (canonical === undefined) return "outside";
      return (await claims.held(name)).has(canonical) ? "held" : "taken";
    },
    async free(item, holder) {
      // The range may have been different when the item was taken.
      const canonical = range.canonical(item) ?? item;
      await claims.free(name, canonical, holder);
      known?.delete(canonical);
    },
    held: () => claims.held(name),
  };
}
