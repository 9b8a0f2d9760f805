/** Where the objects of a backup come from: etcd or PostgreSQL, a folder that no server has open, or a running server. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { FlagError } from "../../base/flags/flag.ts";
import { silentLog } from "../../base/log.ts";
import { resolveAccess } from "../../client/config/access.ts";
import { mergeConfigs } from "../../client/config/file.ts";
import { loadConfigFiles } from "../../client/config/load.ts";
import { openTransport } from "../../client/config/transport.ts";
import { backupChunks } from "../../kv/backup/write.ts";
import type { Kv } from "../../kv/contract.ts";
import { openEmbeddedKv } from "../../kv/embedded/embedded.ts";
import { FolderInUse } from "../../kv/embedded/lock.ts";
import { withRevisionOffset } from "../../kv/revision-offset.ts";
import type { RemoteFlags } from "../flags/backup-flags.ts";
import { readPostgresPlace } from "../flags/postgres-flags.ts";
import { readOptionalFlagFile } from "../flags/read-file.ts";
import { partsOf, vocabularyOfFolder } from "../stores/data-folder.ts";
import { isLocalKey, readMark } from "../stores/etcd-mark.ts";
import { openBareRemote, type RemoteTarget, storeNames } from "../stores/store.ts";
import { softwareVersion } from "../version.ts";
import { backupPath } from "./backup-route.ts";

/** A store that is open for reading; the caller closes it. */
export interface BackupSource {
  readonly kv: Kv;
  readonly vocabulary: string;
}

export async function openRemoteSource(target: RemoteTarget): Promise<BackupSource> {
  const kv = await openBareRemote(target, silentLog);
  try {
    const mark = await readMark(kv, storeNames(target));
    if (mark === undefined) throw new Error(`${storeNames(target).store} holds no store ${storeNames(target).place}`);
    if (!mark.isFinished) throw new Error(`a restore into this ${storeNames(target).store} did not finish`);
    return { kv: withRevisionOffset(kv, mark.offset), vocabulary: mark.vocabulary };
  } catch (error) {
    await kv.close();
    throw error;
  }
}

/** Throws FolderInUse while a server has the folder open. `noted`: "all" lets its history go on. */
export async function openFolderSource(folder: string, { noted }: { noted?: "all" } = {}): Promise<BackupSource> {
  const { store } = partsOf(folder);
  const vocabulary = await vocabularyOfFolder(folder);
  if (vocabulary === undefined || !existsSync(join(store, "data.mdb"))) {
    throw new Error(`there is no store in ${folder}`);
  }
  return { kv: await openEmbeddedKv({ folder: store, historyMs: Number.MAX_SAFE_INTEGER, noted }), vocabulary };
}

/** The store of the flags that is not a folder; undefined: they name none. */
export async function remoteTarget(flags: RemoteFlags): Promise<RemoteTarget | undefined> {
  if (flags.store !== "" && flags["kvstore-servers"].length > 0)
    throw new FlagError("give only one of --store and --kvstore-servers");
  if (flags.store !== "") return { store: "postgres", ...(await readPostgresPlace(flags.store, flags)) };
  return flags["kvstore-servers"].length > 0 ? await etcdTarget(flags) : undefined;
}

export async function etcdTarget(flags: Omit<RemoteFlags, "store">): Promise<RemoteTarget> {
  return {
    store: "etcd",
    endpoints: flags["kvstore-servers"],
    prefix: flags["kvstore-prefix"],
    authority: await readOptionalFlagFile("kvstore-cafile", flags["kvstore-cafile"]),
    certificate: await readOptionalFlagFile("kvstore-certfile", flags["kvstore-certfile"]),
    key: await readOptionalFlagFile("kvstore-keyfile", flags["kvstore-keyfile"]),
  };
}

interface ChunkFlags extends RemoteFlags {
  readonly "data-dir": string;
  readonly config: string;
}

/** The bytes of a backup. A store that a server has open is read by that server: two processes must not open one folder. */
export async function* chunksOf(flags: ChunkFlags): AsyncGenerator<Buffer> {
  const remote = await remoteTarget(flags);
  if (remote !== undefined) return yield* chunksOfStore(await openRemoteSource(remote));
  if (flags.config !== "") return yield* chunksOfServer(flags.config);
  let source: BackupSource;
  try {
    source = await openFolderSource(flags["data-dir"]);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const { clientConfiguration } = partsOf(flags["data-dir"]);
    if (existsSync(clientConfiguration)) return yield* chunksOfServer(clientConfiguration);
    throw new Error(`a server has ${flags["data-dir"]} open; name a client configuration for it with --config`);
  }
  yield* chunksOfStore(source);
}

async function* chunksOfStore({ kv, vocabulary }: BackupSource): AsyncGenerator<Buffer> {
  const about = { vocabulary, made: new Date().toISOString(), software: softwareVersion };
  try {
    yield* backupChunks({ kv, about, isLocal: isLocalKey });
  } finally {
    await kv.close();
  }
}

/** How much of a refusal is shown. */
const refusalCharsMax = 1_000;

async function* chunksOfServer(configuration: string): AsyncGenerator<Buffer> {
  yield* answerOf(configuration, { path: backupPath, method: "GET", what: "backup" });
}

interface ServerCall {
  readonly path: string;
  readonly method: string;
  /** For messages: "backup". */
  readonly what: string;
  /** Why a server may not have the path. */
  readonly missing?: string;
}

/** The body of an answer of the server that a client configuration names. Throws an Error if it refuses. */
export async function* answerOf(
  configuration: string,
  { path, method, what, missing }: ServerCall,
): AsyncGenerator<Buffer> {
  const files = loadConfigFiles({ paths: [configuration], isExplicit: true, fallback: configuration });
  const access = resolveAccess(mergeConfigs(files), {});
  if (access === undefined) throw new FlagError(`${configuration} names no server`);
  const transport = openTransport(access, {
    clock: systemClock,
    env: process.env,
    isInteractive: false,
    userAgent: `orch-${what}/${softwareVersion}`,
    requestTimeoutMs: 0,
  });
  try {
    const response = await transport.fetch(path, { method }).catch((cause: unknown) => {
      throw new Error(
        `the server ${access.server} cannot be reached: ${cause instanceof Error ? cause.message : cause}`,
      );
    });
    if (response.status === 404 && missing !== undefined) throw new Error(`the server ${access.server} ${missing}`);
    if (response.status !== 200 || response.body === null) {
      throw new Error(`the server refused the ${what}: ${messageOf(await response.text()) || response.status}`);
    }
    for await (const chunk of response.body) yield Buffer.from(chunk);
  } finally {
    transport.close();
  }
}

/** The message of a Status. */
function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === "string") return message.slice(0, refusalCharsMax);
  } catch {
    // Not a Status.
  }
  return body.slice(0, refusalCharsMax);
}
