/**
 * Spreads work that comes in bursts over turns of the event loop, so that others are served in between. Unlike a time slice, which
 * divides one long piece of work, this is for many pieces of about a millisecond that begin together.
 */

/** Returns nothing if the caller may begin at once, or a promise that resolves in the turn in which it may. First come, first served. */
type Spread = () => Promise<void> | undefined;

/** At most `atOnceMax` callers begin in one turn. */
export function createSpread(atOnceMax: number): Spread {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const nextTurn = () => {
    const ready = waiting.splice(0, atOnceMax);
    begun = ready.length;
    if (begun > 0) setImmediate(nextTurn);
    for (const begin of ready) begin();
  };
  return () => {
    if (begun >= atOnceMax) return new Promise((resolve) => waiting.push(resolve));
    if (begun++ === 0) setImmediate(nextTurn);
    return undefined;
  };
}
