import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { addressLeaseMs, createAddressLeases } from "./address-leases.ts";

const [first, second, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

test("an address is alive while its lease is renewed, by the clock of the server that checks", async () => {
  const kv = createMemoryKv();
  // Clocks of machines differ, also by years.
  const [here, there] = [createManualClock(0), createManualClock(9e11)];
  const [own, other] = [createAddressLeases(kv, here), createAddressLeases(kv, there)];
  await own.renew(first);
  await other.renew(second);
  expect([await own.living(), await other.living()]).toEqual([
    [first, second],
    [first, second],
  ]);
  here.advance(addressLeaseMs - 1);
  await own.renew(first);
  expect(await own.living()).toEqual([first, second]);
  here.advance(1);
  expect(await own.living()).toEqual([first]);
  // Its lease was removed for all; it comes back with the next renewal.
  expect(await other.living()).toEqual([first]);
  await other.renew(second);
  expect(await own.living()).toEqual([first, second]);
  await kv.close();
});

test("a lease that was renewed after the check is not removed", async () => {
  const kv = createMemoryKv();
  const clock = createManualClock(0);
  const [own, other] = [createAddressLeases(kv, clock), createAddressLeases(kv, clock)];
  await other.renew(second);
  await own.living();
  clock.advance(addressLeaseMs);
  const remove = kv.delete.bind(kv);
  kv.delete = async (key, expected) => {
    await other.renew(second);
    return remove(key, expected);
  };
  await own.living();
  expect(await own.living()).toEqual([second]);
  await kv.close();
});

test("a server that was paused for a minute does not consider the others dead", async () => {
  const kv = createMemoryKv();
  const clock = createManualClock(0);
  const [own, other] = [createAddressLeases(kv, clock), createAddressLeases(kv, clock)];
  await Promise.all([own.renew(first), other.renew(second), other.renew(third)]);
  await own.living();
  const range = kv.range.bind(kv);
  kv.range = async (...args) => {
    const answer = await range(...args);
    clock.advance(60_000); // stopped between the answer of the store and its use
    return answer;
  };
  expect(await own.living()).toEqual([first, second, third]);
  await kv.close();
});

test("a server that stops ends its lease at once", async () => {
  const kv = createMemoryKv();
  const leases = createAddressLeases(kv, createManualClock(0));
  await leases.renew(first);
  await leases.renew(second);
  await leases.end(first);
  await leases.end(third); // it never had one
  expect(await leases.living()).toEqual([second]);
  await kv.close();
});
