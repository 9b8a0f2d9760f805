/** Destroys answers that a client has stopped reading, so that their buffers are not held forever. */

/** A client that reads nothing for this long counts as gone, even if TCP keeps the connection. */
export const stallDefaultMs = 60_000;
/** How many scans happen within that time; an answer without progress since the first of them is destroyed. */
const looks = 3;

/** An answer that a client may stop reading. */
export interface Answer {
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

interface Seen {
  bufferedBytes: number;
  takenCount: number;
  /** How many scans have seen it without progress. */
  times: number;
}

export interface Stalls {
  /** Monitors an answer until it has been sent or its client has disconnected. */
  watch(answer: Answer): void;
  close(): void;
}

/** One periodic scan of all answers, instead of a timer for each. */
export function createStalls(stallMs: number): Stalls {
  const answers = new Map<Answer, Seen>();
  const timer = setInterval(() => {
    for (const [answer, seen] of answers) if (isStuck(answer, seen)) answer.destroy();
    // Destroying one connection may have orphaned other answers on it.
    for (const answer of [...answers.keys()]) if (answer.isOrphan) answer.abandon();
  }, stallMs / looks);
  timer.unref();
  return {
    watch(answer) {
      answers.set(answer, { bufferedBytes: 0, takenCount: 0, times: 0 });
      answer.onFinish(() => answers.delete(answer));
    },
    close() {
      clearInterval(timer);
    },
  };
}

function isStuck({ bufferedBytes, takenCount }: Answer, seen: Seen): boolean {
  const isSame = bufferedBytes > 0 && bufferedBytes === seen.bufferedBytes && takenCount === seen.takenCount;
  seen.bufferedBytes = bufferedBytes;
  seen.takenCount = takenCount;
  seen.times = isSame ? seen.times + 1 : 0;
  return seen.times >= looks - 1;
}
