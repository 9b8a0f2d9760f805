/** Repeats a long read of a store from a newer revision when another program compacted the one that was being read. */

import { RevisionCompacted } from "../../kv/contract.ts";

/** The maximum number of attempts of a read. */
export const readAttemptsMax = 3;

/** Servers of orch respect a read; etcd's own compaction and other programs do not. */
export async function whileHistoryLasts<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
      if (attempt < readAttemptsMax) continue;
      const advice = "raise --auto-compaction-retention of etcd, or stop what compacts it";
      throw new Error(`etcd was compacted ${readAttemptsMax} times while it was read: ${advice}`, { cause: error });
    }
  }
}
