/** `orch migrate`: moves all objects from the embedded store to etcd or PostgreSQL, or back. The servers are stopped. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import type { KvEntry } from "../../kv/contract.ts";
import { createProgress } from "../backup/progress.ts";
import { openFolderSource, openRemoteSource, remoteTarget } from "../backup/source.ts";
import { fillFolder, fillRemote } from "../backup/target.ts";
import { migrateFlags } from "../flags/backup-flags.ts";
import { isLocalKey } from "../stores/etcd-mark.ts";
import { nameOf, storeNames } from "../stores/store.ts";
import { bumpOf } from "./restore.ts";

export async function runMigrate(args: readonly string[]): Promise<void> {
  const { values } = parseFlags(migrateFlags, args);
  const folder = values["data-dir"];
  if (values.to === "") throw new FlagError("--to must be etcd, postgres or embedded");
  const remote = await remoteTarget(values);
  if (remote === undefined) throw new FlagError("--kvstore-servers must name etcd, or --store PostgreSQL");
  const isBack = values.to === "embedded";
  if (!isBack && values.to !== remote.store)
    throw new FlagError(`--to is ${values.to}, and the other store is ${storeNames(remote).store}`);
  const source = isBack ? await openRemoteSource(remote) : await openFolderSource(folder);
  const progress = createProgress();
  try {
    const { revision, pages } = await readEntries(source.kv);
    const incoming = {
      vocabulary: source.vocabulary,
      revision: revision + bumpOf(values["revision-bump"]),
      pages: withoutLocal(pages),
      onEntries: (count: number) => progress.show(`migrated: ${count} entries`),
    };
    const moved = isBack ? await fillFolder(folder, incoming) : await fillRemote(remote, incoming);
    progress.end();
    const where = isBack ? folder : nameOf(remote);
    process.stdout.write(
      `${where}: ${moved} entries of revision ${revision}; revisions continue after ${incoming.revision}\n`,
    );
  } finally {
    progress.end();
    await source.kv.close();
  }
}

async function* withoutLocal(pages: AsyncIterable<readonly KvEntry[]>): AsyncGenerator<readonly KvEntry[]> {
  for await (const page of pages) yield page.filter(({ key }) => !isLocalKey(key));
}
