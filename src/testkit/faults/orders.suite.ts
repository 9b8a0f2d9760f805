/** Two controllers that make one invoice for each order: one that is right on a good day, and one that is right on a bad day too. */

import { ConfigMap, connect, controller, runControllers, Secret } from "../../kit/orch-client.ts";
import type { OrchServer } from "../../main/library.ts";

export const user = "invoices";
export const orders = "/api/v1/namespaces/default/configmaps";
const invoices = "/api/v1/namespaces/default/secrets";

export const send = (fetch: OrchServer["fetch"], method: string, path: string, body: unknown) =>
  fetch(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

interface Item {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

type Start = (server: OrchServer) => Promise<() => Promise<void>>;

/** Makes an invoice with the price of each order, names it in the order, and publishes from time to time how many orders there are. */
async function naiveController(fetch: OrchServer["fetch"], signal: AbortSignal): Promise<void> {
  let count = 0;
  const handle = async (type: string, order: Item) => {
    if (type === "BOOKMARK")
      await send(fetch, "POST", orders, { metadata: { name: "summary" }, data: { count: `${count}` } });
    if (type === "ADDED") count++;
    if (type !== "ADDED" && type !== "MODIFIED") return;
    const { name } = order.metadata;
    const labels = { order: name, price: order.data?.["price"] ?? "" };
    const [invoice] = await itemsAt(fetch, `${invoices}?labelSelector=order%3D${name}`);
    if (invoice !== undefined) {
      const changed = { ...invoice, metadata: { ...invoice.metadata, labels } };
      if (invoice.metadata.labels?.["price"] !== labels.price)
        await send(fetch, "PUT", `${invoices}/${invoice.metadata.name}`, changed);
      return;
    }
    for (let attempt = 0; attempt < 3; attempt++) {
      const metadata = { generateName: "invoice-", labels };
      const made = await send(fetch, "POST", invoices, { metadata }).catch(() => undefined);
      if (!made?.ok) continue; // it failed: once more
      const named = { ...order.data, invoice: ((await made.json()) as Item).metadata.name };
      await send(fetch, "PUT", `${orders}/${name}`, { ...order, data: named });
      return;
    }
  };
  const watch = await fetch(`${orders}?watch=true&allowWatchBookmarks=true&labelSelector=app%3Dorder`, { signal });
  for await (const line of linesOf(watch)) {
    const { type, object } = JSON.parse(line) as { type: string; object: Item };
    await handle(type, object);
  }
}

export const startNaive: Start = async (server) => {
  const stop = new AbortController();
  const running = naiveController(server.fetchAs({ name: user, groups: ["system:masters"] }), stop.signal);
  const ended = running.catch(() => {}); // a failure ends it, and so does the signal
  return async () => {
    stop.abort();
    await ended;
  };
};

/** Reads the order itself, since events may be late; makes what the next try finds again; leaves failures to the work queue. */
const carefulController = controller({
  for: ConfigMap,
  selection: { labelSelector: "app=order" },
  async reconcile({ object, client }) {
    const name = object.metadata.name ?? "";
    const order = await client.of(ConfigMap).get(name);
    const invoice = `invoice-${name}`;
    const labels = { order: name, price: order.data?.["price"] ?? "" };
    await client.of(Secret).apply({ metadata: { name: invoice, labels } }, { manager: user });
    if (order.data?.["invoice"] !== invoice) await client.of(ConfigMap).patch(name, { data: { invoice } });
  },
});

export const startCareful: Start = async (server) => {
  const client = await connect({ server, as: user, asGroups: ["system:masters"] });
  const running = runControllers({ client, controllers: [carefulController] });
  return () => running.close();
};

/** How many invoices an order has, whether the order names one, and whether one of them has its present price. */
export type OrderState = readonly [invoices: number, isNamed: boolean, hasPrice: boolean];

/** The state of both orders, and the count that the summary has. Undefined: the summary does not exist. */
export async function stateOf(
  server: OrchServer,
): Promise<{ a: OrderState; b: OrderState; count: string | undefined }> {
  const maps = await itemsAt(server.fetch, orders);
  const made = await itemsAt(server.fetch, `${invoices}?labelSelector=order`);
  const of = (name: string): OrderState => {
    const order = maps.find(({ metadata }) => metadata.name === name);
    const own = made.map(({ metadata }) => metadata.labels ?? {}).filter((labels) => labels["order"] === name);
    const hasPrice = own.some((labels) => labels["price"] === order?.data?.["price"]);
    return [own.length, order?.data?.["invoice"] !== undefined, hasPrice];
  };
  const summary = maps.find(({ metadata }) => metadata.name === "summary");
  return { a: of("a"), b: of("b"), count: summary?.data?.["count"] };
}

async function itemsAt(fetch: OrchServer["fetch"], path: string): Promise<Item[]> {
  return ((await (await fetch(path)).json()) as { items: Item[] }).items;
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
