/** Reads the store of a killed server without a server: which objects it holds, decrypted, and at which level. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { readEntries } from "../../src/kv/backup/entries.ts";
import type { KvEntry } from "../../src/kv/contract.ts";
import { inspectStore } from "../../src/kv/embedded/inspect.ts";
import { openFlagEncryption } from "../../src/main/encryption.ts";
import { openBareRemote } from "../../src/main/stores/store.ts";
import { storeLevelKey } from "../../src/registry/keys.ts";
import { vocabularyOf } from "../../src/vocabulary/by-name.ts";

export interface StorePlace {
  readonly folder: string;
  readonly encryptionFile: string;
  /** Absent: the store is in the folder. */
  readonly etcd: { readonly endpoint: string; readonly prefix: string } | undefined;
}

/** Two keys, of which `first` writes and both read. */
export function writeEncryptionFile(path: string, first: number): void {
  const keys = ["one", "two"].map((name, index) => ({ name, secret: Buffer.alloc(32, index + 1).toString("base64") }));
  const ordered = first === 0 ? keys : keys.toReversed();
  const providers = [{ aesgcm: { keys: ordered } }, { identity: {} }];
  const file = {
    apiVersion: "apiserver.config.orch.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers }],
  };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
}

/** The objects that the clients wrote, by key, with their content. Throws if anything in the store is damaged. */
export async function writtenObjects(place: StorePlace): Promise<Map<string, string>> {
  const options = { path: place.encryptionFile, vocabulary: vocabularyOf("orch"), clock: systemClock, log: silentLog };
  const encryption = await openFlagEncryption(options);
  try {
    const found = new Map<string, string>();
    for (const { key, value } of await entriesOf(place)) {
      if (!/^\/core\/(configmaps|secrets)\/default\/client/.test(key)) continue;
      const { value: plain } = await encryption.transformer.fromStorage(key, value);
      // What our own clients wrote.
      const { metadata } = JSON.parse(Buffer.from(plain).toString()) as {
        metadata: { annotations: { content: string } };
      };
      found.set(key, metadata.annotations.content);
    }
    return found;
  } finally {
    encryption.close();
  }
}

/** That of a new store is the lower one. */
export async function levelInStore(place: StorePlace): Promise<string> {
  const found = (await entriesOf(place)).find(({ key }) => key === storeLevelKey);
  return found === undefined ? "1.21" : Buffer.from(found.value).toString();
}

async function entriesOf({ folder, etcd }: StorePlace): Promise<KvEntry[]> {
  const entries: KvEntry[] = [];
  if (etcd !== undefined) {
    const kv = await openBareRemote({ store: "etcd", endpoints: [etcd.endpoint], prefix: etcd.prefix }, silentLog);
    try {
      for await (const page of (await readEntries(kv)).pages) entries.push(...page);
    } finally {
      await kv.close();
    }
    return entries;
  }
  const store = join(folder, "store");
  if (!existsSync(join(store, "data.mdb"))) return entries; // killed before it was made
  const problems: string[] = [];
  await inspectStore({
    folder: store,
    onEntry: (entry) => entries.push({ ...entry, value: Uint8Array.from(entry.value) }),
    onProblem: (problem) => problems.push(problem),
  });
  if (problems.length > 0) throw new Error(`the store is damaged: ${problems.join("; ")}`);
  return entries;
}
