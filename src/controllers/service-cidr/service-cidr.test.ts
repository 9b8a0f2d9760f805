import assert from "node:assert/strict";
import { describe, expect, test } from "vitest";
import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { createManualClock } from "../../base/clock.ts";
import { withControllers } from "../scenario.suite.ts";
import { contains, deletionDelayMs, isNeeded, planRange } from "./reconcile.ts";
import { serviceCidr } from "./wire.ts";

const range = (...cidrs: string[]): ServiceCIDR => ({ metadata: { name: "r" }, spec: { cidrs } });

describe("a range", () => {
  const cases = [
    { cidr: "10.0.0.0/24", ip: "10.0.0.255", is: true },
    { cidr: "10.0.0.0/24", ip: "10.0.1.0", is: false },
    { cidr: "10.0.0.0/24", ip: "fd00::1", is: false },
    { cidr: "fd00::/112", ip: "fd00::ffff", is: true },
    { cidr: "fd00::/112", ip: "fd00::1:0", is: false },
  ];
  for (const { cidr, ip, is } of cases)
    test(`${cidr} ${is ? "has" : "does not have"} ${ip}`, () => assert.equal(contains(cidr, ip), is));

  test("is needed for addresses that no other range has", () => {
    assert.equal(isNeeded(range("10.0.0.0/24"), [], []), false);
    assert.equal(isNeeded(range("10.0.0.0/24"), [], ["10.0.0.9"]), true);
    assert.equal(isNeeded(range("10.0.0.0/24"), [range("10.0.0.0/16")], ["10.0.0.9"]), false);
    const deleted = { ...range("10.0.0.0/16"), metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
    assert.equal(isNeeded(range("10.0.0.0/24"), [deleted], ["10.0.0.9"]), true);
  });
});

test("a range that nothing needs goes so long after its deletion", () => {
  const deletedMs = Date.parse("2026-01-01T00:00:00Z");
  const finalizer = "f";
  const metadata = { name: "r", finalizers: [finalizer], deletionTimestamp: "2026-01-01T00:00:00Z" };
  const planAt = (nowMs: number) =>
    planRange({ range: { ...range("10.0.0.0/24"), metadata }, others: [], addresses: [], finalizer, nowMs });
  expect(planAt(deletedMs)).toEqual({ reviewInMs: deletionDelayMs });
  expect(planAt(deletedMs + deletionDelayMs - 1)).toEqual({ reviewInMs: 1 });
  expect(planAt(deletedMs + deletionDelayMs)?.writes).toHaveLength(1);
});

test("a range becomes ready, and a deleted one stays while an address of it is in use", () => {
  const clock = createManualClock(Date.now());
  return withControllers(
    [serviceCidr],
    async ({ client, create, until, untilGone }) => {
      await create(ServiceCIDR, { ...range("10.9.0.0/24"), metadata: { name: "more" } });
      const readyOf = ({ status }: ServiceCIDR) => status?.conditions?.find(({ type }) => type === "Ready");
      const ready = await until(ServiceCIDR, { name: "more" }, (each) => readyOf(each)?.status === "True");
      expect(ready.metadata.finalizers).toEqual(["networking.orch.io/service-cidr-finalizer"]);
      const parentRef = { resource: "services", namespace: "default", name: "web" };
      const labels = { "ipaddress.orch.io/managed-by": "ipallocator.orch.io" };
      await create(IPAddress, { metadata: { name: "10.9.0.7", labels }, spec: { parentRef } });
      // An address that the server has not given out keeps no range.
      await create(IPAddress, { metadata: { name: "10.9.0.8" }, spec: { parentRef } });
      await client.of(ServiceCIDR).delete({ name: "more" });
      await until(ServiceCIDR, { name: "more" }, (each) => readyOf(each)?.reason === "Terminating");
      await client.of(IPAddress).delete({ name: "10.9.0.7" });
      const gone = untilGone(ServiceCIDR, { name: "more" }).then(() => true);
      const isGone = () => Promise.race([gone, new Promise((done) => setTimeout(done, 50))]);
      expect(await isGone()).toBeUndefined();
      while (!(await isGone())) clock.advance(deletionDelayMs);
    },
    { clock, server: { emulatedVersion: "1.35" } },
  );
});
