/** The history of servers that share an etcd, asked over HTTP. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { silentLog } from "../../src/base/log.ts";
import { createMemoryFetch } from "../../src/http/transport/memory-exchange.ts";
import { findEtcd, startTestEtcd, type TestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { apiserverFlags } from "../../src/main/flags/apiserver-flags.ts";
import { openApiServer } from "../../src/main/programs/apiserver.ts";
import { chooseStore } from "../../src/main/stores/store-choice.ts";

const program = findEtcd();
const user = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };
const maps = "/api/v1/namespaces/default/configmaps";
const changes = "/apis/history.orch.io/v1alpha1/namespaces/default/changes";

test("PostgreSQL keeps no history, and says so", async () => {
  const { values } = parseFlags(apiserverFlags, ["--store=postgres://user@db/orch", "--history=24h"]);
  await expect(chooseStore(values)).rejects.toThrow("not by PostgreSQL");
});

describe.skipIf(program === undefined)("two servers on one etcd", () => {
  let etcd: TestEtcd;
  const servers: Awaited<ReturnType<typeof open>>[] = [];

  async function open(...flags: string[]) {
    const { values } = parseFlags(apiserverFlags, [
      `--kvstore-servers=${etcd.endpoint}`,
      ...["--secure-port=0", "--bind-address=127.0.0.1", ...(flags.length > 0 ? flags : ["--history=1h"])],
    ]);
    const opened = await openApiServer({ flags: values, clock: systemClock, log: silentLog });
    const fetch = createMemoryFetch(opened.server.handler, { user });
    const call = async (method: string, path: string, body?: object) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const sent = body && { headers: { "content-type": type }, body: JSON.stringify(body) };
      const answer = await fetch(path, { method, ...sent });
      return { status: answer.status, body: (await answer.json()) as Body };
    };
    return { ...opened, fetch, call };
  }

  interface Body {
    readonly message?: string;
    readonly data?: Readonly<Record<string, string>>;
    readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly continue?: string };
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly resourceVersion: string };
      readonly object: { readonly name: string };
      readonly operation: string;
      readonly user: string;
      readonly fields?: readonly object[];
    }[];
  }

  const about = (name: string) =>
    `?fieldSelector=${encodeURIComponent(`object.group=,object.resource=configmaps,object.name=${name}`)}`;

  beforeAll(async () => {
    etcd = await startTestEtcd(program!);
    servers.push(await open(), await open());
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await etcd?.remove();
  });

  test("tell the same changes, with who wrote and which fields changed", async () => {
    const [one, other] = servers as [(typeof servers)[0], (typeof servers)[0]];
    const { body: created } = await one!.call("POST", maps, { metadata: { name: "prices" }, data: { apple: "1" } });
    const { body: patched } = await other!.call("PATCH", `${maps}/prices`, { data: { apple: "2" } });
    await one!.call("DELETE", `${maps}/prices`);
    for (const server of servers) {
      const { body } = await server.call("GET", changes + about("prices"));
      expect(body.items.map(({ operation, user: by }) => [operation, by])).toEqual([
        ["delete", "admin"],
        ["update", "admin"],
        ["create", "admin"],
      ]);
      expect(body.items[1]).toMatchObject({
        metadata: { name: patched.metadata.resourceVersion },
        fields: [{ path: "data.apple", old: '"1"', new: '"2"' }],
      });
      const exact = `?resourceVersion=${created.metadata.resourceVersion}&resourceVersionMatch=Exact`;
      expect((await server.call("GET", `${maps}/prices${exact}`)).body.data).toEqual({ apple: "1" });
      expect((await server.call("GET", `${maps}/prices`)).status).toBe(404);
      const then = await server.call("GET", `${maps}?atTime=${new Date().toISOString()}`);
      expect(then.status).toBe(200);
    }
  });

  test("name each write of a transaction, although they share a revision", async () => {
    const [one, other] = servers as [(typeof servers)[0], (typeof servers)[0]];
    const operation = (name: string) => ({
      operation: "create",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { of: name } },
    });
    const answer = await one!.call("POST", "/apis/batch.orch.io/v1alpha1/transactions", {
      apiVersion: "batch.orch.io/v1alpha1",
      kind: "Transaction",
      spec: { operations: [operation("t1"), operation("t2"), operation("t3")] },
    });
    expect(answer.status, answer.body.message).toBeLessThan(300);
    const select = `?fieldSelector=${encodeURIComponent("operation=create,object.kind=ConfigMap")}`;
    const { body } = await other!.call("GET", `${changes}${select}&limit=2`);
    const names = body.items.map(({ metadata }) => metadata.name);
    const [revision] = names[0]!.split("-");
    expect(names).toEqual([`${revision}-3`, `${revision}-2`]);
    expect(body.items.map(({ object }) => object.name)).toEqual(["t3", "t2"]);
    const second = await other!.call("GET", `${changes}/${names[1]}`);
    expect(second.body).toMatchObject({ object: { name: "t2" }, metadata: { resourceVersion: revision } });
    const rest = await other!.call("GET", `${changes}${select}&limit=2&continue=${body.metadata.continue}`);
    expect(rest.body.items.map(({ object }) => object.name).slice(0, 1)).toEqual(["t1"]);
  });

  test("tell a watcher of one what is written through the other", async () => {
    const [one, other] = servers as [(typeof servers)[0], (typeof servers)[0]];
    const { body } = await one!.call("GET", changes);
    const stop = new AbortController();
    const from = `${changes}?watch=1&resourceVersion=${body.metadata.resourceVersion}`;
    const answer = await one!.fetch(from, { signal: stop.signal });
    await other!.call("POST", maps, { metadata: { name: "watched" } });
    let seen = "";
    for await (const chunk of answer.body!) {
      seen += Buffer.from(chunk as Uint8Array).toString();
      if (seen.includes('"watched"')) break;
    }
    expect(seen).toContain('"operation":"create"');
    stop.abort();
  });

  test("leave the same kinds out, and keep others for a shorter time", async () => {
    const kinds = ["--history=1h", "--history-kinds=-secrets,services=1s"];
    const prefix = "--kvstore-prefix=/kinds";
    const pair = [await open(...kinds, prefix), await open(...kinds, prefix)] as const;
    servers.push(...pair);
    const [one, other] = pair;
    const namesOf = async (server: (typeof pair)[0]) =>
      (await server.call("GET", changes)).body.items.map(({ object }) => object.name);
    const secrets = "/api/v1/namespaces/default/secrets";
    await one.call("POST", secrets, { metadata: { name: "keys" } });
    await other.call("PATCH", `${secrets}/keys`, { data: { token: "MQ==" } });
    await one.call("POST", maps, { metadata: { name: "kept" } });
    const service = { metadata: { name: "brief" }, spec: { ports: [{ port: 80 }] } };
    await other.call("POST", "/api/v1/namespaces/default/services", service);
    for (const server of pair) {
      expect(await namesOf(server)).toContain("kept");
      expect(await namesOf(server)).not.toContain("keys");
      const ofSecrets = `?fieldSelector=${encodeURIComponent("object.resource=secrets")}`;
      expect(await server.call("GET", changes + ofSecrets)).toMatchObject({ status: 400 });
      const then = `?atTime=${new Date(Date.now() - 100).toISOString()}`;
      expect(await server.call("GET", secrets + then)).toMatchObject({ status: 400 });
      await expect.poll(async () => (await namesOf(server)).includes("brief")).toBe(false);
      expect(await namesOf(server)).toContain("kept");
    }
  });

  test("drop the oldest changes at the same bound, and tell the same", async () => {
    const bounded = ["--history=1h,40Ki", "--kvstore-prefix=/bounded"];
    const pair = [await open(...bounded), await open(...bounded)] as const;
    servers.push(...pair);
    await pair[0].call("POST", maps, { metadata: { name: "counted" } });
    for (let at = 0; at < 300; at += 1) await pair[at % 2]!.call("PATCH", `${maps}/counted`, { data: { at: `${at}` } });
    const lists = await Promise.all(pair.map((server) => server.call("GET", changes + about("counted"))));
    const [names, same] = lists.map(({ body }) => body.items.map(({ metadata }) => metadata.name));
    expect(names).toEqual(same);
    expect(names!.length).toBeGreaterThan(20);
    expect(names!.length).toBeLessThan(300);
  });
});
