/** Each fault drives a controller that works on a good day into a bug, and leaves one that is written with `orch/client` right. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import type { Fault, PlannedFault } from "./contract.ts";
import { type OrderState, orders, send, startCareful, startNaive, stateOf, user } from "./orders.suite.ts";

const watched = { user, verb: "watch", resource: "configmaps" } as const;
/** The naive controller creates, the careful one applies. */
const anyInvoice = { user, verb: ["create", "patch"], resource: "secrets" } as const;
const firstInvoice = { ...anyInvoice, nth: 1 } as const;
const firstNaming = { user, verb: ["update", "patch"], resource: "configmaps", nth: 1 } as const;

const good: OrderState = [1, true, true];
const right = { a: good, b: good };
interface Case {
  readonly why: string;
  readonly fault: Fault;
  /** What becomes of the naive controller's work; absent members are right. */
  readonly naive: { readonly a?: OrderState; readonly b?: OrderState; readonly count?: string | undefined };
  /** Whether the fault ends after a while. */
  readonly isRemoved?: boolean;
  readonly isOfLists?: boolean;
}

const cases: readonly Case[] = [
  {
    why: "a slow create: the order has changed meanwhile, and is never named",
    fault: { match: firstInvoice, do: { latencyMs: 5_000 } },
    naive: { a: [1, false, true] },
  },
  {
    why: "a conflict: it does not try again",
    fault: { match: firstNaming, do: { status: 409 } },
    naive: { a: [1, false, true] },
  },
  {
    why: "429 with Retry-After: it tries three times at once, and gives up",
    fault: { match: anyInvoice, do: { status: 429, retryAfterSeconds: 1 } },
    naive: { a: [0, false, false], b: [0, false, false] },
    isRemoved: true,
  },
  {
    why: "an error of the server: it takes the order as named",
    fault: { match: firstNaming, do: { status: 500 } },
    naive: { a: [1, false, true] },
  },
  {
    why: "a refused connection: it never watches again",
    fault: { match: { ...watched, nth: 1 }, do: { connection: "refuse" } },
    naive: { a: [0, false, false], b: [0, false, false], count: undefined },
  },
  {
    why: "a lost answer: it creates a second invoice",
    fault: { match: firstInvoice, do: { connection: "cut" } },
    naive: { a: [2, true, true] },
  },
  {
    why: "an error after the write: it creates a second invoice",
    fault: { match: firstInvoice, do: { status: 504, when: "after" } },
    naive: { a: [2, true, true] },
  },
  {
    why: "a lost event: it counts one order less",
    fault: { match: { ...watched, nth: 1 }, do: { events: "drop" } },
    naive: { count: "1" },
  },
  {
    why: "a late event: it writes what the order was, and is refused",
    fault: { match: { ...watched, nth: 1 }, do: { events: "delay", delayMs: 5_000 } },
    naive: { a: [1, false, true] },
  },
  {
    why: "an event that comes twice: it counts one order more",
    fault: { match: { ...watched, nth: 1 }, do: { events: "duplicate" } },
    naive: { count: "3" },
  },
  {
    why: "events in another order: the invoice keeps the price of before",
    fault: { match: watched, do: { events: "reorder" } },
    naive: { a: [1, true, false] },
  },
  {
    why: "410: it has stopped, and says nothing",
    fault: { match: watched, do: { expireAfterEvents: 1 } },
    naive: { a: [1, true, false], b: [0, false, false], count: undefined },
  },
  {
    why: "a stale list: it does not see its own invoice, and creates another",
    fault: { match: { user, verb: "list", nth: 2 }, do: { list: "stale" } },
    isOfLists: true,
    naive: { a: [2, true, true] },
  },
  {
    why: "silent bookmarks: it never publishes its summary",
    fault: { match: watched, do: { bookmarks: "silent" } },
    naive: { count: undefined },
  },
];

const plans = "/apis/testing.orch.io/v1alpha1/faultplans";

/** Creates a FaultPlan, as a test in another language does. */
async function plan(
  server: OrchServer,
  spec: Fault,
): Promise<{ readonly planned: PlannedFault | undefined; remove(): Promise<void> }> {
  const object = { apiVersion: "testing.orch.io/v1alpha1", kind: "FaultPlan", metadata: { name: "plan" }, spec };
  expect((await send(server.fetch, "POST", plans, object)).status).toBe(201);
  await expect.poll(() => server.faults.all.length).toBe(1);
  const [planned] = server.faults.all;
  return {
    planned,
    async remove() {
      await server.fetch(`${plans}/plan`, { method: "DELETE" });
      await expect.poll(() => server.faults.all.length).toBe(0);
    },
  };
}

const patch = (server: OrchServer, name: string, body: unknown) =>
  server.fetch(`${orders}/${name}`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify(body),
  });

interface Life {
  readonly start: typeof startNaive;
  /** Whether the controller is started again in the middle. */
  readonly restarts?: boolean;
  /** Removes the fault before the end. */
  remove?(): Promise<void>;
}

/** Two orders come, the price of one of them changes twice, and time passes. Resolves with what stops the controller. */
async function live(server: OrchServer, { start, restarts = false, remove }: Life): Promise<() => Promise<void>> {
  // Everything that happens without a step of the clock.
  const settle = () => server.clock.advance(0);
  let stop = await start(server);
  await settle();
  for (const name of ["a", "b"]) {
    await send(server.fetch, "POST", orders, { metadata: { name, labels: { app: "order" } }, data: { price: "1" } });
    await settle();
  }
  if (restarts) {
    const stopped = stop();
    await server.clock.advance("10s"); // a slow request may be in progress
    await stopped;
    stop = await start(server);
    await settle();
  }
  for (const price of ["2", "3"]) {
    await patch(server, "a", { data: { price } });
    await settle();
  }
  await remove?.();
  await server.clock.advance("2m");
  return stop;
}

/** Time passes and orders change, until the work of the careful controller is right. */
async function untilRight(server: OrchServer): Promise<void> {
  let round = 0;
  const state = async () => {
    // An event that was lost, or came behind a newer one, does no harm once there is another one for the same object. Of two changes one
    // comes in order, whatever was held back before.
    for (const part of [1, 2]) await patch(server, "a", { metadata: { annotations: { round: `${round}.${part}` } } });
    round++;
    await server.clock.advance("1s");
    return stateOf(server);
  };
  await expect.poll(state, { timeout: timeoutMs, interval: 50 }).toMatchObject(right);
}

const timeoutMs = 60_000;

// The other names are tried at night: faults do not know names.
const vocabularies = process.env["LONG_TESTS"] === undefined ? (["orch"] as const) : (["orch", "kubernetes"] as const);
for (const vocabulary of vocabularies) {
  /** Each test has a fork of one server, which is made far sooner than a server. */
  let server: OrchServer;
  beforeAll(async () => {
    server = await createServer({ vocabulary, controllers: false, clock: "virtual", faultPlans: true });
  });
  afterAll(() => server.close());
  const open = () => server.fork();

  test(`without a fault both controllers are right (${vocabulary})`, { timeout: timeoutMs }, async () => {
    await using fork = await open();
    await (await live(fork, { start: startNaive }))();
    expect(await stateOf(fork)).toEqual({ ...right, count: "2" });
    await using other = await open();
    const stop = await live(other, { start: startCareful, restarts: true });
    await untilRight(other);
    await stop();
  });

  for (const { why, fault, naive, isRemoved = false, isOfLists = false } of cases) {
    test(`${why} (${vocabulary})`, { timeout: timeoutMs }, async () => {
      await using fork = await open();
      const { planned, remove } = await plan(fork, fault);
      const stop = await live(fork, { start: startNaive, ...(isRemoved ? { remove } : {}) });
      expect([await stateOf(fork), (planned?.hits ?? 0) > 0]).toEqual([{ ...right, count: "2", ...naive }, true]);
      await stop();
    });

    test(`the careful controller is right in spite of ${why} (${vocabulary})`, { timeout: timeoutMs }, async () => {
      await using fork = await open();
      const { planned, remove } = await plan(fork, fault);
      const stop = await live(fork, { start: startCareful, ...(isRemoved ? { remove } : { restarts: true }) });
      await untilRight(fork);
      // Its informers list by watching where the server offers that.
      if (!isOfLists || levelDefault === "1.21") expect(planned?.hits).toBeGreaterThan(0);
      await stop();
    });
  }
}
