/** Kills a process that writes several keys in each commit, and looks whether every commit is there whole or not at all. */

import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import type { Kv } from "../../src/kv/contract.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { openEtcdKv } from "../../src/kv/etcd/etcd.ts";
import { openPostgresKv } from "../../src/kv/postgres/postgres.ts";
import { parsePostgresTarget } from "../../src/kv/postgres/target.ts";
import { bundleChild } from "./bundle.ts";

/** Amounts are moved between them, so that their sum is always 0. */
export const commitKeys = ["a", "b", "c", "d", "e", "f"] as const;

export interface CommitOrders {
  /** On etcd: the prefix of all keys. */
  readonly folder: string;
  readonly seed: number;
  readonly writers: number;
  /** The address of an etcd or a PostgreSQL. Absent: the embedded store. */
  readonly server?: string;
}

interface CommitKills {
  readonly rounds: number;
  readonly seed: number;
  readonly server?: string;
}

/** How many commits were acknowledged. Throws at the first that is missing or there in part, with the seed that repeats it. */
export async function runCommitKills({ rounds, seed, server }: CommitKills): Promise<number> {
  const child = await bundleChild("test/crash/commit-writer.ts");
  const parent = mkdtempSync(join(tmpdir(), "kv-commits-"));
  const folder = server === undefined ? join(parent, "data") : `/commits${seed}`;
  let acknowledged = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const random = seededRandom(seed + round);
      const orders = { folder, seed: seed + round, writers: 1 + Math.floor(random() * 3), ...(server && { server }) };
      const told = await killOnce(child, join(parent, "journal"), orders, random);
      const kv = await openStore(orders);
      try {
        const count = await check(kv);
        if (count < told)
          throw new Error(`seed ${seed + round}: ${told} commits were acknowledged, and ${count} are there`);
        acknowledged = Math.max(acknowledged, told);
      } finally {
        await kv.close();
      }
    }
  } finally {
    rmSync(parent, { recursive: true, force: true });
    rmSync(child, { force: true });
  }
  return acknowledged;
}

export async function openStore({ folder, server }: CommitOrders): Promise<Kv> {
  if (server === undefined) return openEmbeddedKv({ folder, historyMs: 100 });
  if (server.startsWith("postgres:")) return openPostgresKv({ target: parsePostgresTarget(server) });
  return openEtcdKv({ endpoints: [server], prefix: folder, allowPlaintext: true });
}

/** The number of the last acknowledged commit. */
async function killOnce(child: string, journal: string, orders: CommitOrders, random: () => number): Promise<number> {
  const out = openSync(journal, "w");
  const started = spawn(process.execPath, [child, JSON.stringify(orders)], { stdio: ["ignore", out, "pipe"] });
  closeSync(out);
  let complaint = "";
  started.stderr?.on("data", (chunk: Buffer) => {
    complaint += chunk;
  });
  const ended = new Promise<string | null>((resolve) => started.on("exit", (_code, signal) => resolve(signal)));
  const isRunning = () => started.exitCode === null && started.signalCode === null;
  // Not before the first commit was acknowledged.
  while (isRunning() && statSync(journal).size === 0) await delay(5);
  await delay(random() * 150);
  started.kill("SIGKILL");
  if ((await ended) !== "SIGKILL") throw new Error(`the writer ended by itself: ${complaint}`);
  return Math.max(0, ...readFileSync(journal, "utf8").trim().split("\n").map(Number));
}

/** Returns how many commits the store has. Throws if one is there in part. */
async function check(kv: Kv): Promise<number> {
  const { entries } = await kv.range("");
  const numberOf = (key: string) =>
    Number(Buffer.from(entries.find((entry) => entry.key === key)?.value ?? "0").toString());
  const sum = commitKeys.reduce((total, key) => total + numberOf(key), 0);
  if (sum !== 0) throw new Error(`a commit is there in part: the amounts sum up to ${sum}`);
  return numberOf("counter");
}

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
