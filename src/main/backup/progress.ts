/** Shows on a terminal how far a long command has come; elsewhere nothing. */

import { isatty } from "node:tty";

interface BackupProgress {
  /** Replaces the line by this text, at most a few times each second. */
  show(text: string): void;
  /** Removes the line. */
  end(): void;
}

/** How often the line changes at most. */
const showEveryMs = 100;

const hidden: BackupProgress = { show() {}, end() {} };

export function createProgress(
  isTerminal = isatty(2),
  write = (text: string) => void process.stderr.write(text),
): BackupProgress {
  if (!isTerminal) return hidden;
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(text) {
      const now = performance.now();
      if (now - shownAt < showEveryMs) return;
      shownAt = now;
      isShown = true;
      write(`\r${text}\x1b[K`);
    },
    end() {
      if (isShown) write("\r\x1b[K");
    },
  };
}

export function describeBytes(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes < 1 ? `${Math.ceil(bytes / 1024)} KiB` : `${mebibytes.toFixed(1)} MiB`;
}
