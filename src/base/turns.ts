/** Long work in short turns, so that other requests are served in between. */

/** A turn may take this long. */
const turnMs = 8;
/** The clock is looked at only so often: asking it costs as much as a small piece of work. */
const askEvery = 16;
/** Work on less than this is over before anybody notices; its turns are not counted. */
export const atOnceBytesMax = 16 * 1024;

export class Turns {
  #started = performance.now();
  #asked = 0;

  /** Whether it is time to let others have the event loop; counts as one small step of the work. */
  get isOver(): boolean {
    return ++this.#asked % askEvery === 0 && this.isLong;
  }

  /** The same after a step that may have been long. */
  get isLong(): boolean {
    return performance.now() - this.#started > turnMs;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#started = performance.now();
  }
}

/** Who waits for a turn, in order. */
const waiting: (() => void)[] = [];

/**
 * Lets whoever waits for the event loop go first. Of several who wait for a turn each gets one of the loop's own: a hundred turns
 * in one would take a second.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(beginOne);
  });
}

function beginOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(beginOne);
}

/**
 * Work that others may interrupt wherever it yields; the steps in between are done in one go. A step that yields a promise is
 * given what the promise resolves to.
 */
export type Steps<T> = Generator<Promise<unknown> | undefined, T, unknown>;

/** Does all steps at once. Throws when one of them waits for something. */
export function finish<T>(steps: Steps<T>): T {
  const outcome = run(steps, undefined);
  if (outcome instanceof Promise) throw new Error("work that waits cannot be finished at once");
  return outcome;
}

/** Does them in turns with others. */
export async function inTurns<T>(steps: Steps<T>, turns = new Turns()): Promise<T> {
  return run(steps, turns);
}

/** At once where nothing is waited for and, with `turns`, nothing takes long; else with a promise. */
export function run<T>(steps: Steps<T>, turns: Turns | undefined): T | Promise<T> {
  return advance(steps, turns, steps.next());
}

function advance<T>(steps: Steps<T>, turns: Turns | undefined, first: ReturnType<Steps<T>["next"]>): T | Promise<T> {
  for (let step = first; ; step = steps.next()) {
    if (step.done) return step.value;
    if (step.value !== undefined) {
      return step.value.then(
        (result) => advance(steps, turns, steps.next(result)),
        (error: unknown) => advance(steps, turns, steps.throw(error)),
      );
    }
    if (turns?.isLong) return turns.next().then(() => advance(steps, turns, steps.next()));
  }
}

/** What a value is, or what it will be. */
export function* wait<T>(value: T | Promise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value; // whoever runs steps sends what was promised
}

/** The turns of work on something of this size; undefined: it needs none. */
export function turnsFor(bytes: number): Turns | undefined {
  return bytes > atOnceBytesMax ? new Turns() : undefined;
}
