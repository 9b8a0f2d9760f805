/** Identity leases of several servers on one store. */

import { expect, test } from "vitest";
import { createManualClock } from "../../src/base/clock.ts";
import { defaultIdentityLease, isExpired } from "../../src/upkeep/server-identity.ts";
import { openSharedStore } from "./shared-store.fixture.ts";

const leases = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
interface Lease {
  readonly metadata: { readonly name: string; readonly labels?: object };
  readonly spec: object;
}

test("every server holds its own lease while it runs, and the lease of a stopped one is removed", async () => {
  const store = openSharedStore();
  const clock = createManualClock(Date.parse("2026-01-02T03:04:05.678Z"));
  const gates = new Map([["APIServerIdentity", true]]);
  const [one, two] = [await store.open({ gates, clock }), await store.open({ gates, clock })];
  const list = async () => ((await (await one.fetch(leases)).json()) as { items: Lease[] }).items;
  one.server.startUpkeep();
  two.server.startUpkeep();
  await expect.poll(async () => (await list()).length).toBe(2);
  const [first] = await list();
  expect(first?.metadata.name).toMatch(/^orch-apiserver-[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(first?.metadata.labels).toEqual({ "orch.io/component": "orch-apiserver" });
  expect(first?.spec).toEqual({
    holderIdentity: first?.metadata.name,
    leaseDurationSeconds: 3_600,
    renewTime: "2026-01-02T03:04:05.678000Z",
  });
  // A lease that others made in the same namespace is not touched.
  await one.send("POST", leases, { metadata: { name: "other" } });

  await two.server.close();
  const names = async () => (await list()).map(({ metadata }) => metadata.name).sort();
  const before = await names();
  await expect
    .poll(
      async () => {
        clock.advance(defaultIdentityLease.renewIntervalMs);
        await new Promise((done) => setTimeout(done, 1)); // the renewal that is now due
        return (await names()).length;
      },
      { interval: 1, timeout: 50_000 },
    )
    .toBe(2);
  const after = await names();
  expect(after).toContain("other");
  expect(before).toEqual(expect.arrayContaining(after));
  await store.close();
});

test("since 1.27 a server is known by the name of its machine, and a restart renews the lease that is there", async () => {
  const store = openSharedStore();
  const open = async (hostname: string) => {
    const { server, fetch } = await store.open({ level: "1.35", hostname });
    server.startUpkeep();
    return { server, list: async () => ((await (await fetch(leases)).json()) as { items: Lease[] }).items };
  };
  const first = await open("one");
  await expect.poll(async () => (await first.list()).length).toBe(1);
  const [lease] = await first.list();
  expect(lease?.metadata.name).toMatch(/^apiserver-[a-z2-7]{26}$/);
  expect(lease?.metadata.labels).toEqual({ "apiserver.orch.io/identity": "orch-apiserver", "orch.io/hostname": "one" });
  const holderOf = (one?: Lease) => (one?.spec as { holderIdentity?: string } | undefined)?.holderIdentity;
  expect(holderOf(lease)?.startsWith(`${lease?.metadata.name}_`)).toBe(true);
  await first.server.close();
  const again = await open("one");
  await expect.poll(async () => holderOf((await again.list())[0])).not.toBe(holderOf(lease));
  expect(await again.list()).toHaveLength(1);
  const other = await open("two");
  await expect.poll(async () => (await other.list()).length).toBe(2);
  await store.close();
});

test("without the gate there are none", async () => {
  const store = openSharedStore();
  const one = await store.open();
  one.server.startUpkeep();
  expect(((await (await one.fetch(leases)).json()) as { items: Lease[] }).items).toEqual([]);
  await store.close();
});

const now = Date.parse("2026-01-01T00:01:00Z");
const renewTime = "2026-01-01T00:00:00.000000Z";
const cases = [
  { why: "one that was renewed in time lives", spec: { renewTime, leaseDurationSeconds: 60 }, expired: false },
  { why: "one that was not has expired", spec: { renewTime, leaseDurationSeconds: 59 }, expired: true },
  { why: "one without a time has expired", spec: { leaseDurationSeconds: 60 }, expired: true },
  { why: "one without a duration has expired", spec: { renewTime }, expired: true },
  { why: "one without anything has expired", spec: {}, expired: true },
];
for (const { why, spec, expired } of cases) {
  test(`of identity leases, ${why}`, () => expect(isExpired({ spec }, now)).toBe(expired));
}
