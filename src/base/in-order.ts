/** Steps one after the other, at once unless one of them waits: most requests run to their answer without yielding. */

/**
 * Takes each step from `from` on, when the one before is done. Undefined: all are done. A promise: one of them waits. `take` and `state` are
 * apart, so that nothing is allocated for a run in which no step waits.
 */
export function inOrder<Step, State>(
  steps: readonly Step[],
  take: (step: Step, state: State) => void | Promise<void>,
  state: State,
  from = 0,
): void | Promise<void> {
  for (let at = from; at < steps.length; at++) {
    const pending = take(steps[at]!, state);
    if (pending === undefined) continue;
    return at + 1 === steps.length ? pending : pending.then(() => inOrder(steps, take, state, at + 1));
  }
}
