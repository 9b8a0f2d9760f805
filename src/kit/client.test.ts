/** `orch/client` against a whole server, in both vocabularies, without a socket and over HTTPS. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";
import {
  type Client,
  ConfigMap,
  connect,
  Deployment,
  isConflict,
  isInvalid,
  isNotFound,
  Lease,
  Pod,
  retryOnConflict,
  ServiceAccount,
  StatusError,
} from "./orch-client.ts";

const spec = { containers: [{ name: "c", image: "i" }] };
const pod = (name: string): Pod => ({ metadata: { name }, spec });

for (const vocabulary of ["orch", "kubernetes"] as const)
  describe(`a server that speaks ${vocabulary}`, () => {
    let server: OrchServer;
    let client: Client;
    beforeAll(async () => {
      server = await createServer({ vocabulary, disableAdmissionPlugins: ["ServiceAccount"] });
      client = await connect({ server });
    });
    afterAll(() => server.close());

    test("the client finds out which names it speaks", async () => {
      expect(client.vocabulary).toBe(vocabulary);
      const lease = await client.of(Lease).create({ metadata: { name: "one" }, spec: { holderIdentity: "me" } });
      expect([lease.apiVersion?.split(".")[0], lease.metadata.namespace]).toEqual(["coordination", "default"]);
    });

    test("an object is created, read, changed, applied and deleted", async () => {
      const maps = client.of(ConfigMap);
      await maps.create({ metadata: { name: "prices" }, data: { tea: "3" } });
      await maps.patch("default/prices", { data: { milk: "1" } });
      await maps.patch("prices", [{ op: "add", path: "/data/salt", value: "2" }], { type: "json" });
      await maps.apply({ metadata: { name: "prices" }, data: { rice: "5" } }, { manager: "shop" });
      const read = await maps.get({ name: "prices" });
      expect(read.data).toEqual({ tea: "3", milk: "1", salt: "2", rice: "5" });
      await maps.update({ ...read, data: { tea: "4" } });
      const late = await maps.update(read).catch((error: unknown) => error);
      expect([isConflict(late), late instanceof StatusError && late.code]).toEqual([true, 409]);
      await maps.delete(read);
      expect(await maps.find("prices")).toBeUndefined();
      const missing = await maps.get("prices").catch((error: unknown) => error);
      expect(isNotFound(missing) && missing.details?.name).toBe("prices");
    });

    test("a list is read chunk by chunk, where a program wants only one", async () => {
      const maps = client.of(ConfigMap);
      const labels = { chunk: "yes" };
      for (const name of ["c1", "c2", "c3"]) await maps.create({ metadata: { name, labels } });
      const chunks = { labelSelector: "chunk=yes", limit: 2 };
      const first = await maps.list(chunks).page();
      const second = await maps.list({ ...chunks, continue: first.continue }).page();
      const names = ({ items }: typeof first) => items.map(({ metadata }) => metadata.name);
      expect([names(first), names(second), second.continue]).toEqual([["c1", "c2"], ["c3"], ""]);
      expect(second.resourceVersion).toBe(first.resourceVersion);
      expect(names(await maps.list({ ...chunks, continue: first.continue }).all())).toEqual(["c3"]);
      const all = await client
        .object({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "" } })
        .list(chunks)
        .page();
      expect(all.items).toHaveLength(2);
    });

    test("a forced apply takes over a field, and an unforced one is a conflict", async () => {
      const maps = client.of(ConfigMap);
      const object = (owner: string) => ({ metadata: { name: "owned" }, data: { owner } });
      await maps.apply(object("a"), { manager: "a" });
      expect(isConflict(await maps.apply(object("b"), { manager: "b" }).catch((error: unknown) => error))).toBe(true);
      expect((await maps.apply(object("b"), { manager: "b", force: true })).data).toEqual({ owner: "b" });
    });

    test("a list is read in chunks", async () => {
      const maps = client.of(ConfigMap);
      for (const name of ["a", "b", "c"])
        await maps.create({ metadata: { name, namespace: "default", labels: { list: "yes" } } });
      const names: unknown[] = [];
      for await (const { metadata } of maps.list({ labelSelector: "list=yes", limit: 2 })) names.push(metadata.name);
      expect(names).toEqual(["a", "b", "c"]);
      expect((await maps.list({ labelSelector: "list=yes" }).all()).items).toHaveLength(3);
      await maps.deleteCollection({ namespace: "default", labelSelector: "list=yes" });
      expect((await maps.list({ labelSelector: "list=yes" }).all()).items).toEqual([]);
    });

    test("a watch ends when its signal aborts", async () => {
      const stop = new AbortController();
      const seen: unknown[] = [];
      const maps = client.of(ConfigMap);
      const { resourceVersion } = await maps.list().all();
      await maps.create({ metadata: { name: "watched" } });
      for await (const { type, object } of maps.watch({
        resourceVersion,
        fieldSelector: "metadata.name=watched",
        signal: stop.signal,
      })) {
        seen.push([type, object.metadata.name]);
        stop.abort();
      }
      expect(seen).toEqual([["ADDED", "watched"]]);
      await expect(maps.get("watched", { signal: stop.signal })).rejects.toThrow(/abort/i);
    });

    test("status, scale, eviction and tokens have calls of their own", async () => {
      const pods = client.of(Pod);
      const made = await pods.create(pod("p1"));
      const running = await pods.status.update({ ...made, status: { phase: "Running" } });
      expect(running.status?.phase).toBe("Running");
      expect((await pods.status.patch("p1", { status: { message: "well" } })).status?.message).toBe("well");
      await pods.evict("p1", { deleteOptions: { gracePeriodSeconds: 0 } });
      expect(await pods.find("p1")).toBeUndefined();

      const labels = { app: "web" };
      const template = { metadata: { labels }, spec };
      await client
        .of(Deployment)
        .create({ metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } });
      await client.of(Deployment).scale.set("web", 4);
      expect((await client.of(Deployment).scale.get("web")).spec?.replicas).toBe(4);

      await client.of(ServiceAccount).create({ metadata: { name: "robot" } });
      const { status } = await client.of(ServiceAccount).token("robot", { expirationSeconds: 600 });
      expect(status?.token?.split(".")).toHaveLength(3);
    });

    test("a resource is found by its names, and a missing one is named", async () => {
      const leases = await client.resource({
        group: vocabulary === "orch" ? "coordination.orch.io" : "coordination.k8s.io",
        version: "v1",
        resource: "leases",
      });
      expect(leases.address).toMatchObject({ kind: "Lease", namespaced: true });
      const missing = client.resource({ group: "", version: "v1", resource: "teapots" });
      await expect(missing).rejects.toThrow('the server has no resource "teapots" in v1');
    });

    test("what is refused says which field and why", async () => {
      const error = await client
        .of(Pod)
        .create({ metadata: { name: "p2" }, spec: { containers: [] } })
        .catch((e: unknown) => e);
      expect(isInvalid(error) && error.details?.causes?.map(({ field }) => field)).toEqual(["spec.containers"]);
    });
  });

test("a change is tried again while others are faster, and no longer than allowed", async () => {
  await using server = await createServer({ controllers: false });
  const maps = (await connect({ server })).of(ConfigMap);
  await maps.create({ metadata: { name: "counter" }, data: { n: "0" } });
  const increment = () =>
    retryOnConflict(
      async () => {
        const read = await maps.get("counter");
        return maps.update({ ...read, data: { n: String(Number(read.data?.["n"]) + 1) } });
      },
      { attempts: 20 },
    );
  await Promise.all([increment(), increment(), increment()]);
  expect((await maps.get("counter")).data).toEqual({ n: "3" });
  let calls = 0;
  const always = retryOnConflict(
    () => {
      calls++;
      return Promise.reject(new StatusError("Conflict", "no"));
    },
    { attempts: 3 },
  );
  await expect(always).rejects.toThrow("no");
  expect(calls).toBe(3);
});

test("a request that the server has no capacity for is sent again after the time it names", async () => {
  await using server = await createServer({ controllers: false });
  let refusals = 2;
  const fetch: OrchServer["fetch"] = (path, init) =>
    refusals-- > 0
      ? Promise.resolve(new Response("{}", { status: 429, headers: { "retry-after": "0" } }))
      : server.fetch(path, init);
  const client = await connect({ server: { fetch }, vocabulary: "orch" });
  expect((await client.of(ConfigMap).list().all()).continue).toBe("");
  expect(refusals).toBeLessThan(0);
});

test("a configuration file leads to a server over HTTPS", async () => {
  await using server = await createServer({ controllers: false });
  const folder = mkdtempSync(join(tmpdir(), "orch-config-"));
  try {
    const kubeconfig = join(folder, "config");
    writeFileSync(kubeconfig, (await server.clientConfig()).text);
    const client = await connect({ kubeconfig, namespace: "kept" });
    expect([client.vocabulary, client.namespace]).toEqual(["orch", "kept"]);
    const made = await client.of(ConfigMap).create({ metadata: { name: "one", namespace: "default" } });
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    client.close();
    await expect(connect({ kubeconfig: join(folder, "none") })).rejects.toThrow("no such file");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
