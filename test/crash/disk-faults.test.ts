import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errors, type FaultOutcome, runFaultCases } from "./disk-faults.ts";
import { callKinds, type FaultCase } from "./fault-case.ts";
import { compileShim } from "./shim.ts";

const shim = compileShim();
afterAll(() => rmSync(shim ?? "", { force: true }));

const none: FaultCase = { calls: "pages", error: errors.EIO, from: 0, forever: false, existing: false, capacity: 0 };
const variants = {
  once: {},
  "for ever": { forever: true },
  "once in a folder that was used before": { existing: true },
};
const broken = (outcomes: readonly FaultOutcome[]) => outcomes.filter(({ result }) => result.broken !== undefined);
const ended = (outcomes: readonly FaultOutcome[]) => outcomes.filter(({ signal }) => signal !== undefined);
const told = (outcomes: readonly FaultOutcome[]) =>
  [...new Set(outcomes.flatMap(({ result }) => result.errors))].sort();

describe.skipIf(shim === undefined)("a disk that fails", () => {
  const counts = new Map<keyof typeof callKinds, number>();
  beforeAll(async () => {
    const kinds = Object.keys(callKinds) as (keyof typeof callKinds)[]; // its keys are known
    const outcomes = await runFaultCases(
      shim!,
      kinds.map((calls) => ({ ...none, calls })),
    );
    expect(broken(outcomes)).toEqual([]);
    for (const outcome of outcomes) counts.set(outcome.case.calls, outcome.result.calls);
    expect(Math.min(...counts.values())).toBeGreaterThan(10);
  });

  /** The same fault at every call of twenty operations, the opening of a new folder included. */
  const atEveryCall = (fault: Partial<FaultCase>): Promise<FaultOutcome[]> => {
    const count = counts.get(fault.calls ?? none.calls)!;
    return runFaultCases(
      shim!,
      Array.from({ length: count }, (_, index) => ({ ...none, ...fault, from: index + 1 })),
    );
  };

  for (const [times, variant] of Object.entries(variants)) {
    test(`to sync, ${times}: the outcome of the write is unknown, no other is accepted, reads continue, nothing is lost`, async () => {
      const outcomes = await atEveryCall({ calls: "syncs", ...variant });
      expect([broken(outcomes), ended(outcomes)]).toEqual([[], []]);
      expect(told(outcomes)).toEqual(["open", "outcome-unknown", "unavailable"]);
      // After a failed sync the contents of the disk are unknown, even if a second sync succeeds.
      expect(outcomes.filter(({ result }) => result.recovered && result.failed > 0)).toEqual([]);
    });

    test(`to write the meta page of a commit, ${times}: as with a sync`, async () => {
      const outcomes = await atEveryCall({ calls: "durable", ...variant });
      expect([broken(outcomes), ended(outcomes)]).toEqual([[], []]);
      expect(told(outcomes)).toEqual(["open", "outcome-unknown", "unavailable"]);
      expect(outcomes.filter(({ result }) => result.recovered && result.failed > 0)).toEqual([]);
    });
  }

  test("to write all bytes of a call: as with a sync, and a write outside LMDB is retried", async () => {
    const outcomes = await atEveryCall({ error: errors.shortWrite });
    expect(broken(outcomes)).toEqual([]);
    expect(ended(outcomes).filter((outcome) => outcome.case.from !== firstOfLmdb(outcomes))).toEqual([]);
  });

  test("to write a page: nothing is lost, even if LMDB's error ends the process", async () => {
    const outcomes = await atEveryCall({ error: errors.EIO });
    expect(broken(outcomes)).toEqual([]);
    // It writes the message over the end of its buffer, at times so far that the process ends. Most times it lives.
    expect(ended(outcomes).length).toBeLessThan(outcomes.length / 4);
    expect(told(outcomes)).toEqual(expect.arrayContaining(["open", "outcome-unknown", "unavailable"]));
  });

  test("for lack of space or quota: writes are refused, reads continue, and the store need not be reopened", async () => {
    const capacities = [300_000, 320_000, 400_000, 450_000, 500_000, 600_000];
    const outcomes = await runFaultCases(
      shim!,
      capacities.flatMap((capacity) =>
        [errors.ENOSPC, errors.EDQUOT].map((error) => ({ ...none, error, capacity, forever: true })),
      ),
    );
    expect([broken(outcomes), ended(outcomes)]).toEqual([[], []]);
    expect(outcomes.map(({ result }) => result.recovered)).toEqual(outcomes.map(() => true));
    expect(told(outcomes)).toContain("unavailable");
    expect(told(outcomes)).not.toContain("outcome-unknown");
  });
});

/** LMDB's first write to a new file: the library does not survive that it fails, when nothing was ever written. */
function firstOfLmdb(outcomes: readonly FaultOutcome[]): number {
  return ended(outcomes)[0]?.case.from ?? 0;
}
