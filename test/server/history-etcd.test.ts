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

  async function open() {
    const { values } = parseFlags(apiserverFlags, [
      `--kvstore-servers=${etcd.endpoint}`,
      ...["--secure-port=0", "--bind-address=127.0.0.1", "--history=1h"],
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
});
