/** Levels of a store in a real etcd. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { findEtcd, startTestEtcd, type TestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import type { Level } from "../../src/machinery/schema/levels.ts";
import { openStore } from "../../src/main/stores/store.ts";
import { openSharedStore } from "./shared-store.fixture.ts";

const program = findEtcd();

describe.skipIf(program === undefined)("a store in etcd", () => {
  let etcd: TestEtcd;
  beforeAll(async () => {
    etcd = await startTestEtcd(program!);
  });
  afterAll(() => etcd?.remove());

  async function openAt(level: Level) {
    const place = { endpoints: [etcd.endpoint], prefix: "/level" };
    const kv = await openStore({ store: "etcd", vocabulary: "orch", ...place }, { clock: systemClock, log: silentLog });
    const store = openSharedStore(kv);
    try {
      return { kv, ...(await store.open({ level })), close: () => store.close() };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  test("is read at a higher level, writes gone versions in their successors, and is refused at a lower level", async () => {
    const path = "namespaces/default/poddisruptionbudgets";
    const early = await openAt("1.21");
    const budget = { metadata: { name: "p" }, spec: { minAvailable: 1 } };
    expect((await early.send("POST", `/apis/policy/v1beta1/${path}`, budget)).status).toBe(201);
    await early.close();

    const late = await openAt("1.35");
    expect((await late.fetch(`/apis/policy/v1/${path}/p`)).status).toBe(200);
    expect((await late.fetch(`/apis/policy/v1beta1/${path}/p`)).status).toBe(404);
    const labels = { metadata: { labels: { a: "b" } } };
    await late.send("PATCH", `/apis/policy/v1/${path}/p`, labels, "application/merge-patch+json");
    const stored = await late.kv.get("/policy/poddisruptionbudgets/default/p");
    expect(Buffer.from(stored?.value ?? []).toString()).toContain('"apiVersion":"policy/v1"');
    await late.close();

    await expect(openAt("1.21")).rejects.toThrow("start with --emulated-version=1.35, or with another store");
    await (await openAt("1.35")).close();
  });
});
