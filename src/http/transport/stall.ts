/** Breaks off answers that a client has stopped reading, so that their buffers are not held for ever. */

/** A client that takes nothing for this long is gone, whatever TCP says. */
export const stallDefaultMs = 60_000;
/** Answers are looked over so often within that time; one that has not moved since the first look is broken off. */
const looks = 3;

/** An answer that may be left lying. */
export interface Answer {
  /** Written but not yet taken by the client. */
  readonly bufferedBytes: number;
  /** How often the client has taken something. */
  readonly takenCount: number;
  /** Whether the connection has gone without anybody being told: the answer stood behind another on it. */
  readonly isOrphan: boolean;
  /** Ends the answer as if its connection had just closed. */
  abandon(): void;
  /** Breaks off the connection (the stream, for HTTP/2). */
  destroy(): void;
  onFinish(callback: () => void): void;
}

interface Seen {
  bufferedBytes: number;
  takenCount: number;
  /** How often it has been seen like this. */
  times: number;
}

export interface Stalls {
  /** Looks after an answer until it has gone out or its client has gone away. */
  watch(answer: Answer): void;
  close(): void;
}

/** One look over all answers now and then, instead of a timer for each. */
export function createStalls(stallMs: number): Stalls {
  const answers = new Map<Answer, Seen>();
  const timer = setInterval(() => {
    for (const [answer, seen] of answers) if (isStuck(answer, seen)) answer.destroy();
    // Breaking off one may have made orphans of others.
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
