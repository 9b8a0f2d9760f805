/** The messages between the crash harness and the process it kills. */

import type { CrashPoint } from "../../src/kv/embedded/crash-point.ts";

export interface WriterOrders {
  readonly folder: string;
  readonly seed: number;
  readonly writers: number;
  /** The point at which to end, and on which occurrence; absent: the harness kills it. */
  readonly crashPoint?: CrashPoint;
  readonly crashAfter: number;
  /** History is limited by age alone; otherwise it is compacted all the time, so that nothing gets old enough to expire. */
  readonly ageing?: boolean;
  /** History is not limited by age: on a slow disk it would always be ahead of what is compacted. */
  readonly keeping?: boolean;
  /** Writes have no notes, and no history is kept of them. */
  readonly forgetting?: boolean;
  /** Stop writing and close after so long; absent: never. */
  readonly stopAfterMs?: number;
  /** The least number of acknowledged writes before it stops: on a busy machine a time alone may be none. Default: 0. */
  readonly stopAfterWrites?: number;
}

/** Revisions are text because JSON has no large integers. An empty tag means a delete. */
export type Line =
  | { readonly at: "open"; readonly revision: string }
  /** `commit` names the writes that happen together. */
  | { readonly at: "try"; readonly key: string; readonly tag: string; readonly commit?: string }
  | { readonly at: "done"; readonly key: string; readonly tag: string; readonly revision: string }
  /** A watcher saw everything up to that revision. */
  | { readonly at: "saw"; readonly revision: string }
  | { readonly at: "crash"; readonly point: CrashPoint }
  | { readonly at: "closed" };

/** The lines of a journal; a last line that was truncated by the end of the process is dropped. */
export function parseJournal(text: string): Line[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line); // written by our own child
}

/** A small history, so that it is dropped all the time. Half of the writers have notes, which say the tag of the write. */
export const historyBounds = { ageMs: Number.POSITIVE_INFINITY, bytesMax: 200_000 };
export const isNoted = (key: string): boolean => /^writer\d*[02468]\//.test(key);
