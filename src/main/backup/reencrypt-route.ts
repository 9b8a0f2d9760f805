/** POST /reencrypt: rewrites every stored object with the first key of its resource, while the server works. */

import type { Log } from "../../base/log.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { type RewriteOutcome, rewriteAll } from "../../encryption/rewrite.ts";
import { reencryptNote } from "../../history/note.ts";
import type { Route } from "../../http/contract/routes.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import type { Kv, KvEntry } from "../../kv/contract.ts";
import { methodNotAllowed, tooManyRequests } from "../../machinery/status/status.ts";
import type { Transformer } from "../../registry/contract/transformer.ts";
import { objectKeyOf } from "../stores/places.ts";

export const reencryptPath = "/reencrypt";

/** A second one would find nothing to do. */
export const reencryptionsAtOnceMax = 1;
const retryAfterSeconds = 10;
/** How many objects that failed the answer names. */
export const failuresToldMax = 100;

/** One line of the answer: how far it has come. The last line says that it is complete. */
export interface ReencryptLine extends RewriteOutcome {
  readonly failedTotal: number;
  readonly complete: boolean;
}

/** For users with a right to POST the path: those who may do anything, unless a role names it. */
export function createReencryptRoute(kv: Kv, transformer: Transformer, log: Log): Route {
  let running = 0;
  return {
    path: reencryptPath,
    listed: false,
    async handle(exchange, { user }) {
      if (exchange.method !== "POST") throw methodNotAllowed({ group: "", kind: "reencrypt" }, exchange.method);
      if (running >= reencryptionsAtOnceMax) {
        throw tooManyRequests("another rewrite is in progress, please try again later", retryAfterSeconds);
      }
      running += 1;
      try {
        log.info("reencryption started", { user: user.name });
        exchange.respond(200, { "content-type": "application/json", "cache-control": "no-store" });
        const tell = (outcome: RewriteOutcome, complete: boolean) => {
          const failed = outcome.failed.slice(0, failuresToldMax);
          const line: ReencryptLine = { ...outcome, failed, failedTotal: outcome.failed.length, complete };
          exchange.write(Buffer.from(`${JSON.stringify(line)}\n`));
        };
        const { pages } = await readEntries(kv);
        let latest: RewriteOutcome | undefined;
        const outcome = await rewriteAll({
          kv,
          transformer,
          note: reencryptNote(),
          objectKey: objectKeyOf,
          // A line for each page keeps the connection alive; a caller that has left stops the work.
          pages: untilGone(pages, () => {
            if (latest !== undefined) tell(latest, false);
            return exchange.gone;
          }),
          discard: new Set(),
          onProgress: (progress) => {
            latest = progress;
          },
        });
        tell(outcome, !exchange.gone);
        exchange.end();
        const { objects, rewritten, failed, past } = outcome;
        const counts = { objects, rewritten, failed: failed.length, past: past.states, pastFailed: past.failed };
        log.info("reencryption finished", { user: user.name, ...counts });
      } catch (error) {
        if (!exchange.responded) throw error;
        log.error("reencryption failed", { error });
        exchange.destroy();
      } finally {
        running -= 1;
      }
    },
  };
}

async function* untilGone(
  pages: AsyncIterable<readonly KvEntry[]>,
  isGone: () => boolean,
): AsyncGenerator<readonly KvEntry[]> {
  for await (const page of pages) {
    if (isGone()) return;
    yield page;
    await nextTimeSlice(); // a store in this process may answer without ever leaving the event loop to others
  }
}
