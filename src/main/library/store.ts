/** The store of a server inside another program: memory, a folder, or a file that is read once. */

import type { Clock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Kv, KvEntry } from "../../kv/contract.ts";
import { createMemoryKv, fillMemoryKv, type MemoryKv, type MemoryKvOptions } from "../../kv/memory/memory.ts";
import { parseHistory } from "../flags/history-flag.ts";
import { softwareVersion } from "../version.ts";
import type { CreateServerOptions } from "./options.ts";

interface OwnStore {
  readonly kv: Kv;
  /** The store, if it can be forked. */
  readonly memory: MemoryKv | undefined;
}

export const historyMs = 300_000;

/** A folder records its vocabulary like the folder of `orch up`. */
export async function openOwnStore(options: CreateServerOptions, clock: Clock): Promise<OwnStore> {
  const { dataDir, from, vocabulary = "orch", log = silentLog } = options;
  const history = parseHistory(options.history ?? "");
  if (history === undefined) throw new Error('history: must be like "24h", "256Mi" or "24h,256Mi"');
  if (dataDir === undefined) {
    const memoryOptions = { noted: history.bytesMax > 0 ? { bounds: history, clock } : undefined };
    const memory =
      from === undefined ? createMemoryKv(memoryOptions) : await readSnapshot(from, vocabulary, memoryOptions);
    return { kv: memory, memory };
  }
  if (from !== undefined) throw new Error("from: a server with a dataDir begins with what the folder holds");
  const { openDataFolder } = await import("../stores/data-folder.ts");
  const { openStore } = await import("../stores/store.ts");
  const { store } = await openDataFolder(dataDir, vocabulary);
  const kv = await openStore({ store: "embedded", folder: store, historyMs, history }, { clock, log });
  return { kv, memory: undefined };
}

async function readSnapshot(path: string, vocabulary: string, options: MemoryKvOptions): Promise<MemoryKv> {
  const { readBackupFile } = await import("../../kv/backup/file.ts");
  const entries: KvEntry[] = [];
  let revision = 0n;
  for await (const part of readBackupFile(path)) {
    if (part.is === "entry") entries.push(part.entry);
    if (part.is !== "header") continue;
    revision = part.header.revision;
    if (part.header.vocabulary !== vocabulary)
      throw new Error(
        `from: ${path} is of the vocabulary "${part.header.vocabulary}", and this server speaks "${vocabulary}"`,
      );
  }
  return fillMemoryKv(entries, revision, options);
}

/** Replaces the file if it exists. */
export async function writeSnapshot(path: string, kv: Kv, about: { vocabulary: string; clock: Clock }): Promise<void> {
  const { writeBackupFile } = await import("../../kv/backup/file.ts");
  const { backupChunks } = await import("../../kv/backup/write.ts");
  const made = new Date(about.clock.now()).toISOString();
  const chunks = backupChunks({ kv, about: { vocabulary: about.vocabulary, made, software: softwareVersion } });
  await writeBackupFile(path, chunks, { overwrite: true });
}
