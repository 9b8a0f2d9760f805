/**
 * Three servers on three members of etcd for as long as you like, while they are killed, paused and cut off:
 *
 *   npm run cluster -- --minutes=30 [--seed=7] [--restarts=1]
 */

import { findEtcd } from "../src/kv/etcd/server.fixture.ts";
import { runScenario } from "../test/cluster/scenario.ts";

const option = (name: string, fallback: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  const value = given === undefined ? fallback : Number(given.slice(name.length + 3));
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} must be a number that is not negative`);
  return value;
};

const minutes = option("minutes", 30);
const seed = option("seed", Date.now() % 1_000_000);
const etcd = findEtcd();
if (etcd === undefined) process.exit(1);
const began = Date.now();
const log = (line: string): void => console.log(`${((Date.now() - began) / 1_000).toFixed(1).padStart(8)} s  ${line}`);
try {
  const restarts = option("restarts", 1);
  const troubleMs = minutes * 60_000;
  await runScenario({ etcd, seed, troubleMs, lastsMs: [500, 8_000], waitForExpiry: true, restarts, log });
  log("every promise was kept");
} catch (error) {
  console.error(error);
  process.exit(1); // work that was cut short may still be waiting for something
}
