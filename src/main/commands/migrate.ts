/** `orch migrate`: moves all objects from the embedded store to etcd, or back. The servers are stopped. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import type { KvEntry } from "../../kv/contract.ts";
import { createProgress } from "../backup/progress.ts";
import { etcdTarget, openEtcdSource, openFolderSource } from "../backup/source.ts";
import { fillEtcd, fillFolder } from "../backup/target.ts";
import { isLocalKey } from "../etcd-mark.ts";
import { migrateFlags } from "../flags/backup-flags.ts";
import { bumpOf } from "./restore.ts";

export async function runMigrate(args: readonly string[]): Promise<void> {
  const { values } = parseFlags(migrateFlags, args);
  const folder = values["data-dir"];
  if (values.to === "") throw new FlagError("--to must be etcd or embedded");
  if (values["kvstore-servers"].length === 0) throw new FlagError("--kvstore-servers must name etcd");
  const toEtcd = values.to === "etcd";
  const source = toEtcd ? await openFolderSource(folder) : await openEtcdSource(values);
  const progress = createProgress();
  try {
    const { revision, pages } = await readEntries(source.kv);
    const incoming = {
      vocabulary: source.vocabulary,
      revision: revision + bumpOf(values["revision-bump"]),
      pages: withoutLocal(pages),
      onEntries: (count: number) => progress.show(`migrated: ${count} entries`),
    };
    const moved = toEtcd ? await fillEtcd(await etcdTarget(values), incoming) : await fillFolder(folder, incoming);
    progress.end();
    const where = toEtcd ? values["kvstore-servers"].join(",") : folder;
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
