/** Kills the embedded store, cuts its power, lets its disk fail: `--rounds 1000 --power-runs 40 --states 1000 --faults --servers 600 [--etcd http://127.0.0.1:2379] [--seed 1]`. */

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { runAllFaults } from "../test/crash/disk-faults.ts";
import { runCrashRounds } from "../test/crash/harness.ts";
import { runPowerLosses } from "../test/crash/power-loss.ts";
import { runServerKills } from "../test/crash/server-kills.ts";
import { compileShim } from "../test/crash/shim.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    "power-runs": { type: "string", default: "4" },
    states: { type: "string", default: "250" },
    servers: { type: "string", default: "0" },
    etcd: { type: "string", default: "" },
    faults: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 1e9) },
  },
});

function countOf(name: "rounds" | "power-runs" | "states" | "servers" | "seed"): number {
  const count = Number(values[name]);
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`--${name} must be a natural number`);
  return count;
}

const seed = countOf("seed");
const rounds = countOf("rounds");
const runs = countOf("power-runs");
const states = countOf("states");
const servers = countOf("servers");

if (rounds > 0) {
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
}

if (servers > 0) {
  console.log(`${servers} servers to kill, seed ${seed}`);
  const report = await runServerKills({
    rounds: servers,
    seed,
    ...(values.etcd === "" ? {} : { etcd: values.etcd }),
    onRound: (done) => {
      if (done % 50 === 0) console.log(`${done} servers killed`);
    },
  });
  for (const [moment, count] of report.kills) console.log(`${String(count).padStart(6)}  ${moment}`);
  console.log(`${report.acknowledged} acknowledged writes of ${servers} killed servers: none lost`);
}

const shim = runs > 0 || values.faults ? compileShim() : undefined;
if (shim !== undefined && runs > 0) {
  console.log(`${runs} runs with ${states} losses of power each, seed ${seed}`);
  try {
    const report = await runPowerLosses({
      shim,
      seed,
      runs,
      states,
      onRun: (total) => console.log(`${total.states} losses of power done`),
    });
    console.log(
      `${report.states} losses of power, ${report.acknowledged} acknowledged writes: none lost, none repeated`,
    );
  } finally {
    if (!values.faults) rmSync(shim, { force: true });
  }
}

if (shim !== undefined && values.faults) {
  const outcomes = await runAllFaults(shim).finally(() => rmSync(shim, { force: true }));
  const broken = outcomes.filter(({ result }) => result.broken !== undefined);
  const ended = outcomes.filter(({ signal }) => signal !== undefined);
  for (const outcome of broken) console.log(JSON.stringify(outcome));
  console.log(`${outcomes.length} failing calls: ${broken.length} broke a promise, ${ended.length} ended the process`);
  if (broken.length > 0) process.exitCode = 1;
}
