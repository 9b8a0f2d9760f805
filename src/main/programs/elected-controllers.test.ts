/** Which of several servers on one store runs which controllers. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { openSharedStore, type SharedStore, type SharingServer } from "../../../test/server/shared-store.fixture.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Controller } from "../../controllers/contract.ts";
import { type ElectedControllers, runElectedControllers } from "./elected-controllers.ts";

const leases = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
const namespaces = "/api/v1/namespaces";
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const controllers = ["deployment", "scheduler", "simulated-nodes", "job"].map(
  (name): Controller => ({ name, start: () => undefined }),
);

let store: SharedStore;
let clock: ReturnType<typeof createManualClock>;
beforeEach(async () => {
  store = openSharedStore();
  clock = createManualClock(Date.UTC(2026, 0, 1));
});
afterEach(() => store.close());

/** A server whose controllers do nothing but say that they run. */
async function open(identity: string) {
  const server = await store.open({ clock });
  await server.send("POST", namespaces, { metadata: { name: "orch-system" } });
  const running = new Map<string, () => boolean>();
  const elected = runElectedControllers({
    server: server.server,
    controllers,
    election: { identity, lease: { namespace: "orch-system", name: "orch-controller-manager" }, ...times },
    clock,
    log: silentLog,
    start(chosen, mayWrite) {
      const names = chosen.map(({ name }) => name).join();
      running.set(names, mayWrite);
      return { stats: [], dueInMs: () => undefined, close: async () => void running.delete(names) };
    },
  });
  return { ...server, elected, running, names: () => [...running.keys()].sort() };
}

const all = ["deployment,job", "scheduler", "simulated-nodes"];
const held = (elected: ElectedControllers) => elected.leases.filter(({ isHeld }) => isHeld).map(({ name }) => name);
const steal = (server: SharingServer, name: string) =>
  server.send("PATCH", `${leases}/${name}`, { spec: { holderIdentity: "a program" } }, "application/merge-patch+json");
/** Moves the clock in steps that renew leases, until it is so. */
const after = (isSo: () => boolean) =>
  expect
    .poll(() => {
      if (!isSo()) clock.advance(1_000);
      return isSo();
    })
    .toBe(true);

test("of two servers one runs the controllers, and the other takes over when it stops", async () => {
  const one = await open("one");
  await after(() => one.running.size === 3);
  const two = await open("two");
  for (let turn = 0; turn < 20; turn++) {
    clock.advance(1_000);
    await new Promise((done) => setImmediate(done));
  }
  expect(one.names()).toEqual(all);
  expect(two.names()).toEqual([]);
  expect(held(one.elected).sort()).toEqual(["orch-controller-manager", "orch-scheduler", "orch-simulated-nodes"]);
  expect(held(two.elected)).toEqual([]);
  await one.elected.close();
  expect(one.names()).toEqual([]);
  await after(() => two.running.size === 3);
  await two.elected.close();
});

test("a lease that a program of its own has taken ends its part alone, which may not write from then on", async () => {
  const one = await open("one");
  await after(() => one.running.size === 3);
  const mayWrite = one.running.get("scheduler")!;
  expect(mayWrite()).toBe(true);
  expect((await steal(one, "orch-scheduler")).status).toBe(200);
  await after(() => !one.running.has("scheduler"));
  expect(mayWrite()).toBe(false);
  expect(one.names()).toEqual(["deployment,job", "simulated-nodes"]);
  // Nobody renews it.
  await after(() => one.running.has("scheduler"));
  await one.elected.close();
});

test("who cannot renew may not write when others may have taken over, whatever it has noticed", async () => {
  const one = await open("one");
  await after(() => one.running.size === 3);
  const mayWrite = one.running.get("deployment,job")!;
  clock.advance(10_000);
  expect(mayWrite()).toBe(false);
  await one.elected.close();
});
