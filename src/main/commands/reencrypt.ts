/** `orch reencrypt`: rewrites every object that is not encrypted with the first key of its resource. */

import { systemClock } from "../../base/clock.ts";
import { createLog } from "../../base/log-writer.ts";
import { type RewriteOutcome, rewriteAll } from "../../encryption/rewrite.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import { FolderInUse } from "../../kv/embedded/lock.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createProgress } from "../backup/progress.ts";
import { openEtcdSource, openFolderSource, type Source } from "../backup/source.ts";
import { openFlagEncryption } from "../encryption.ts";
import { reencryptFlags } from "../flags/backup-flags.ts";
import { FlagError, type FlagValues } from "../flags/flag.ts";
import { parseFlags } from "../flags/parse.ts";

/** How many objects that failed are printed one by one. */
const namedMax = 20;

export async function runReencrypt(args: readonly string[]): Promise<void> {
  const { values } = parseFlags(reencryptFlags, args);
  const outcome = await reencrypt(values);
  process.stdout.write(describeOutcome(outcome));
  if (outcome.failed.length > 0) process.exitCode = 1;
}

export async function reencrypt(flags: FlagValues<typeof reencryptFlags>): Promise<RewriteOutcome> {
  const path = flags["encryption-provider-config"];
  if (path === "") throw new FlagError("--encryption-provider-config must name the file that the servers use");
  const { kv, vocabulary } = await openSource(flags);
  const progress = createProgress();
  try {
    const log = createLog({ verbosity: 0, format: "text" });
    const spoken = vocabularyOf(vocabulary === "kubernetes" ? "kubernetes" : "orch");
    const encryption = await openFlagEncryption({ path, vocabulary: spoken, clock: systemClock, log });
    try {
      const { pages } = await readEntries(kv);
      return await rewriteAll({
        kv,
        transformer: encryption.transformer,
        pages,
        discard: new Set(flags.discard),
        onProgress: ({ objects, rewritten }) => progress.show(`${objects} objects, ${rewritten} rewritten`),
      });
    } finally {
      encryption.close();
    }
  } finally {
    progress.end();
    await kv.close();
  }
}

async function openSource(flags: FlagValues<typeof reencryptFlags>): Promise<Source> {
  if (flags["kvstore-servers"].length > 0) return await openEtcdSource(flags);
  try {
    return await openFolderSource(flags["data-dir"]);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new FlagError(`a server has ${flags["data-dir"]} open; stop it, run this again, then start it`);
  }
}

export function describeOutcome({ objects, rewritten, discarded, failed }: RewriteOutcome): string {
  const lines = [
    `${objects} objects: ${rewritten} rewritten, ${objects - rewritten - discarded - failed.length} as they were`,
  ];
  if (discarded > 0) lines.push(`${discarded} discarded`);
  if (failed.length > 0) lines.push(`${failed.length} could not be rewritten and stay as they are:`);
  for (const { key, reason } of failed.slice(0, namedMax)) lines.push(`  ${key}: ${reason}`);
  if (failed.length > namedMax) lines.push(`  and ${failed.length - namedMax} more`);
  return `${lines.join("\n")}\n`;
}
