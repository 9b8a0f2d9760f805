/** Runs long work in short time slices, so that other requests are served in between. */

import { inNextTurn } from "./turns.ts";

/** How long a time slice may take. */
const sliceMs = 8;
/** The clock is read once in this many steps: reading it costs as much as a small step of work. */
const askEvery = 16;
/** Work on less than this is too short to delay other requests; it is not sliced. */
export const atOnceBytesMax = 16 * 1024;

/** Taken when this file is loaded, as `inNextTurn` is. */
const elapsedMs = performance.now.bind(performance);

/** Work that had more slices than this is long; what is shorter does not wait for all of it. */
const shortSlicesMax = 16;

export class TimeSlice {
  #started = performance.now();
  #asked = 0;
  #slices = 0;

  /** Whether the time slice is over and the work should yield; counts as one small step of the work. */
  get isOver(): boolean {
    return ++this.#asked % askEvery === 0 && this.isLong;
  }

  /** Whether the slice is over, after a step that may have been long. */
  get isLong(): boolean {
    return performance.now() - this.#started > sliceMs;
  }

  async next(): Promise<void> {
    await (++this.#slices > shortSlicesMax ? waitIn(longWork) : nextTimeSlice());
    this.#started = performance.now();
  }
}

/** Work that waits for its next time slice, in order. The two take turns: a hundred long searches of one client keep nobody waiting. */
const shortWork: (() => void)[] = [];
const longWork: (() => void)[] = [];
let isLongNext = false;

/**
 * Lets everything else that waits for the event loop run first. Each waiting slice gets its own turn of the loop: a hundred slices
 * in one turn would take a second.
 */
export function nextTimeSlice(): Promise<void> {
  return waitIn(shortWork);
}

function waitIn(line: (() => void)[]): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    if (shortWork.length + longWork.length === 1) inNextTurn(beginOne);
  });
}

/** When the first long step of the current turn began; undefined: there was none. */
let stepsBeganMs: number | undefined;

function noteStep(): void {
  stepsBeganMs = elapsedMs();
  inNextTurn(() => {
    stepsBeganMs = undefined;
  });
}

/**
 * Called before a step that cannot be interrupted and may be long, such as the parsing of an object. Undefined: it may begin at once;
 * otherwise it begins in a later turn, because other such steps have used up this one. Without this a hundred controllers that all see the
 * same large object would each read it in the turn in which it changes.
 */
export function beforeLongStep(): Promise<void> | undefined {
  if (stepsBeganMs === undefined) noteStep();
  else if (elapsedMs() - stepsBeganMs > sliceMs) return nextTimeSlice().then(noteStep);
  return undefined;
}

/** Whether any work of this process waits for its next time slice. */
export function hasWaitingSlices(): boolean {
  return shortWork.length + longWork.length > 0;
}

function beginOne(): void {
  const [first, other] = isLongNext ? [longWork, shortWork] : [shortWork, longWork];
  (first.shift() ?? other.shift())?.();
  isLongNext = !isLongNext;
  if (hasWaitingSlices()) inNextTurn(beginOne);
}

/**
 * Work that can be interrupted wherever it yields; the steps in between run without interruption. A step that yields a promise
 * receives the value that the promise resolves to.
 */
export type Steps<T> = Generator<Promise<unknown> | undefined, T, unknown>;

/** How many small steps of a walk run without interruption: a few milliseconds. */
const paceSteps = 500;

/** Tells a walk through very many small parts when to yield. */
export class Pace {
  #steps = 0;

  /** Counts one step. */
  get isDue(): boolean {
    return ++this.#steps % paceSteps === 0;
  }
}

/** Runs all steps at once. Throws if one of them waits for a promise. */
export function finish<T>(steps: Steps<T>): T {
  const outcome = run(steps, undefined);
  if (outcome instanceof Promise) throw new Error("work that waits cannot be finished at once");
  return outcome;
}

/** Runs the steps in time slices. */
export async function inTimeSlices<T>(steps: Steps<T>, slice = new TimeSlice()): Promise<T> {
  return run(steps, slice);
}

/** Returns the result at once if no step waits and, with `slice`, one time slice is enough; otherwise a promise. */
export function run<T>(steps: Steps<T>, slice: TimeSlice | undefined): T | Promise<T> {
  return advance(steps, slice, steps.next());
}

function advance<T>(
  steps: Steps<T>,
  slice: TimeSlice | undefined,
  first: ReturnType<Steps<T>["next"]>,
): T | Promise<T> {
  for (let step = first; ; step = steps.next()) {
    if (step.done) return step.value;
    if (step.value !== undefined) {
      return step.value.then(
        (result) => advance(steps, slice, steps.next(result)),
        (error: unknown) => advance(steps, slice, steps.throw(error)),
      );
    }
    if (slice?.isLong) return slice.next().then(() => advance(steps, slice, steps.next()));
  }
}

/** The value itself, or the value that its promise resolves to. */
export function* wait<T>(value: T | Promise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value; // `run` sends the resolved value
}

/** The time slices for work on this many bytes; undefined: the work does not need slicing. */
export function timeSliceFor(bytes: number): TimeSlice | undefined {
  return bytes > atOnceBytesMax ? new TimeSlice() : undefined;
}
