import { expect, test } from "vitest";
import { findEtcd, startTestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { killMoments, runServerKills } from "./server-kills.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
/** Each moment so often (F1 in docs/security-rows.md). */
const timesEach = isLong ? 50 : 1;
const seed = Date.now() % 1_000_000;
/** Every second one in a run of all tests. */
const moments = killMoments.filter((_, index) => isLong || index % 2 === seed % 2);
const rounds = moments.length * timesEach;
const timeoutMs = 60_000 + rounds * 20_000;

test(
  "a server that is killed at its start, at a higher level, or while it writes, rewrites, migrates or sends a backup loses no acknowledged write",
  async () => {
    const report = await runServerKills({ moments, rounds, seed });
    expect([...report.kills.values()]).toEqual(moments.map(() => timesEach));
    expect(report.acknowledged).toBeGreaterThan(0);
  },
  timeoutMs,
);

const etcd = isLong ? findEtcd() : undefined;
test.skipIf(etcd === undefined)(
  "a server on etcd that is killed at any of these moments loses no acknowledged write",
  async () => {
    const member = await startTestEtcd(etcd!);
    const report = await runServerKills({ moments, rounds, seed, etcd: member.endpoint }).finally(() =>
      member.remove(),
    );
    expect(report.acknowledged).toBeGreaterThan(0);
  },
  timeoutMs,
);
