/** The process whose clients race for a few keys until it is killed; it records when each call began and how it ended. */

import { writeSync } from "node:fs";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { RevisionConflict } from "../../src/kv/contract.ts";
import { armCrashPoints, type CrashPoint } from "../../src/kv/embedded/crash-point.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";

export interface RacerOrders {
  readonly folder: string;
  readonly seed: number;
  readonly clients: number;
  readonly keys: readonly string[];
  /** The point at which to end, and on which occurrence. */
  readonly crashPoint: CrashPoint;
  readonly crashAfter: number;
}

/** Revisions are text because JSON has no large integers. The order of the lines is the order of time. */
export type RaceLine = RaceCall | RaceResult;
export type RaceCall =
  | { readonly begin: number; readonly key: string; readonly kind: "read" }
  | { readonly begin: number; readonly key: string; readonly kind: "put" | "delete"; readonly expected: string };
export type RaceResult =
  | { readonly end: number; readonly saw: string }
  | { readonly end: number; readonly wrote: string }
  | { readonly end: number; readonly refused: true };

// The harness passes its orders as the only argument.
const orders = JSON.parse(process.argv[2]!) as RacerOrders;
const random = seededRandom(orders.seed);
let left = orders.crashAfter;
armCrashPoints((point) => {
  if (point !== orders.crashPoint || --left > 0) return;
  process.kill(process.pid, "SIGKILL");
  for (;;); // the signal is on its way; nothing may run in between
});

function note(line: RaceLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const kv = await openEmbeddedKv({ folder: orders.folder, historyMs: 100 });
let counter = 0;

async function client(): Promise<never> {
  const known = new Map<string, bigint>();
  for (;;) {
    const key = orders.keys[Math.floor(random() * orders.keys.length)]!;
    const expected = known.get(key) ?? 0n;
    const number = ++counter;
    const choice = random();
    if (choice < 0.3) {
      note({ begin: number, key, kind: "read" });
      const revision = (await kv.get(key))?.revision ?? 0n;
      note({ end: number, saw: String(revision) });
      known.set(key, revision);
      await new Promise(setImmediate); // a read finishes at once: let the other clients run
      continue;
    }
    const kind = choice > 0.9 && expected > 0n ? "delete" : "put";
    note({ begin: number, key, kind, expected: String(expected) });
    try {
      const wrote =
        kind === "delete" ? await kv.delete(key, expected) : await kv.put(key, Buffer.from(`${number}`), expected);
      note({ end: number, wrote: String(wrote) });
      known.set(key, kind === "delete" ? 0n : wrote);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      note({ end: number, refused: true });
      known.set(key, error.revision);
    }
  }
}

await Promise.all(Array.from({ length: orders.clients }, client));
