import { expect, test } from "vitest";
import { connect } from "../../kit/connect.ts";
import { Lease } from "../../kit/kinds.ts";
import { createServer } from "../library.ts";
import { claim, claimWatchMs } from "./claim.ts";

const hosted = { namespace: "default", name: "hook" };
const lease = { namespace: "default", name: "orch-host.hook" };

test("a Deployment that another machine hosts is refused, and one that it left is taken", async () => {
  await using server = await createServer({ clock: "virtual" });
  const client = await connect({ server });
  const said: string[] = [];
  const on = (machine: string) =>
    claim({ client, hosted, machine, clock: server.clock, say: (text) => void said.push(text) });
  /** What waits for the watch of a Lease goes on. */
  const afterWatch = async <T>(work: Promise<T>): Promise<T> => {
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    let isDone = false;
    while (!isDone) await server.clock.advance(claimWatchMs / 4);
    return done;
  };
  const first = await on("one");
  expect((await client.of(Lease).get(lease)).spec?.holderIdentity).toBe(`one (process ${process.pid})`);
  await expect(afterWatch(on("two"))).rejects.toThrow(
    `deployment default/hook is hosted on one (process ${process.pid}) already; end that first`,
  );
  expect(said).toEqual([
    `looks for 12 s whether one (process ${process.pid}), which hosted deployment default/hook, still does`,
  ]);
  await first.release();
  expect(await client.of(Lease).find(lease)).toBeUndefined();

  const killed = { metadata: lease, spec: { holderIdentity: "one (process 1)", leaseDurationSeconds: 12 } };
  await client.of(Lease).create(killed);
  const second = await afterWatch(on("two"));
  expect((await client.of(Lease).get(lease)).spec?.holderIdentity).toBe(`two (process ${process.pid})`);
  await second.release();

  await client.of(Lease).create({ ...killed, spec: { holderIdentity: "two (process 4194999)" } });
  await (await on("two")).release();
  client.close();
});
