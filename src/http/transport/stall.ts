/** Destroys answers that a client has stopped reading, so that their buffers are not held forever. */

/** A client that reads nothing for this long counts as disconnected, even if TCP keeps the connection. */
export const stallDefaultMs = 60_000;
/** How many scans happen within that time; an answer without progress since the first of them is destroyed. */
const looks = 3;

/** An answer that a client may stop reading. */
export interface StallableAnswer {
  /** Bytes that are written but that the client has not read yet. */
  readonly bufferedBytes: number;
  /** How often the client has read something. */
  readonly takenCount: number;
  /** Whether the connection closed without a notification, because the answer waited behind another on it. */
  readonly isOrphan: boolean;
  /** Ends the answer as if its connection had just closed. */
  abandon(): void;
  /** Destroys the connection (the stream, for HTTP/2). */
  destroy(): void;
  onFinish(callback: () => void): void;
}

/** An answer with what the last scan saw of it. */
interface Watched {
  readonly answer: StallableAnswer;
  bufferedBytes: number;
  takenCount: number;
  /** How many scans have seen it without progress. */
  times: number;
  older: Watched | undefined;
  newer: Watched | undefined;
}

export interface Stalls {
  /** Monitors an answer until it has been sent or its client has disconnected. */
  watch(answer: StallableAnswer): void;
  close(): void;
}

/** One periodic scan of all answers, instead of a timer for each. */
export function createStalls(stallMs: number): Stalls {
  // A list of its own: every answer over HTTP/2 comes and goes, and the tables of a Map would keep those that have gone for a while.
  let newest: Watched | undefined;
  const all = () => {
    const list: Watched[] = [];
    for (let one = newest; one !== undefined; one = one.older) list.push(one);
    return list;
  };
  const remove = (one: Watched) => {
    if (one.newer !== undefined) one.newer.older = one.older;
    else if (newest === one) newest = one.older;
    if (one.older !== undefined) one.older.newer = one.newer;
    one.newer = undefined;
    one.older = undefined;
  };
  const timer = setInterval(() => {
    for (const one of all()) if (isStuck(one)) one.answer.destroy();
    // Destroying one connection may have orphaned other answers on it.
    for (const { answer } of all()) if (answer.isOrphan) answer.abandon();
  }, stallMs / looks);
  timer.unref();
  return {
    watch(answer) {
      const one: Watched = { answer, bufferedBytes: 0, takenCount: 0, times: 0, older: newest, newer: undefined };
      if (newest !== undefined) newest.newer = one;
      newest = one;
      answer.onFinish(() => remove(one));
    },
    close() {
      clearInterval(timer);
    },
  };
}

function isStuck(seen: Watched): boolean {
  const { bufferedBytes, takenCount } = seen.answer;
  const isSame = bufferedBytes > 0 && bufferedBytes === seen.bufferedBytes && takenCount === seen.takenCount;
  seen.bufferedBytes = bufferedBytes;
  seen.takenCount = takenCount;
  seen.times = isSame ? seen.times + 1 : 0;
  return seen.times >= looks - 1;
}
