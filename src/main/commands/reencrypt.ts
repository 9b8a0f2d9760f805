/** `orch reencrypt`: rewrites every object that is not encrypted with the first key of its resource. */

import { existsSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import { FlagError, type FlagValues } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { createLog } from "../../base/log-writer.ts";
import { type RewriteOutcome, rewriteAll } from "../../encryption/rewrite.ts";
import { reencryptNote } from "../../history/note.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import { FolderInUse } from "../../kv/embedded/lock.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createProgress } from "../backup/progress.ts";
import { type ReencryptLine, reencryptPath } from "../backup/reencrypt-route.ts";
import { answerOf, type BackupSource, openFolderSource, openRemoteSource, remoteTarget } from "../backup/source.ts";
import { openFlagEncryption } from "../encryption.ts";
import { reencryptFlags } from "../flags/backup-flags.ts";
import { partsOf } from "../stores/data-folder.ts";
import { objectKeyOf } from "../stores/places.ts";

/** How many objects that failed are printed one by one. */
const namedMax = 20;

export async function runReencrypt(args: readonly string[]): Promise<void> {
  const { values } = parseFlags(reencryptFlags, args);
  const outcome = await reencrypt(values);
  process.stdout.write(describeOutcome(outcome));
  if (outcome.failed.length > 0 || outcome.past.failed > 0) process.exitCode = 1;
}

type ReencryptFlags = FlagValues<typeof reencryptFlags>;

/** A store that a server has open is rewritten by that server: two processes must not open one folder. */
export async function reencrypt(flags: ReencryptFlags): Promise<RewriteOutcome> {
  const remote = await remoteTarget(flags);
  if (remote !== undefined) return await rewriteStore(flags, await openRemoteSource(remote));
  if (flags.config !== "") return await askServer(flags.config, flags);
  try {
    return await rewriteStore(flags, await openFolderSource(flags["data-dir"], { noted: "all" }));
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const { clientConfiguration } = partsOf(flags["data-dir"]);
    if (existsSync(clientConfiguration)) return await askServer(clientConfiguration, flags);
    throw new Error(`a server has ${flags["data-dir"]} open; name a client configuration for it with --config`);
  }
}

async function askServer(configuration: string, { discard }: ReencryptFlags): Promise<RewriteOutcome> {
  if (discard.length > 0) throw new Error("--discard needs the store itself; stop the server first");
  const progress = createProgress();
  let text = "";
  let last: ReencryptLine | undefined;
  const missing = "encrypts nothing: start it with --encryption-provider-config";
  const asked = { path: reencryptPath, method: "POST", what: "rewriting", missing };
  try {
    for await (const chunk of answerOf(configuration, asked)) {
      const lines = (text + chunk.toString("utf8")).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) last = JSON.parse(line) as ReencryptLine; // the answer of our own route
      if (last !== undefined) progress.show(`${last.objects} objects, ${last.rewritten} rewritten`);
    }
  } finally {
    progress.end();
  }
  if (last?.complete !== true) throw new Error("the server stopped before it was done; run this again");
  return last;
}

async function rewriteStore(flags: ReencryptFlags, { kv, vocabulary }: BackupSource): Promise<RewriteOutcome> {
  const progress = createProgress();
  try {
    const path = flags["encryption-provider-config"];
    if (path === "") throw new FlagError("--encryption-provider-config must name the file that the servers use");
    const log = createLog({ verbosity: 0, format: "text" });
    const spoken = vocabularyOf(vocabulary === "kubernetes" ? "kubernetes" : "orch");
    const encryption = await openFlagEncryption({ path, vocabulary: spoken, clock: systemClock, log });
    try {
      const { pages } = await readEntries(kv);
      return await rewriteAll({
        kv,
        transformer: encryption.transformer,
        pages,
        note: reencryptNote(),
        objectKey: objectKeyOf,
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

function describeOutcome({ objects, rewritten, discarded, failed, past }: RewriteOutcome): string {
  const lines = [
    `${objects} objects: ${rewritten} rewritten, ${objects - rewritten - discarded - failed.length} unchanged`,
  ];
  if (discarded > 0) lines.push(`${discarded} discarded`);
  if (past.states > 0) lines.push(`${past.states} states of the history rewritten`);
  if (past.failed > 0)
    lines.push(`${past.failed} states of the history could not be read or rewritten, and are as they were`);
  if (failed.length > 0) lines.push(`${failed.length} could not be rewritten and are unchanged:`);
  for (const { key, reason } of failed.slice(0, namedMax)) lines.push(`  ${key}: ${reason}`);
  if (failed.length > namedMax) lines.push(`  and ${failed.length - namedMax} more`);
  return `${lines.join("\n")}\n`;
}
