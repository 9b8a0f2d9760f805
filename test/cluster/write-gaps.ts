/** How long no write was acknowledged when etcd had to find a new leader (F10 in docs/security-rows.md: 10 s at most). */

import type { Cluster } from "./cluster.ts";

/** One line about it: reported, not judged, because a busy machine may be slower than any promise. */
export function writeGaps({ times }: Cluster): string {
  const { acknowledgedMs, leaderLost } = times;
  let longest = { ms: 0, name: "" };
  for (const { name, fromMs, toMs } of leaderLost) {
    for (const [at, ms] of acknowledgedMs.entries()) {
      const before = acknowledgedMs[at - 1] ?? ms;
      if (ms < fromMs || before > toMs) continue;
      if (ms - before > longest.ms) longest = { ms: ms - before, name };
    }
  }
  if (leaderLost.length === 0) return "no leader of etcd was lost";
  const seconds = (longest.ms / 1_000).toFixed(1);
  return `${leaderLost.length} leaders of etcd were lost; at most ${seconds} s passed without an acknowledged write (${longest.name})`;
}
