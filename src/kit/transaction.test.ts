import { createServer as createHttpServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";
import {
  type Client,
  ConfigMap,
  connect,
  isConflict,
  isNotFound,
  Namespace,
  TransactionsUnknown,
} from "./orch-client.ts";

let server: OrchServer;
let client: Client;
let count = 0;
beforeAll(async () => {
  server = await createServer();
  client = await connect({ server });
});
afterAll(async () => {
  client.close();
  await server.close();
});

/** Names of its own for each test. */
const name = (kind: string) => `${kind}-${++count}`;
const dataOf = async (target: string) => (await client.of(ConfigMap).find(target))?.data;

describe("client.transaction", () => {
  test("stores what is called, or nothing", async () => {
    const [stock, order] = [name("stock"), name("order")];
    await client.of(ConfigMap).create({ metadata: { name: stock }, data: { tea: "3" } });
    const change = client.transaction(async (tx) => {
      const maps = tx.of(ConfigMap);
      const { metadata, data } = await maps.get(stock);
      maps.update({ metadata, data: { tea: String(Number(data?.["tea"]) - 1) } });
      maps.create({ metadata: { name: order }, data: { of: "tea" } });
    });
    const [updated, created] = await change;
    expect([updated?.metadata.name, created?.metadata.name]).toEqual([stock, order]);
    expect([await dataOf(stock), await dataOf(order)]).toEqual([{ tea: "2" }, { of: "tea" }]);
    const refused = client.transaction((tx) => {
      tx.of(ConfigMap).patch(stock, { data: { tea: "0" } });
      tx.of(ConfigMap).patch(name("missing"), { data: {} });
    });
    await expect(refused).rejects.toSatisfy(isNotFound);
    expect(await dataOf(stock)).toEqual({ tea: "2" });
  });

  test("reads again when another writer was faster, also for what it only read", async () => {
    const [read, written] = [name("read"), name("written")];
    await client.of(ConfigMap).create({ metadata: { name: read }, data: { n: "1" } });
    let calls = 0;
    await client.transaction(async (tx) => {
      const { data } = await tx.of(ConfigMap).get(read);
      if (++calls === 1) await client.of(ConfigMap).patch(read, { data: { n: "2" } });
      tx.of(ConfigMap).apply({ metadata: { name: written }, data: { copied: data?.["n"] ?? "" } }, { manager: "test" });
    });
    expect([calls, await dataOf(written)]).toEqual([2, { copied: "2" }]);
    const changed = client.transaction(
      async (tx) => {
        await tx.of(ConfigMap).get(read);
        await client.of(ConfigMap).patch(read, { data: { n: name("value") } });
        tx.of(ConfigMap).delete(written);
      },
      { attempts: 2 },
    );
    await expect(changed).rejects.toSatisfy(isConflict);
    expect(await dataOf(written)).toEqual({ copied: "2" });
  });

  test("holds an absent object to be absent", async () => {
    const [lock, made] = [name("lock"), name("made")];
    let calls = 0;
    await client.transaction(async (tx) => {
      const found = await tx.of(ConfigMap).find(lock);
      if (++calls === 1) await client.of(ConfigMap).create({ metadata: { name: lock } });
      tx.of(ConfigMap).create({ metadata: { name: made }, data: { hadLock: String(found !== undefined) } });
    });
    expect([calls, await dataOf(made)]).toEqual([2, { hadLock: "true" }]);
  });

  test("takes operations as they are sent, a dry run, and objects of several kinds", async () => {
    const space = name("space");
    const both = [
      { operation: "create", object: { apiVersion: "v1", kind: "Namespace", metadata: { name: space } } },
      {
        operation: "create",
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: space, name: "a" } },
      },
    ] as const;
    const dry = await client.transaction(both, { dryRun: true });
    expect(dry.map((object) => object?.metadata.name)).toEqual([space, "a"]);
    expect(await client.of(Namespace).find(space)).toBeUndefined();
    await client.transaction(both, { manager: "builder" });
    const made = await client.of(ConfigMap).get(`${space}/a`);
    expect(made.metadata.managedFields).toBeUndefined(); // it has no field that is owned
    await client.transaction((tx) => {
      for (const operation of both) tx.add({ ...operation, operation: "delete" });
    });
    expect(await client.of(ConfigMap).find(`${space}/a`)).toBeUndefined();
    expect(await client.transaction([])).toEqual([]);
    expect(await client.transaction(() => {})).toEqual([]);
  });

  test("says that a server does not know transactions", async () => {
    const other = createHttpServer((_request, response) => response.writeHead(404).end("404 page not found"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const stranger = await connect({ server: `http://127.0.0.1:${port}`, vocabulary: "kubernetes" });
    try {
      const sent = stranger.transaction((tx) => tx.of(ConfigMap).create({ metadata: { name: "a" } }));
      await expect(sent).rejects.toBeInstanceOf(TransactionsUnknown);
    } finally {
      stranger.close();
      other.close();
    }
  });

  test("refuses options that it does not know", async () => {
    // @ts-expect-error there is no such option
    await expect(client.transaction([], { attempt: 3 })).rejects.toThrow("attempts");
  });
});
