/** The process that the crash harness kills: many writers that record what they try and what was acknowledged. */

import { writeSync } from "node:fs";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { RevisionCompacted, RevisionConflict } from "../../src/kv/contract.ts";
import { armCrashPoints } from "../../src/kv/embedded/crash-point.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { historyBounds, isNoted, type Line, type WriterOrders } from "./journal.ts";

// The harness passes its orders as the only argument.
const orders = JSON.parse(process.argv[2]!) as WriterOrders;
const random = seededRandom(orders.seed);

let acknowledged = 0;

/** Standard output is a file: a line is written when this returns, so a killed process has written everything it knew. */
function note(line: Line): void {
  if (line.at === "done") acknowledged++;
  writeSync(1, `${JSON.stringify(line)}\n`);
}

if (orders.crashPoint !== undefined) {
  let left = orders.crashAfter;
  armCrashPoints((point) => {
    if (point !== orders.crashPoint || --left > 0) return;
    note({ at: "crash", point });
    process.kill(process.pid, "SIGKILL");
    for (;;); // the signal is on its way; nothing may run in between
  });
}

// A short history, so that sweeping runs all the time.
const kv = await openEmbeddedKv({
  folder: orders.folder,
  historyMs: orders.keeping ? 60_000 : 100,
  historyChangesMax: orders.ageing ? 30_000 : 300,
  noted: historyBounds,
});
note({ at: "open", revision: String(await kv.revision()) });

const known = new Map<string, bigint>();
for (const entry of (await kv.range("")).entries) known.set(entry.key, entry.revision);

const noteOf = (key: string, tag: string) => (isNoted(key) ? Buffer.from(tag) : undefined);

let stopping = false;
async function writer(number: number): Promise<void> {
  for (let step = 0; !stopping; step += 1) {
    const key = `writer${number}/key${Math.floor(random() * 6)}`;
    const expected = known.get(key) ?? 0n;
    const tag = `${orders.seed}-${number}-${step}`;
    if (random() < 0.05) {
      // Not recorded: if it is ever written, the check finds a value of unknown origin.
      await kv.put(key, Buffer.from("refused"), expected + 1n).catch((error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error;
      });
    }
    if (expected > 0n && random() < 0.25) {
      note({ at: "try", key, tag: "" });
      const revision = await kv.delete(key, expected, noteOf(key, ""));
      known.delete(key);
      note({ at: "done", key, tag: "", revision: String(revision) });
    } else {
      note({ at: "try", key, tag });
      // Mostly small, sometimes over several pages.
      const size = random() < 0.05 ? 20_000 : 200;
      const revision = await kv.put(key, Buffer.from(tag.padEnd(size, ".")), expected, noteOf(key, tag));
      known.set(key, revision);
      note({ at: "done", key, tag, revision: String(revision) });
    }
  }
}

async function compacter(): Promise<void> {
  while (!stopping) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    const { revision } = await kv.range("");
    if (revision > 50n && !stopping && orders.ageing !== true) {
      await kv.compact(revision - 50n).catch((error: unknown) => {
        if (!(error instanceof RevisionCompacted)) throw error;
      });
    }
  }
}

const ending = new AbortController();

/** What a watcher receives must be as durable as what a writer was acknowledged; it arrives in order and without a gap. */
async function watcher(): Promise<void> {
  let at = await kv.revision();
  if (at > 20n) at -= 20n; // the newest history is on disk only, right after the opening
  while (!stopping) {
    try {
      for await (const { changes, revision } of kv.watch("", at, ending.signal)) {
        for (const change of changes) {
          at += 1n;
          if (change.revision !== at) throw new Error(`the watcher saw ${change.revision} where ${at} should be`);
        }
        at = revision;
        note({ at: "saw", revision: String(at) });
      }
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
      at = error.oldest;
    }
  }
}

const work = Promise.all([
  compacter(),
  watcher(),
  ...Array.from({ length: orders.writers }, (_, number) => writer(number)),
]);
if (orders.stopAfterMs !== undefined) {
  await new Promise((resolve) => setTimeout(resolve, orders.stopAfterMs));
  while (acknowledged < (orders.stopAfterWrites ?? 0)) await new Promise((resolve) => setTimeout(resolve, 5));
  stopping = true;
  ending.abort();
  await work;
  await kv.close();
  note({ at: "closed" });
} else {
  await work;
}
