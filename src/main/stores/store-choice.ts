/** Where objects are kept, as flags and the data folder say. */

import { FlagError } from "../../base/flags/flag.ts";
import type { Log } from "../../base/log.ts";
import { readPostgresPlace } from "../flags/postgres-flags.ts";
import { readOptionalFlagFile } from "../flags/read-file.ts";
import type { PostgresAddress } from "../flags/store-flag.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { openDataFolder, recordLevel, withLevelOfFolder, withVocabularyOfFolder } from "./data-folder.ts";
import type { StoreChoice } from "./store.ts";

/** A command line that names etcd servers means the etcd store, unless it asks for memory: test tools name servers in any case. */
export function choiceOfStore(flags: ApiServerFlags): StoreChoice["store"] {
  const { store } = flags;
  if (isPostgres(store)) return "postgres";
  return flags["kvstore-servers"].length > 0 && store !== "memory" ? "etcd" : store;
}

function isPostgres(store: ApiServerFlags["store"]): store is PostgresAddress {
  return store.startsWith("postgres:");
}

export async function chooseStore(flags: ApiServerFlags): Promise<StoreChoice> {
  const historyMs = historyOf(flags);
  const { history } = flags;
  const endpoints = flags["kvstore-servers"];
  const store = choiceOfStore(flags);
  if (store === "postgres" && history.bytesMax > 0)
    throw new FlagError("--history: is kept by the stores embedded, memory and etcd, and not by PostgreSQL");
  if (store === "etcd") {
    return {
      store,
      endpoints: endpoints.length > 0 ? endpoints : ["http://127.0.0.1:2379"],
      prefix: flags["kvstore-prefix"],
      history,
      vocabulary: flags.vocabulary,
      authority: await readOptionalFlagFile("kvstore-cafile", flags["kvstore-cafile"]),
      certificate: await readOptionalFlagFile("kvstore-certfile", flags["kvstore-certfile"]),
      key: await readOptionalFlagFile("kvstore-keyfile", flags["kvstore-keyfile"]),
    };
  }
  if (store === "postgres") {
    if (endpoints.length > 0)
      throw new FlagError("--store: names PostgreSQL, and --kvstore-servers etcd; say one of them");
    return { store, ...(await readPostgresPlace(flags.store, flags)), vocabulary: flags.vocabulary };
  }
  if (store === "memory") return { store, history };
  const folder = await openDataFolder(flags["data-dir"], flags.vocabulary);
  return { store, folder: folder.store, historyMs, history };
}

/** Without compaction the watch history is kept as long as the limits on its size allow, at most a week. */
const historyMsMax = 7 * 86_400_000;

export function historyOf(flags: ApiServerFlags): number {
  return Math.min(flags["kvstore-compaction-interval"] || historyMsMax, historyMsMax);
}

/** Flags with what the data folder records about its objects, where they do not say it themselves. */
export async function withChoicesOfFolder<F extends ApiServerFlags>(flags: F, given: ReadonlySet<string>): Promise<F> {
  const named = await withVocabularyOfFolder(flags, given);
  return choiceOfStore(named) === "embedded" ? withLevelOfFolder(named, given) : named;
}

/** Called when the server has opened the store, which refuses a lower level than its own. */
export async function noteLevel(flags: ApiServerFlags, log: Log): Promise<void> {
  if (choiceOfStore(flags) !== "embedded") return;
  const level = flags["emulated-version"];
  const before = await recordLevel(flags["data-dir"], level);
  if (before !== undefined)
    log.warn("the objects of the folder have a higher level from now on, and a lower one is refused", {
      before,
      level,
    });
}
