/** Runs a decision: at once if that is short, otherwise in time slices, and only up to a number of comparisons. */

import { TimeSlice } from "../base/time-slice.ts";

/** How often one decision compares a term of its pod with another pod or a node. Further decisions about the pod would take as long. */
export const comparisonsMax = 5_000_000;

/** "spent": the decision would have needed more comparisons. */
export type Outcome<T> = T | "spent";

/** `finish` is called in the turn in which the decision is made, so that no other decision comes between. */
export function runDecision<T, R>(decision: Generator<number, T>, finish: (outcome: Outcome<T>) => R): R | Promise<R> {
  const slice = new TimeSlice();
  let spent = 0;
  /** Undefined: the slice is over. */
  const goOn = (): { readonly result: R } | undefined => {
    for (;;) {
      const step = decision.next();
      if (step.done === true) return { result: finish(step.value) };
      spent += step.value;
      if (spent > comparisonsMax) {
        decision.return(undefined as T); // ends what it follows; its value is not used
        return { result: finish("spent") };
      }
      if (slice.isLong) return undefined;
    }
  };
  const first = goOn();
  if (first !== undefined) return first.result;
  return (async () => {
    for (;;) {
      await slice.next();
      const later = goOn();
      if (later !== undefined) return later.result;
    }
  })();
}
