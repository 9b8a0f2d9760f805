/** GET /backup: the whole store at one revision, for users with a right to that path. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { backupChunks } from "../../kv/backup/write.ts";
import type { Kv } from "../../kv/contract.ts";
import { tooManyRequests } from "../../machinery/status/status.ts";
import { isLocalKey } from "../stores/etcd-mark.ts";
import { softwareVersion } from "../version.ts";

export const backupPath = "/backup";

/** Each backup makes the store keep what is replaced meanwhile; more are answered 429. */
export const backupsAtOnceMax = 1;
const retryAfterSeconds = 10;

interface BackupRouteOptions {
  /** The store itself, below any encryption: values are copied unchanged. */
  readonly kv: Kv;
  readonly vocabulary: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** It contains every Secret, so only cluster administrators have the right to it, unless a role names the path. */
export function createBackupRoute({ kv, vocabulary, clock, log }: BackupRouteOptions): Route {
  let running = 0;
  return {
    path: backupPath,
    method: "GET",
    listed: false,
    async handle(exchange, { user }) {
      if (running >= backupsAtOnceMax) {
        throw tooManyRequests("another backup is in progress, please try again later", retryAfterSeconds);
      }
      running += 1;
      try {
        log.info("backup started", { user: user.name });
        const about = { vocabulary, made: new Date(clock.now()).toISOString(), software: softwareVersion };
        const bytes = await send(exchange, backupChunks({ kv, about, isLocal: isLocalKey }));
        log.info("backup finished", { user: user.name, bytes, complete: !exchange.gone });
      } finally {
        running -= 1;
      }
    },
  };
}

/** A backup that breaks off has no seal, and the connection is destroyed: the client cannot take it for a whole one. */
async function send(exchange: Exchange, chunks: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      if (!exchange.responded) {
        exchange.respond(200, { "content-type": "application/octet-stream", "cache-control": "no-store" });
      }
      bytes += chunk.length;
      if (!exchange.write(chunk)) await exchange.drained();
      if (exchange.gone) return bytes;
      await nextTimeSlice(); // the store and a fast client may answer without ever leaving the event loop to others
    }
    exchange.end();
    return bytes;
  } catch (error) {
    if (exchange.responded) exchange.destroy();
    throw error;
  }
}
