/** Turns of the event loop: what came in is read first, and immediates run at the end of the turn. */

/**
 * Taken when this file is loaded: a test that replaces the timers of its process must not stop a server in it. Browsers, in which the client
 * of the console runs, have no immediates.
 */
export const inNextTurn: (callback: () => void) => void =
  typeof setImmediate === "function" ? setImmediate : (callback) => setTimeout(callback, 0);

let end: Promise<void> | undefined;

/**
 * Resolves when everything that came in with this turn has been read. Those who wait for it go on one after the other: what else is done
 * while requests are read would drive their code out of the caches of the processor.
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    inNextTurn(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}
