/** The process that the crash harness kills: many writers that record what they try and what was acknowledged. */

import { writeSync } from "node:fs";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { type KvWrite, RevisionCompacted, RevisionConflict } from "../../src/kv/contract.ts";
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
  ...(orders.forgetting !== true && { noted: historyBounds }),
});
note({ at: "open", revision: String(await kv.revision()) });

const known = new Map<string, bigint>();
for (const entry of (await kv.range("")).entries) known.set(entry.key, entry.revision);

const noteOf = (key: string, tag: string) => (isNoted(key) ? Buffer.from(tag) : undefined);
/** Mostly small, sometimes over several pages. */
const bytesOf = (tag: string) => Buffer.from(tag.padEnd(random() < 0.05 ? 20_000 : 200, "."));

/** Several keys of one writer at once: some are put, some deleted, some only have to be as they were. */
async function commit(number: number, tag: string): Promise<void> {
  const writes: KvWrite[] = [];
  for (const key of Array.from({ length: 6 }, (_, at) => `writer${number}/key${at}`)) {
    const expected = known.get(key) ?? 0n;
    const chance = random();
    if (chance < 0.5) continue;
    if (chance < 0.6) writes.push({ key, expected, keeps: true });
    else if (chance < 0.7 && expected > 0n) writes.push({ key, expected, note: noteOf(key, "") });
    else writes.push({ key, expected, value: bytesOf(tag), note: noteOf(key, tag) });
  }
  const tagOf = ({ value }: KvWrite) => (value === undefined ? "" : tag);
  for (const write of writes) if (!write.keeps) note({ at: "try", key: write.key, tag: tagOf(write), commit: tag });
  const revisions = await kv.commit(writes);
  for (const [at, write] of writes.entries()) {
    if (write.keeps) continue;
    if (write.value === undefined) known.delete(write.key);
    else known.set(write.key, revisions[at]!);
    note({ at: "done", key: write.key, tag: tagOf(write), revision: String(revisions[at]) });
  }
}

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
    if (random() < 0.1) {
      await commit(number, tag);
    } else if (expected > 0n && random() < 0.25) {
      note({ at: "try", key, tag: "" });
      const revision = await kv.delete(key, expected, noteOf(key, ""));
      known.delete(key);
      note({ at: "done", key, tag: "", revision: String(revision) });
    } else {
      note({ at: "try", key, tag });
      const revision = await kv.put(key, bytesOf(tag), expected, noteOf(key, tag));
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
