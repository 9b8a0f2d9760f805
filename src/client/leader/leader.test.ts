import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createServer } from "../../main/library.ts";
import { orch } from "../../vocabulary/orch.ts";
import { createClient } from "../client.ts";
import type { Fetch } from "../contract.ts";
import { acquireLeadership, type LeaderOptions } from "./leader.ts";

const times = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 20 };
function candidate(fetch: Fetch, identity: string): LeaderOptions {
  const client = createClient({ fetch, vocabulary: orch, clock: systemClock, userAgent: "test" });
  const lease = { namespace: "orch-system", name: "leader" };
  return { client, clock: systemClock, log: silentLog, identity, lease, random: Math.random, ...times };
}
const never = new AbortController().signal;

test("only one of two leads, and the other takes over at once when the lease is released", async () => {
  const server = await createServer({ controllers: false });
  const first = await acquireLeadership(candidate(server.fetch, "one"), never);
  let isSecond = false;
  const second = acquireLeadership(candidate(server.fetch, "two"), never).then((leadership) => {
    isSecond = true;
    return leadership;
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect([first.isHeld(), isSecond]).toEqual([true, false]);
  await first.release();
  const taken = await second;
  expect([first.isHeld(), taken.isHeld()]).toEqual([false, true]);
  await taken.release();
  await server.close();
});

test("a leader whose renewals fail stops leading before another takes over", async () => {
  const server = await createServer({ controllers: false });
  let isCut = false;
  const cut: Fetch = (path, init) => (isCut ? Promise.reject(new Error("cut off")) : server.fetch(path, init));
  const first = await acquireLeadership(candidate(cut, "one"), never);
  const second = acquireLeadership(candidate(server.fetch, "two"), never);
  isCut = true;
  const lost = new Promise<boolean>((resolve) => first.signal.addEventListener("abort", () => resolve(first.isHeld())));
  const taken = await second;
  expect(first.isHeld()).toBe(false);
  expect(await lost).toBe(false);
  await taken.release();
  await server.close();
});

test("the time of a renewal is that of the write, even if the read took long", async () => {
  const server = await createServer({ controllers: false });
  let readMs = 0;
  const slow: Fetch = async (path, init) => {
    const response = await server.fetch(path, init);
    if ((init?.method ?? "GET") === "GET") {
      await new Promise((resolve) => setTimeout(resolve, 50));
      readMs = Date.now();
    }
    return response;
  };
  const leadership = await acquireLeadership(candidate(slow, "one"), never);
  const path = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases/leader";
  const { spec } = (await (await server.fetch(path)).json()) as { spec: { acquireTime: string } };
  expect(Date.parse(spec.acquireTime)).toBeGreaterThanOrEqual(readMs);
  await leadership.release();
  await server.close();
});

test("waiting ends when the signal aborts", async () => {
  const server = await createServer({ controllers: false });
  const first = await acquireLeadership(candidate(server.fetch, "one"), never);
  const stop = new AbortController();
  const second = acquireLeadership(candidate(server.fetch, "two"), stop.signal);
  stop.abort(new Error("no more"));
  await expect(second).rejects.toThrow("no more");
  await first.release();
  await server.close();
});

test("settings under which two could lead are refused, and nothing is written", async () => {
  await using server = await createServer({ controllers: false });
  await expect(acquireLeadership(candidate(server.fetch, ""), never)).rejects.toThrow(/identity must not be empty/);
  const short = { ...candidate(server.fetch, "one"), leaseDurationMs: 1_000 };
  await expect(acquireLeadership(short, never)).rejects.toThrow(TypeError);
  expect((await server.fetch("/apis/coordination.orch.io/v1/namespaces/orch-system/leases/leader")).status).toBe(404);
});

test("a process that may not write the lease says why it waits, once", async () => {
  await using server = await createServer({ controllers: false, authorization: "RBAC" });
  const warned: unknown[] = [];
  const stop = new AbortController();
  let tries = 0;
  const fetch: Fetch = (path, init) => {
    if (++tries > 4) stop.abort(new Error("enough"));
    return server.fetchAs({ name: "eve" })(path, init);
  };
  const options = {
    ...candidate(fetch, "one"),
    log: { ...silentLog, warn: (...all: unknown[]) => void warned.push(all) },
  };
  await expect(acquireLeadership(options, stop.signal)).rejects.toThrow("enough");
  expect(warned).toHaveLength(1);
  expect(warned[0]).toMatchObject(["the lease could not be read or written; it is tried again", { lease: "leader" }]);
});
