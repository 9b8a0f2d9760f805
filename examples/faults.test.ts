// Where does my controller break? A few faults find out, before a cluster does.

import type { OrchServer } from "orch";
import { serverFixture } from "orch/testing";
import { test as base, expect } from "vitest";

const orders = "/api/v1/namespaces/default/configmaps";
const invoices = "/api/v1/namespaces/default/secrets";
const user = "billing";

interface Item {
  readonly metadata: { readonly name: string; readonly labels: { readonly order: string } };
  readonly data?: { readonly state?: string };
}

/** The code under test makes an invoice for each order, and then notes it in the order. It works as long as every request does. */
async function bill(api: typeof fetch, signal: AbortSignal): Promise<void> {
  const send = (method: string, path: string, body: object) =>
    api(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const watch = await api(`${orders}?watch=true&labelSelector=app%3Dorder`, { signal });
  let rest = "";
  for await (const chunk of watch.body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object: order } = JSON.parse(line) as { type: string; object: Item };
      if (type !== "ADDED") continue;
      for (let attempt = 0; attempt < 3; attempt++) {
        const labels = { order: order.metadata.name };
        const made = await send("POST", invoices, { metadata: { generateName: "invoice-", labels } });
        if (!made.ok) continue;
        await send("PUT", `${orders}/${order.metadata.name}`, { ...order, data: { state: "billed" } });
        break;
      }
    }
  }
}

const plans: readonly { why: string; fault: Parameters<OrchServer["faults"]["add"]>[0]; a: string; b: string }[] = [
  {
    why: "a conflict is not tried again",
    fault: { match: { user, verb: "update", nth: 1 }, do: { status: 409 } },
    a: "1 invoice, not billed",
    b: "1 invoice, billed",
  },
  {
    why: "an answer that says too late is not the end of a write",
    fault: { match: { user, verb: "create", nth: 1 }, do: { status: 504, when: "after" } },
    a: "2 invoices, billed",
    b: "1 invoice, billed",
  },
  {
    why: "an event may come twice",
    fault: { match: { user, verb: "watch", nth: 1 }, do: { events: "duplicate" } },
    a: "2 invoices, billed",
    b: "1 invoice, billed",
  },
  {
    why: "a watch ends, and has to begin again",
    fault: { match: { user, verb: "watch" }, do: { expireAfterEvents: 1 } },
    a: "1 invoice, billed",
    b: "0 invoices, not billed",
  },
  {
    why: "a server that is busy says when to come again",
    fault: { match: { user, verb: "create" }, do: { status: 429, retryAfterSeconds: 1 } },
    a: "0 invoices, not billed",
    b: "0 invoices, not billed",
  },
];

const test = base.extend(serverFixture({ controllers: false }));

/** Two orders come while the controller runs. Resolves with what has become of each. */
async function work(server: OrchServer): Promise<Record<string, string>> {
  const stop = new AbortController();
  const running = bill(server.fetchAs({ name: user, groups: ["system:masters"] }), stop.signal).catch(() => {});
  for (const name of ["a", "b"]) {
    await server.settled(); // every request and event of the server, those of this controller too
    await server.load([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { app: "order" } } }]);
  }
  await server.settled();
  stop.abort();
  await running;
  const items = async (path: string) => ((await (await server.fetch(path)).json()) as { items: Item[] }).items;
  const made = await items(invoices);
  const outcome = ({ metadata, data }: Item) => {
    const count = made.filter(({ metadata: { labels } }) => labels.order === metadata.name).length;
    return `${count} ${count === 1 ? "invoice" : "invoices"}, ${data?.state ?? "not billed"}`;
  };
  return Object.fromEntries((await items(orders)).map((order) => [order.metadata.name, outcome(order)]));
}

test("on a good day it is right", async ({ server }) => {
  expect(await work(server)).toEqual({ a: "1 invoice, billed", b: "1 invoice, billed" });
});

for (const { why, fault, a, b } of plans)
  test(`a bug is found: ${why}`, async ({ server }) => {
    const planned = server.faults.add(fault);
    expect(await work(server)).toEqual({ a, b });
    expect(planned.hits).toBeGreaterThan(0);
  });
