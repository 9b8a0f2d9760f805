/** `orch restore FILE`: makes a new store out of a backup, in a new folder, or an empty etcd or PostgreSQL. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { readBackupFile } from "../../kv/backup/file.ts";
import { BackupError, type BackupHeader } from "../../kv/backup/format.ts";
import type { KvEntry } from "../../kv/contract.ts";
import { createProgress } from "../backup/progress.ts";
import { remoteTarget } from "../backup/source.ts";
import { fillFolder, fillRemote } from "../backup/target.ts";
import { restoreFlags } from "../flags/backup-flags.ts";
import { nameOf } from "../stores/store.ts";

/** How many entries are passed on at a time, and how many bytes of them. */
const pageEntries = 500;
const pageBytesMax = 4 * 1024 * 1024;

export async function runRestore(args: readonly string[]): Promise<void> {
  const { values, given, others } = parseFlags(restoreFlags, args, { takesArguments: true });
  const [path, ...more] = others;
  if (path === undefined || more.length > 0) throw new FlagError("orch restore takes one FILE");
  const remote = await remoteTarget(values);
  if ((remote !== undefined) === given.has("data-dir"))
    throw new FlagError("give one of --data-dir, --kvstore-servers and --store");
  const progress = createProgress();
  try {
    // The whole file is read before anything is written: a damaged backup must not leave a part of itself behind.
    const { header, entries } = await verify(path, (count) => progress.show(`checked: ${count} entries`));
    const incoming = {
      vocabulary: header.vocabulary,
      revision: header.revision + bumpOf(values["revision-bump"]),
      pages: pagesOf(path),
      onEntries: (count: number) => progress.show(`restored: ${count} of ${entries} entries`),
    };
    const restored =
      remote === undefined ? await fillFolder(values["data-dir"], incoming) : await fillRemote(remote, incoming);
    progress.end();
    const where = remote === undefined ? values["data-dir"] : nameOf(remote);
    process.stdout.write(
      `${where}: ${restored} entries of revision ${header.revision}; revisions continue after ${incoming.revision}\n`,
    );
  } finally {
    progress.end();
  }
}

/** Clients must not see a revision again that had other contents before. */
export function bumpOf(given: number): bigint {
  if (given < 0) throw new FlagError("--revision-bump must not be negative");
  return BigInt(given);
}

async function verify(
  path: string,
  onEntries: (entries: number) => void,
): Promise<{ header: BackupHeader; entries: number }> {
  let header: BackupHeader | undefined;
  let entries = 0;
  for await (const part of readBackupFile(path)) {
    if (part.is === "header") header = part.header;
    if (part.is !== "entry") continue;
    entries += 1;
    onEntries(entries);
    const { key, revision } = part.entry;
    if (header !== undefined && revision > header.revision) {
      throw new BackupError(`the backup is damaged: key ${JSON.stringify(key)} is newer than the backup`);
    }
  }
  if (header === undefined) throw new BackupError("the backup has no header"); // readBackup throws before
  return { header, entries };
}

async function* pagesOf(path: string): AsyncGenerator<readonly KvEntry[]> {
  let page: KvEntry[] = [];
  let bytes = 0;
  for await (const part of readBackupFile(path)) {
    if (part.is !== "entry") continue;
    page.push(part.entry);
    bytes += part.entry.value.byteLength;
    if (page.length < pageEntries && bytes < pageBytesMax) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}
