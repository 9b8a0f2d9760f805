/** Rows that keep every server on the same database from compacting a revision that is being read. */

import { randomInt } from "node:crypto";
import type { KvPin } from "../contract.ts";
import type { Database } from "./database.ts";
import { quoted } from "./schema.ts";

/** A reservation whose process died ends after this time. */
const aliveSeconds = 60;
const renewMs = 20_000;
/** A reservation is not renewed for longer than this: history must not grow without bound because of one slow reader. */
export const reservationMsMax = 3_600_000;

/** Keeps the newest state readable until `release`; nothing older than `compacted` can be reserved. */
export async function reserve(database: Database): Promise<KvPin> {
  const schema = quoted(database.schema);
  const id = randomInt(1, 2 ** 48 - 1);
  const [row] = await database.read({
    text: `INSERT INTO ${schema}.reservations (id, revision, until)
      SELECT $1, h.revision, now() + interval '${aliveSeconds} seconds' FROM ${schema}.head h
      ON CONFLICT (id) DO UPDATE SET until = EXCLUDED.until RETURNING revision`,
    values: [id],
  });
  const untilMs = database.clock.monotonic() + reservationMsMax;
  let isReleased = false;
  let cancel = (): void => {};
  const schedule = (): void => {
    cancel = database.clock.after(renewMs, () => {
      if (isReleased || database.clock.monotonic() >= untilMs) return;
      const text = `UPDATE ${schema}.reservations SET until = now() + interval '${aliveSeconds} seconds' WHERE id = $1`;
      database
        .read({ text, values: [id] })
        .catch((error: unknown) => database.log.warn("a reservation of history could not be renewed", { error }))
        .finally(schedule);
    });
  };
  schedule();
  return {
    revision: BigInt(row![0]!),
    release() {
      if (isReleased) return;
      isReleased = true;
      cancel();
      const text = `DELETE FROM ${schema}.reservations WHERE id = $1`;
      database.read({ text, values: [id] }).catch(() => {}); // it ends by itself
    },
  };
}
