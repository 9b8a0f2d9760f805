/** Controllers of several processes: one leads, the others wait. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createServer, type OrchServer } from "../../main/library.ts";
import {
  type Client,
  ConfigMap,
  connect,
  controller,
  type LeaderElection,
  Lease,
  runControllers,
} from "../orch-client.ts";

let server: OrchServer;
let client: Client;
beforeAll(async () => {
  server = await createServer();
  client = await connect({ server });
});
afterAll(() => server.close());

const soon = { timeout: 60_000, interval: 10 };

test("of two processes one works, and the other takes over when it stops", async () => {
  const worked: string[] = [];
  const open = (identity: string) =>
    runControllers({
      client,
      leaderElection: { name: "elected", identity, retryPeriodMs: 20 },
      controllers: [
        controller({
          for: ConfigMap,
          selection: { labelSelector: "app=elected" },
          async reconcile({ object }) {
            worked.push(`${identity} ${object.metadata.name}`);
          },
        }),
      ],
    });
  const one = open("one");
  await one.ready;
  const two = open("two");
  await client.of(ConfigMap).create({ metadata: { name: "e1", labels: { app: "elected" } } });
  await vi.waitFor(() => expect(worked).toEqual(["one e1"]), soon);
  await one.close();
  await one.ended;
  await two.ready;
  await vi.waitFor(() => expect(worked).toEqual(["one e1", "two e1"]), soon);
  await two.close();
});

test("a leader that loses its lease stops, may not write, and says so", async () => {
  const leaderElection = { name: "lost", identity: "one", retryPeriodMs: 20 };
  const writes: unknown[] = [];
  let began = () => {};
  const works = new Promise<void>((resolve) => {
    began = resolve;
  });
  const running = runControllers({
    client,
    leaderElection,
    controllers: [
      controller({
        for: ConfigMap,
        selection: { labelSelector: "app=lost" },
        async reconcile({ client, signal }) {
          began();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          writes.push(
            await client
              .of(ConfigMap)
              .create({ metadata: { name: "never" } })
              .catch((error: Error) => error.message),
          );
        },
      }),
    ],
  });
  await client.of(ConfigMap).create({ metadata: { name: "l1", labels: { app: "lost" } } });
  await works;
  const failed = expect(running.ended).rejects.toThrow("leadership was lost");
  await client
    .of(Lease)
    .patch("lost", { spec: { holderIdentity: "another", renewTime: "2030-01-01T00:00:00.000000Z" } });
  await failed;
  expect([writes, running.isHealthy()]).toEqual([["this process does not lead and may not write"], false]);
  await running.close();
});

test("an election in which two could lead is refused at once", async () => {
  const open = (leaderElection: LeaderElection) => () => runControllers({ client, controllers: [], leaderElection });
  expect(open({ name: "a", identity: "" })).toThrow(/^leaderElection: the identity must not be empty/);
  expect(open({ name: "" })).toThrow(/^leaderElection: the name of the lease "" cannot be used/);
  expect(open({ name: "a", leaseDurationMs: 5_000 })).toThrow(
    "leaderElection: the lease duration (5000 ms) must be longer than the renew deadline (10000 ms)",
  );
});
