/** Kills the embedded store any number of times and checks that it lost nothing: `--rounds 1000 [--seed 1]`. */

import { parseArgs } from "node:util";
import { runCrashRounds } from "../src/kv/embedded/crash/harness.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "100" }, seed: { type: "string", default: String(Date.now() % 1e9) } },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed)) {
  throw new Error("--rounds must be a positive integer and --seed an integer");
}
console.log(`${rounds} rounds, seed ${seed}`);
const report = await runCrashRounds({
  rounds,
  seed,
  onRound: (done) => {
    if (done % 50 === 0) console.log(`${done} rounds done`);
  },
});
for (const [point, count] of report.reached) console.log(`${String(count).padStart(6)}  ${point}`);
console.log(`${String(report.random).padStart(6)}  at any instant`);
console.log(`${report.acknowledged} acknowledged writes in ${report.rounds} rounds: none lost, none repeated`);
