import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { silentLog } from "../../src/base/log.ts";
import { createMemoryFetch } from "../../src/http/transport/memory-exchange.ts";
import {
  findPostgres,
  makeDatabase,
  startTestPostgres,
  type TestPostgres,
} from "../../src/kv/postgres/server.fixture.ts";
import { apiserverFlags } from "../../src/main/flags/apiserver-flags.ts";
import { openApiServer } from "../../src/main/programs/apiserver.ts";

const programs = findPostgres();

describe.skipIf(programs === undefined)("servers on PostgreSQL", () => {
  let postgres: TestPostgres;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-postgres-"));
    postgres = await startTestPostgres(programs!);
  });
  afterAll(async () => {
    await postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (address: string, ...more: string[]) => {
    const flags = [
      `--store=${address}`,
      "--secure-port=0",
      "--bind-address=127.0.0.1",
      `--cert-dir=${folder}`,
      `--data-dir=${folder}`,
    ];
    const { values } = parseFlags(apiserverFlags, [...flags, ...more]);
    const { server, stop } = await openApiServer({ flags: values, clock: systemClock, log: silentLog });
    const user = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };
    return { fetch: createMemoryFetch(server.handler, { user }), stop };
  };

  test("two of them show the same objects at the same revisions, and a later one finds them again", async () => {
    const { address } = makeDatabase(postgres);
    const [one, two] = [await start(address()), await start(address())];
    const map = (name: string, data = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
    const path = "/api/v1/namespaces/default/configmaps";
    const send = (server: typeof one, method: string, at: string, body?: unknown) =>
      server.fetch(at, {
        method,
        headers: { "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
    const made = await send(one, "POST", path, map("a"));
    expect(made.status).toBe(201);
    const { metadata } = (await made.json()) as { metadata: { resourceVersion: string } };
    // A read on the other server is never older than the write that was acknowledged before it.
    const seen = (await (await send(two, "GET", `${path}/a`)).json()) as { metadata: { resourceVersion: string } };
    expect(seen.metadata.resourceVersion).toBe(metadata.resourceVersion);
    const changed = {
      ...map("a", { color: "red" }),
      metadata: { name: "a", resourceVersion: metadata.resourceVersion },
    };
    expect((await send(two, "PUT", `${path}/a`, changed)).status).toBe(200);
    expect((await send(one, "PUT", `${path}/a`, changed)).status).toBe(409);
    // Several objects at once, or none.
    const transaction = (names: readonly string[]) =>
      send(one, "POST", "/apis/batch.orch.io/v1alpha1/transactions", {
        apiVersion: "batch.orch.io/v1alpha1",
        kind: "Transaction",
        spec: {
          operations: names.map((name) => ({
            operation: "create",
            object: { ...map(name), metadata: { namespace: "default", name } },
          })),
        },
      });
    expect((await transaction(["b", "c"])).status).toBe(200);
    expect((await transaction(["d", "a"])).status).toBe(409);
    const { items } = (await (await send(two, "GET", path)).json()) as { items: { metadata: { name: string } }[] };
    const names = items.map((item) => item.metadata.name).filter((name) => name.length === 1);
    expect(names).toEqual(["a", "b", "c"]);
    await one.stop();
    await two.stop();
    const again = await start(address());
    expect(await (await send(again, "GET", `${path}/a`)).json()).toMatchObject({ data: { color: "red" } });
    await again.stop();
  });

  test("one that speaks another vocabulary is refused, and so are etcd's flags beside it", async () => {
    const { address } = makeDatabase(postgres);
    await (await start(address())).stop();
    await expect(start(address(), "--vocabulary=kubernetes")).rejects.toThrow(
      /PostgreSQL holds objects in the vocabulary "orch".*another --postgres-schema/,
    );
    await expect(start(address(), "--etcd-servers=http://127.0.0.1:1")).rejects.toThrow(/say one of them/);
  });
});
