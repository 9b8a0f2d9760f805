/** The part of the contract suite that records the results of concurrent clients and checks whether they are linearizable. */

import { expect } from "vitest";
import { seededRandom } from "../base/seeded-random.ts";
import type { KvSuiteTest } from "./contract.suite.ts";
import { type Kv, KvError, OutcomeUnknown, RevisionConflict } from "./contract.ts";
import { isLinearizable, type Operation } from "./linearizable.suite.ts";

export function describeHistories(open: () => Kv, scope: () => string, it: KvSuiteTest): void {
  it("atomic", "what concurrent readers and writers of one key see is linearizable", async () => {
    const prefix = scope();
    for (let round = 0; round < 6; round += 1) {
      const history = await recordHistory(open(), `${prefix}${round}`, { clients: 5, steps: 12, seed: round });
      expect(isLinearizable(history), describeHistory(history)).toBe(true);
      expect(history.some((operation) => operation.kind === "write")).toBe(true);
    }
  });
}

/** What the clients of a history use. */
export type KeyStore = Pick<Kv, "get" | "put" | "delete">;

/** Lets several clients, of one store or several, read, write and delete one key at once; returns what they saw. */
export async function recordHistory(
  stores: KeyStore | readonly KeyStore[],
  key: string,
  { clients, steps, seed }: { clients: number; steps: number; seed: number },
): Promise<Operation[]> {
  const history: Operation[] = [];
  const random = seededRandom(seed);
  let time = 0;
  /** The value that clients saw at each revision: never two different ones. */
  const contents = new Map<bigint, string>();
  const agree = (revision: bigint, value: Uint8Array): void => {
    const [found, held] = [Buffer.from(value).toString(), contents.get(revision)];
    if (held !== undefined && held !== found) throw new Error(`revision ${revision} holds ${held}, and ${found}`);
    contents.set(revision, found);
  };
  const open = Array.isArray(stores) ? (stores as readonly KeyStore[]) : [stores as KeyStore]; // isArray does not narrow readonly arrays
  const client = async (number: number): Promise<void> => {
    const kv = open[number % open.length]!;
    let known = 0n;
    for (let step = 0; step < steps; step += 1) {
      const start = time++;
      const choice = random();
      if (choice < 0.4) {
        try {
          const entry = await kv.get(key);
          if (entry !== undefined) agree(entry.revision, entry.value);
          known = entry?.revision ?? 0n;
          history.push({ kind: "read", saw: known, start, end: time++ });
        } catch (error) {
          if (!(error instanceof KvError) || error.code !== "unavailable") throw error;
        }
        continue;
      }
      const expected = known;
      const remove = choice > 0.85 && expected > 0n;
      try {
        const value = Buffer.from(`${number}-${step}`);
        const wrote = remove ? await kv.delete(key, expected) : await kv.put(key, value, expected);
        if (!remove) agree(wrote, value);
        known = remove ? 0n : wrote;
        history.push(
          remove
            ? { kind: "delete", expected, start, end: time++ }
            : { kind: "write", expected, wrote, start, end: time++ },
        );
      } catch (error) {
        if (error instanceof RevisionConflict) {
          history.push({ kind: "refused", expected, start, end: time++ });
          known = error.revision;
        } else if (error instanceof OutcomeUnknown) {
          history.push({ kind: "unknown", expected, remove, start, end: time++ });
        } else if (!(error instanceof KvError) || error.code !== "unavailable") {
          throw error;
        } // unavailable: it has not happened
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return history;
}

function describeHistory(history: readonly Operation[]): string {
  return history.map(({ start, end, ...rest }) => `[${start},${end}] ${Object.values(rest).join(" ")}`).join("\n");
}
