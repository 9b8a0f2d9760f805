/**
 * Kills of the embedded store by the thousand, at any instant and at each named point, with and without a history, of single writes and of
 * several that happen together: `KILLS=10000 npx vitest run test/crash/many-kills.test.ts`, a third of a second for each. `LONG_TESTS=1`
 * alone kills 2,000 times.
 */

import { expect, test } from "vitest";
import { crashPoints } from "../../src/kv/embedded/crash-point.ts";
import { runCrashRounds } from "./harness.ts";

const kills = Number(process.env["KILLS"] ?? (process.env["LONG_TESTS"] === undefined ? 0 : 2_000));
const seed = Date.now() % 1_000_000;
/** Soon after the store is open: a kill finds the same states then, and more of them are found in the same time. */
const instantMsMax = 40;

test.skipIf(kills === 0)(
  `after ${kills} kills every acknowledged write is there`,
  async () => {
    const onRound = (done: number) => {
      if (done % 500 === 0) console.log(`${done} kills of seed ${seed}: no write is lost`);
    };
    const report = await runCrashRounds({ rounds: kills, seed, instantMsMax, onRound });
    console.log(`${report.acknowledged} acknowledged writes after ${kills} kills: none is lost`);
    expect(report.acknowledged).toBeGreaterThan(kills);
    if (kills > 2 * crashPoints.length) expect([...report.reached.keys()].sort()).toEqual([...crashPoints].sort());
  },
  120_000 + kills * 5_000,
);
