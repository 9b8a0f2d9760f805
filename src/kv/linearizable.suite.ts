/** Checks whether a history of concurrent compare-and-swap operations on one key could have happened one after another. */

/** One finished operation. `start` and `end` are positions in real time; a greater one is later. */
export type Operation = { readonly start: number; readonly end: number } & (
  | { readonly kind: "read"; readonly saw: bigint }
  | { readonly kind: "write"; readonly expected: bigint; readonly wrote: bigint }
  | { readonly kind: "delete"; readonly expected: bigint }
  | { readonly kind: "refused"; readonly expected: bigint }
  /** A write whose outcome its caller never learned: it took effect at any later time, or never. */
  | { readonly kind: "unknown"; readonly expected: bigint; readonly remove: boolean }
);

/**
 * The search of Wing and Gong: pick any operation that began before every other pending one ended, apply it to the model,
 * go on with the rest; remember the (done, state) pairs that led nowhere. The state is the key's revision (0n: absent).
 * A write of unknown outcome is only picked to take effect, and of those that would have the same effect the one that began first:
 * otherwise each of them would double the search.
 *
 *     A: write 0 -> 7   |-----|
 *     B: read 7            |----|      fine: A then B
 *     C: read 0                  |--|  not linearizable: it began after B had seen 7
 */
export function isLinearizable(history: readonly Operation[], initial = 0n): boolean {
  const operations = [...history].sort((a, b) => a.start - b.start);
  const dead = new Set<string>();
  const done = new Uint8Array(operations.length);

  /** `left`: how many operations of known outcome are still to be picked. */
  const search = (state: bigint, left: number): boolean => {
    if (left === 0) return true;
    const position = `${state}:${done.join("")}`;
    if (dead.has(position)) return false;
    let firstEnd = Number.POSITIVE_INFINITY;
    operations.forEach((operation, index) => {
      if (done[index] === 0 && operation.kind !== "unknown") firstEnd = Math.min(firstEnd, operation.end);
    });
    const tried = new Set<boolean>();
    for (const [index, operation] of operations.entries()) {
      if (operation.start > firstEnd) break;
      if (done[index] === 1) continue;
      const isUnknown = operation.kind === "unknown";
      if (isUnknown && (operation.expected !== state || tried.has(operation.remove))) continue;
      if (isUnknown) tried.add(operation.remove);
      for (const next of apply(state, operation, operations)) {
        done[index] = 1;
        const found = search(next, isUnknown ? left : left - 1);
        done[index] = 0;
        if (found) return true;
      }
    }
    dead.add(position);
    return false;
  };
  return search(initial, operations.filter(({ kind }) => kind !== "unknown").length);
}

/** The revision of a write that no client saw: later operations can be refused because of it, and cannot build upon it. */
const unseen = -1n;

/** The states in which the operation may leave the key; none: it cannot have happened in this state. */
function apply(state: bigint, operation: Operation, all: readonly Operation[]): bigint[] {
  switch (operation.kind) {
    case "read":
      return operation.saw === state ? [state] : [];
    case "write":
      return operation.expected === state && operation.wrote > state ? [operation.wrote] : [];
    case "delete":
      return operation.expected === state && state > 0n ? [0n] : [];
    case "refused":
      return operation.expected === state ? [] : [state];
    case "unknown":
      if (operation.expected !== state) return [];
      return operation.remove ? [0n] : [unseen, ...unclaimed(state, all)];
  }
}

/** Revisions that a client saw or built upon but no known write made: an unknown write may have made them. */
function unclaimed(above: bigint, all: readonly Operation[]): bigint[] {
  const made = new Set<bigint>();
  const seen = new Set<bigint>();
  for (const operation of all) {
    if (operation.kind === "write") made.add(operation.wrote);
    if (operation.kind === "read") seen.add(operation.saw);
    else seen.add(operation.expected);
  }
  return [...seen].filter((revision) => revision > above && !made.has(revision));
}
