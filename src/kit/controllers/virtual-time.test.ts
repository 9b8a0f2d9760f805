/** Controllers of a program beside a server whose clock a test moves. */

import { expect, expectTypeOf, test } from "vitest";
import { createServer } from "../../main/library.ts";
import { type Clock, ConfigMap, connect, controller, Lease, runControllers, Secret } from "../orch-client.ts";

test("virtual time reaches the controllers of a program: an hour of looking again every minute", async () => {
  await using server = await createServer({ clock: { virtual: "2026-01-01T00:00:00Z" } });
  expectTypeOf(server.clock).toExtend<Clock>();
  const client = await connect({ server });
  const times: string[] = [];
  const every = controller({
    for: ConfigMap,
    selection: { labelSelector: "app=timed" },
    async reconcile({ object, client, requeueAfter }) {
      times.push(new Date(client.clock.now()).toISOString().slice(11, 16));
      await client.of(ConfigMap).patch(object, { data: { runs: String(times.length) } });
      requeueAfter(60_000);
    },
    when: (_object, old) => old === undefined,
  });
  await using running = runControllers({ client, controllers: [every], leaderElection: { name: "timed" } });
  await running.ready;
  await client.of(ConfigMap).create({ metadata: { name: "timed", labels: { app: "timed" } } });
  await server.settled();
  expect(times).toEqual(["00:00"]);
  await server.clock.advance("1h");
  expect([times.length, times.at(-1)]).toEqual([61, "01:00"]);
  expect((await client.of(ConfigMap).get("timed")).data?.["runs"]).toBe("61");
  const { spec } = await client.of(Lease).get("timed");
  expect(spec?.renewTime?.slice(0, 16)).toMatch(/2026-01-01T0(0:59|1:00)/);
});

test("settled waits for the controllers of a program, and names one that does not get there", async () => {
  await using server = await createServer();
  const client = await connect({ server });
  let mayEnd = false;
  const slow = controller({
    name: "copies",
    for: ConfigMap,
    selection: { labelSelector: "app=slow" },
    async reconcile({ object, client }) {
      while (!mayEnd) await new Promise((resolve) => setTimeout(resolve, 5));
      await client.of(Secret).apply({ metadata: { name: object.metadata.name ?? "" } }, { manager: "copies" });
    },
  });
  const running = runControllers({ client, controllers: [slow] });
  await running.ready;
  await client.of(ConfigMap).create({ metadata: { name: "slow", labels: { app: "slow" } } });
  await expect(server.settled({ timeoutMs: 100 })).rejects.toThrow("controller copies on default/slow");
  mayEnd = true;
  await server.settled();
  expect(await client.of(Secret).find("slow")).toBeDefined();
  await running.close();
  await server.settled();
});

test("a clock that is given wins, and a server with the clock of the system gives none", async () => {
  await using server = await createServer({ clock: "virtual", controllers: false });
  const clock: Clock = { now: () => 7, monotonic: () => 7, after: () => () => {} };
  expect((await connect({ server, clock })).clock).toBe(clock);
  expect((await connect({ server })).clock).toBe(server.clock);
  await using real = await createServer({ controllers: false });
  expect([real.clock.isVirtual, (await connect({ server: real })).clock === real.clock]).toEqual([false, false]);
});
