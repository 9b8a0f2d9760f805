import { expect, test } from "vitest";
import { findEtcd, startTestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { findPostgres, startTestPostgres } from "../../src/kv/postgres/server.fixture.ts";
import { runCommitKills } from "./commits.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const rounds = isLong ? 400 : 8;
const seed = Date.now() % 1_000_000;

test(
  "a process that is killed while it writes several keys at once leaves each commit whole, and none that it acknowledged is missing",
  async () => {
    expect(await runCommitKills({ rounds, seed })).toBeGreaterThan(0);
  },
  60_000 + rounds * 5_000,
);

// At every run the contract of stores (`src/kv/contract.suite.ts`) says this of them without kills.
const etcd = isLong ? findEtcd() : undefined;
test.runIf(etcd !== undefined)(
  "the same holds on etcd",
  async () => {
    const member = await startTestEtcd(etcd!);
    const kills = runCommitKills({ rounds: rounds / 2, seed, server: member.endpoint });
    expect(await kills.finally(() => member.remove())).toBeGreaterThan(0);
  },
  60_000 + rounds * 5_000,
);

const postgres = isLong ? findPostgres() : undefined;
test.runIf(postgres !== undefined)(
  "the same holds on PostgreSQL",
  async () => {
    const database = await startTestPostgres(postgres!);
    const kills = runCommitKills({ rounds: rounds / 2, seed, server: database.address() });
    expect(await kills.finally(() => database.remove())).toBeGreaterThan(0);
  },
  60_000 + rounds * 5_000,
);
