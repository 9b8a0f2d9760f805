/** Five plans drive a controller that works on a good day into its bugs, and leave one that is written with `orch/client` right. */

import { expect, test } from "vitest";
import { ConfigMap, connect, controller, runControllers, Secret } from "../../kit/orch-client.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import type { Fault } from "./contract.ts";

const user = "invoices";
const orders = "/api/v1/namespaces/default/configmaps";
const invoices = "/api/v1/namespaces/default/secrets";
const send = (fetch: OrchServer["fetch"], method: string, path: string, body: unknown) =>
  fetch(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

interface Order {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Makes one invoice for each order, and writes its name into the order. */
async function naiveController(server: OrchServer, signal: AbortSignal): Promise<void> {
  const fetch = server.fetchAs({ name: user, groups: ["system:masters"] });
  const handle = async (order: Order) => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const metadata = { generateName: "invoice-", labels: { order: order.metadata.name } };
      const made = await send(fetch, "POST", invoices, { metadata });
      if (!made.ok) continue; // it failed: once more
      const invoice = ((await made.json()) as Order).metadata.name;
      await send(fetch, "PUT", `${orders}/${order.metadata.name}`, { ...order, data: { invoice } });
      return;
    }
  };
  const watch = await fetch(`${orders}?watch=true&labelSelector=app%3Dorder`, { signal });
  let rest = "";
  for await (const chunk of watch.body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: Order };
      if (type === "ADDED") await handle(object);
    }
  }
}

const carefulController = controller({
  for: ConfigMap,
  selection: { labelSelector: "app=order" },
  async reconcile({ object, client }) {
    const { name = "" } = object.metadata;
    const invoice = `invoice-${name}`; // a name that the next try finds again
    await client.of(Secret).apply({ metadata: { name: invoice, labels: { order: name } } }, { manager: user });
    if (object.data?.["invoice"] !== invoice) await client.of(ConfigMap).patch(name, { data: { invoice } });
  },
});

/** Of each order, how many invoices there are, and whether it names one. */
async function stateOf(server: OrchServer): Promise<Record<string, [invoices: number, isNamed: boolean]>> {
  const itemsOf = async (path: string) =>
    (
      (await (await server.fetch(path)).json()) as {
        items: { metadata: { name: string; labels?: { order?: string } }; data?: { invoice?: string } }[];
      }
    ).items;
  const made = await itemsOf(`${invoices}?labelSelector=order`);
  return Object.fromEntries(
    (await itemsOf(`${orders}?labelSelector=app%3Dorder`)).map(({ metadata: { name }, data }) => [
      name,
      [made.filter(({ metadata }) => metadata.labels?.order === name).length, data?.invoice !== undefined],
    ]),
  );
}

const watched = { user, verb: "watch", resource: "configmaps" } as const;
const right = { a: [1, true], b: [1, true] };
const plans: readonly { why: string; fault: Fault; naive: unknown; careful: unknown }[] = [
  {
    why: "another writer was faster: it does not try again",
    fault: { match: { user, verb: ["update", "patch"], resource: "configmaps", nth: 1 }, do: { status: 409 } },
    naive: { ...right, a: [1, false] },
    careful: right,
  },
  {
    why: "a create is stored and reported as failed: it creates a second one",
    fault: {
      match: { user, verb: ["create", "patch"], resource: "secrets", nth: 1 },
      do: { status: 504, when: "after" },
    },
    naive: { ...right, a: [2, true] },
    careful: right,
  },
  {
    why: "an event comes twice: it does its work twice",
    fault: { match: { ...watched, nth: 1 }, do: { events: "duplicate" } },
    naive: { ...right, a: [2, true] },
    careful: right,
  },
  {
    why: "the history is gone: it has stopped, and says nothing",
    fault: { match: watched, do: { expireAfterEvents: 1 } },
    naive: { ...right, b: [0, false] },
    careful: right,
  },
  {
    why: "an event is lost: it never looks again, and no other client notices either until it lists again",
    fault: { match: { ...watched, nth: 1 }, do: { events: "drop" } },
    naive: { ...right, a: [0, false] },
    careful: { ...right, a: [0, false] },
  },
];

async function work(server: OrchServer): Promise<void> {
  while (server.journal.requests(watched).length === 0) await new Promise((done) => setTimeout(done, 5));
  for (const name of ["a", "b"])
    await send(server.fetch, "POST", orders, { metadata: { name, labels: { app: "order" } } });
  await server.journal.quiet({ user, forMs: 400 });
}

async function runNaive(server: OrchServer): Promise<void> {
  const stop = new AbortController();
  const running = naiveController(server, stop.signal).catch(() => {}); // it ends with the signal
  await work(server);
  stop.abort();
  await running;
}

async function runCareful(server: OrchServer): Promise<void> {
  const client = await connect({ server: { fetch: server.fetchAs({ name: user, groups: ["system:masters"] }) } });
  const running = runControllers({ client, controllers: [carefulController] });
  await work(server);
  await running.close();
}

for (const vocabulary of ["orch", "kubernetes"] as const) {
  const open = () => createServer({ vocabulary, controllers: false, journal: true });

  test(`${vocabulary}: without a fault both controllers are right`, async () => {
    for (const run of [runNaive, runCareful]) {
      await using server = await open();
      await run(server);
      expect(await stateOf(server)).toEqual(right);
    }
  });

  for (const { why, fault, naive, careful } of plans)
    test(`${vocabulary}: ${why}`, async () => {
      for (const [run, expected] of [
        [runNaive, naive],
        [runCareful, careful],
      ] as const) {
        await using server = await open();
        const planned = server.faults.add(fault);
        await run(server);
        expect([await stateOf(server), planned.hits > 0]).toEqual([expected, true]);
      }
    });
}
