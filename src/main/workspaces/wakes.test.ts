/** Work that waits for a time in workspaces that sleep, and which of several servers does the work of workspaces. */

import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { Kv } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createServer } from "../library.ts";
import { all, maps, openWithClock } from "./clock.fixture.ts";

/** Controllers that do nothing, say when they are due, and note when they run. */
function pretended() {
  const log: string[] = [];
  /** By uid: on the wall clock. */
  const dueAtMs = new Map<string, number>();
  const running = new Set<string>();
  const start = (now: () => number) => (_server: unknown, uid: string) => {
    log.push(`start ${uid}`);
    running.add(uid);
    return {
      stats: [],
      dueInMs() {
        const at = dueAtMs.get(uid);
        return at === undefined ? undefined : Math.max(0, at - now());
      },
      async close() {
        log.push(`stop ${uid}`);
        running.delete(uid);
      },
    };
  };
  return { log, dueAtMs, running, start };
}

/** A store that servers leave open. `isShared`: as one that other processes have too, so no server knows the newest revision by itself. */
const heldOpen = (isShared = false): Kv =>
  new Proxy(createMemoryKv(), {
    get(target, name) {
      if (name === "close") return async () => undefined;
      if (name === "newest" && isShared) return undefined;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** A store that tells others of a write some time later. */
const tellsLate = (kv: Kv): Kv =>
  new Proxy(kv, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "watch") return typeof member === "function" ? member.bind(target) : member;
      return async function* (...args: Parameters<Kv["watch"]>) {
        for await (const events of target.watch(...args)) {
          await new Promise((done) => setTimeout(done, 50));
          yield events;
        }
      };
    },
  });

/** A store that tells nothing while it is held, and then everything at once. */
function tellsTogether(kv: Kv) {
  let held: Promise<void> | undefined;
  let release = () => {};
  const store = new Proxy(kv, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "watch") return typeof member === "function" ? member.bind(target) : member;
      return async function* (...args: Parameters<Kv["watch"]>) {
        const told = target.watch(...args)[Symbol.asyncIterator]();
        let next = told.next();
        for (let now = await next; !now.done; now = await next) {
          const { changes, revision } = now.value;
          let events = { changes: [...changes], revision };
          next = told.next();
          if (held !== undefined) {
            await held;
            for (;;) {
              const more = await Promise.race([
                next,
                new Promise<undefined>((done) => setTimeout(() => done(undefined), 20)),
              ]);
              if (more === undefined || more.done) break;
              events = { changes: [...events.changes, ...more.value.changes], revision: more.value.revision };
              next = told.next();
            }
          }
          yield events;
        }
      };
    },
  });
  const hold = () => {
    held = new Promise((done) => {
      release = () => {
        held = undefined;
        done();
      };
    });
  };
  return { store, hold, release: () => release() };
}

const marks = async (kv: Kv) =>
  (await kv.range("workspace-wakes/")).entries.map(({ value }) => Number(Buffer.from(value).toString()));
const turns = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((done) => setImmediate(done));
};

test("a workspace that sleeps opens when its controllers have something to do, also after a restart", async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const controllers = pretended();
  const kv = heldOpen();
  const options = { clock, kv, startControllers: controllers.start(() => clock.now()) };
  const { server, make, write } = await openWithClock(10, 10, options);
  await make("shop");
  const uid = server.workspaces.find("shop")?.metadata.uid ?? "";
  expect(await write("shop", "one")).toBe(201);
  await expect.poll(() => controllers.running.has(uid)).toBe(true);
  await expect.poll(() => marks(kv)).toEqual([clock.now()]);
  const dueAtMs = clock.now() + 3_600_000;
  controllers.dueAtMs.set(uid, dueAtMs);
  clock.advance(60_000);
  await expect.poll(() => server.workspaces.openCount).toBe(0);
  await expect.poll(() => marks(kv)).toEqual([dueAtMs]);
  clock.advance(3_000_000);
  await turns();
  expect(server.workspaces.openCount).toBe(0);
  clock.advance(540_000);
  await expect.poll(() => controllers.running.has(uid)).toBe(true);
  controllers.dueAtMs.set(uid, clock.now() + 7_200_000);
  await server.close();
  expect(await marks(kv)).toEqual([clock.now() + 7_200_000]);
  controllers.log.length = 0;

  const again = await openWithClock(10, 10, options);
  await turns();
  expect(controllers.log).toEqual([]);
  clock.advance(7_200_000);
  await expect.poll(() => controllers.running.has(uid)).toBe(true);
  controllers.dueAtMs.clear();
  clock.advance(60_000);
  await expect.poll(() => again.server.workspaces.openCount).toBe(0);
  await expect.poll(() => marks(kv)).toEqual([]);
  await again.server.close();
});

test("a workspace whose server has crashed goes on at the next start", async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const controllers = pretended();
  const kv = heldOpen();
  const options = { clock, kv, startControllers: controllers.start(() => clock.now()) };
  const { server, make, write } = await openWithClock(10, 10, options);
  await make("shop");
  expect(await write("shop", "one")).toBe(201);
  await expect.poll(() => marks(kv)).toHaveLength(1);
  controllers.running.clear(); // nothing is told of a crash
  const next = await openWithClock(10, 10, options);
  await expect.poll(() => controllers.running.size).toBe(1);
  await next.server.close();
  await server.close();
});

test("one that is due soon stays open, and one that is suspended is due when it no longer is", async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const controllers = pretended();
  const { server, fetch, make, write } = await openWithClock(10, 10, {
    clock,
    startControllers: controllers.start(() => clock.now()),
  });
  await make("shop");
  const uid = server.workspaces.find("shop")?.metadata.uid ?? "";
  expect(await write("shop", "one")).toBe(201);
  await expect.poll(() => controllers.running.has(uid)).toBe(true);
  controllers.dueAtMs.set(uid, clock.now() + 50_000);
  clock.advance(40_000);
  await turns();
  expect(server.workspaces.openCount).toBe(1);
  const suspend = (suspended: boolean) =>
    fetch(`${all}/shop`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ spec: { suspended } }),
    });
  await suspend(true);
  await expect.poll(() => server.workspaces.openCount).toBe(0);
  clock.advance(20_000);
  await turns();
  expect(controllers.running.size).toBe(0);
  await suspend(false);
  await expect.poll(() => controllers.running.has(uid)).toBe(true);
  await server.close();
});

test("of two servers on one store one runs the controllers of all workspaces, and the other takes over", async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const kv = heldOpen(true);
  const [first, second] = [pretended(), pretended()];
  const open = (controllers: typeof first) =>
    openWithClock(10, 10, { clock, kv, isShared: true, startControllers: controllers.start(() => clock.now()) });
  const one = await open(first);
  await one.make("shop");
  const uid = one.server.workspaces.find("shop")?.metadata.uid ?? "";
  expect(await one.write("shop", "a")).toBe(201);
  await expect.poll(() => first.running.has(uid)).toBe(true);

  const two = await open(second);
  expect(await two.write("shop", "b")).toBe(201);
  await turns();
  expect(second.log).toEqual([]);

  // It sleeps at the one that acts, which renews its lease meanwhile, and is woken by a write to the other.
  const sinceRenewalMs = async () => {
    const lease = await one.fetch("/apis/coordination.orch.io/v1/namespaces/orch-system/leases/workspaces");
    const { spec } = (await lease.json()) as { spec: { renewTime: string } };
    return clock.now() - Date.parse(spec.renewTime);
  };
  for (let passed = 0; passed < 35; passed += 2.5) {
    clock.advance(2_500);
    await expect.poll(sinceRenewalMs).toBeLessThan(2_500);
  }
  await expect.poll(() => one.server.workspaces.openCount).toBe(0);
  expect(first.running.size).toBe(0);
  expect(await two.write("shop", "c")).toBe(201);
  await expect.poll(() => first.running.has(uid)).toBe(true);
  expect(second.log).toEqual([]);

  // The one that acts stops: its lease is released, and what it was doing goes on at the other.
  await one.server.close();
  expect(first.running.size).toBe(0);
  await expect
    .poll(() => {
      clock.advance(3_000);
      return second.running.has(uid);
    })
    .toBe(true);
  expect((await two.fetch(`/clusters/shop${maps}`)).status).toBe(200);
  await two.server.close();
});

test("a workspace that was made through one server is at once there at another one", async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const kv = heldOpen(true);
  const one = await openWithClock(10, 10, { clock, kv, isShared: true });
  const two = await openWithClock(10, 10, { clock, kv: tellsLate(kv), isShared: true });
  await one.make("shop");
  expect(await two.write("shop", "one")).toBe(201);
  await two.server.close();
  await one.server.close();
});

test("a server that learns late that a workspace was suspended or deleted ends its watches too", async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const kv = heldOpen(true);
  const late = tellsTogether(kv);
  const one = await openWithClock(10, 10, { clock, kv, isShared: true });
  const two = await openWithClock(10, 10, { clock, kv: late.store, isShared: true });
  const watches: Promise<unknown>[] = [];
  for (const name of ["shop", "mill"]) {
    await one.make(name);
    const { body } = await two.fetch(`/clusters/${name}${maps}?watch=1`);
    watches.push(body!.pipeTo(new WritableStream()));
  }
  expect(two.server.workspaces.openCount).toBe(2);
  late.hold();
  await one.fetch(`${all}/shop`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ spec: { suspended: true } }),
  });
  await one.fetch(`${all}/mill`, { method: "DELETE" });
  await expect.poll(async () => (await one.fetch(`${all}/mill`)).status).toBe(404);
  const phase = async () =>
    ((await (await one.fetch(`${all}/shop`)).json()) as { status: { phase: string } }).status.phase;
  await expect.poll(phase).toBe("Suspended");
  late.release();
  await Promise.all(watches);
  await expect.poll(() => two.server.workspaces.openCount).toBe(0);
  await two.server.close();
  await one.server.close();
});

test("what another server was still writing to a workspace that is deleted does not stay", async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const kv = heldOpen(true);
  const { server, fetch, make, write } = await openWithClock(10, 10, { clock, kv, isShared: true });
  await make("shop");
  expect(await write("shop", "one")).toBe(201);
  const prefix = `workspaces/${server.workspaces.find("shop")?.metadata.uid}/`;
  const count = async () => (await kv.range(prefix)).entries.length;
  await fetch(`${all}/shop`, { method: "DELETE" });
  await expect.poll(async () => (await fetch(`${all}/shop`)).status).toBe(404);
  expect(await count()).toBe(0);
  await kv.put(`${prefix}late`, Buffer.from("{}"), 0n);
  clock.advance(120_000);
  await expect.poll(count).toBe(0);
  await server.close();
});

test("a CronJob of a workspace that nobody uses runs on time", async () => {
  await using server = await createServer({
    workspaces: true,
    controllers: ["cronjob"],
    clock: { virtual: "2026-01-01T00:00:00Z" },
  });
  const shop = await server.workspace("shop");
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const cronJob = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "nightly" },
    spec: {
      schedule: "0 3 * * *",
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
    },
  };
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(cronJob);
  expect((await shop.fetch(jobs.replace("jobs", "cronjobs"), { method: "POST", headers, body })).status).toBe(201);
  await shop.settled();
  await server.clock.advance("1h");
  await server.clock.advance("3h");
  await turns();
  const created = async () =>
    ((await (await shop.fetch(jobs)).json()) as { items: { metadata: { creationTimestamp: string } }[] }).items.map(
      ({ metadata }) => metadata.creationTimestamp,
    );
  await expect.poll(created).toHaveLength(1);
  expect((await created())[0]).toMatch(/^2026-01-01T03:00:0/);
});
