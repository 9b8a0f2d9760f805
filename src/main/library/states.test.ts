import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../library.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const post = (server: OrchServer, path: string, body: unknown) =>
  server.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const make = async (server: OrchServer, name: string) =>
  expect((await post(server, maps, { metadata: { name } })).status).toBe(201);
const remove = (server: OrchServer, name: string) => server.fetch(`${maps}/${name}`, { method: "DELETE" });
async function names(server: OrchServer, path = maps): Promise<string[]> {
  const list = (await (await server.fetch(path)).json()) as { items: { metadata: { name: string } }[] };
  return list.items.map(({ metadata }) => metadata.name);
}
const status = async (server: OrchServer, path: string) => (await server.fetch(path)).status;

const toys = {
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const toysPath = "/apis/example.com/v1/namespaces/default/toys";
const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";

describe("a fork", () => {
  test("begins with the state of its server, and then both change alone", async () => {
    await using server = await createServer({ controllers: false });
    await make(server, "a");
    await make(server, "b");
    await using fork = await server.fork();
    expect(await names(fork)).toEqual(["a", "b"]);
    await make(fork, "only-fork");
    await remove(fork, "a");
    await make(server, "only-server");
    await remove(server, "b");
    expect(await names(fork)).toEqual(["b", "only-fork"]);
    expect(await names(server)).toEqual(["a", "only-server"]);
    expect([await status(fork, `${maps}/a`), await status(server, `${maps}/a`)]).toEqual([404, 200]);
    expect([await status(fork, `${maps}/b`), await status(server, `${maps}/b`)]).toEqual([200, 404]);
  });

  test("has what its server writes after its start, and writes none of it again", async () => {
    await using server = await createServer({ controllers: false });
    await using fork = await server.fork();
    const version = async () => {
      const list = (await (await fork.fetch(maps)).json()) as { metadata: { resourceVersion: string } };
      return list.metadata.resourceVersion;
    };
    const before = await version();
    await fork.settled();
    expect(await version()).toBe(before);
  });

  test("of a fork, and of a server that is closed meanwhile, goes on", async () => {
    const server = await createServer({ controllers: false });
    await make(server, "a");
    const fork = await server.fork();
    await make(fork, "b");
    const second = await fork.fork();
    await Promise.all([server.close(), fork.close()]);
    await make(second, "c");
    expect(await names(second)).toEqual(["a", "b", "c"]);
    const last = second.fork();
    await second.close();
    await using third = await last;
    expect(await names(third), "it began before its server was closed").toEqual(["a", "b", "c"]);
    await expect(second.fork()).rejects.toThrow("the server is closed");
  });

  test("has its own custom resources", async () => {
    await using server = await createServer({ controllers: false });
    expect((await post(server, definitions, toys)).status).toBe(201);
    expect(
      (await post(server, toysPath, { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "ball" } })).status,
    ).toBe(201);
    await using fork = await server.fork();
    expect(await names(fork, toysPath)).toEqual(["ball"]);
    await post(fork, toysPath, { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "kite" } });
    await fork.settled();
    await fork.fetch(`${definitions}/toys.example.com`, { method: "DELETE" });
    await fork.untilGone("CustomResourceDefinition", "toys.example.com");
    expect(await status(fork, toysPath)).toBe(404);
    expect(await names(server, toysPath)).toEqual(["ball"]);
  });

  test("sends its watchers its own changes alone", async () => {
    await using server = await createServer({ controllers: false });
    await using fork = await server.fork();
    const stop = new AbortController();
    const answer = await fork.fetch(`${maps}?watch=true`, { signal: stop.signal });
    await make(server, "elsewhere");
    await make(fork, "here");
    const { value } = (await answer.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain('"name":"here"');
    expect(Buffer.from(value ?? []).toString()).not.toContain("elsewhere");
    stop.abort();
  });

  test("runs its own controllers, and has its own virtual clock", async () => {
    await using server = await createServer({ clock: { virtual: "2026-01-01T00:00:00Z" } });
    await server.settled();
    await using fork = await server.fork();
    await fork.clock.advance("1h");
    expect([server.clock.now(), fork.clock.now()].map((ms) => new Date(ms).getUTCHours())).toEqual([0, 1]);
    await post(fork, "/api/v1/namespaces", { metadata: { name: "shop" } });
    await fork.settled();
    expect(await status(fork, "/api/v1/namespaces/shop/serviceaccounts/default")).toBe(200);
    const made = (await (await fork.fetch("/api/v1/namespaces/shop")).json()) as {
      metadata: { creationTimestamp: string };
    };
    expect(made.metadata.creationTimestamp).toBe("2026-01-01T01:00:00Z");
    expect(await status(server, "/api/v1/namespaces/shop")).toBe(404);
  });

  test("knows the tokens and service addresses that were given out before", async () => {
    await using server = await createServer();
    await server.settled();
    const token = "/api/v1/namespaces/default/serviceaccounts/default/token";
    const { status: given } = (await (await post(server, token, {})).json()) as { status: { token: string } };
    const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
    const address = async (made: Response) => ((await made.json()) as { spec: { clusterIP: string } }).spec.clusterIP;
    const first = await address(await post(server, "/api/v1/namespaces/default/services", service("one")));
    await using fork = await server.fork();
    const review = await post(fork, "/apis/authentication.orch.io/v1/tokenreviews", { spec: { token: given.token } });
    expect(await review.json()).toMatchObject({ status: { authenticated: true } });
    const taken = { ...service("two"), spec: { ports: [{ port: 80 }], clusterIP: first } };
    expect((await post(fork, "/api/v1/namespaces/default/services", taken)).status).toBe(422);
  });

  test("is not made of objects on disk", async () => {
    const folder = await mkdtemp(join(tmpdir(), "orch-fork-"));
    const server = await createServer({ dataDir: folder, controllers: false });
    await expect(server.fork()).rejects.toThrow("cannot be forked");
    await server.close();
    await rm(folder, { recursive: true });
  });

  // What forks share does not depend on names of the vocabulary, so that a few of the other are enough.
  for (const [vocabulary, count] of [
    ["orch", process.env["LONG_TESTS"] === undefined ? 50 : 200],
    ["kubernetes", 20],
  ] as const)
    test(`${count} at once, each with its writes, watches and clock, share nothing (${vocabulary})`, async () => {
      const startMs = Date.UTC(2026, 0, 1);
      await using server = await createServer({ vocabulary, controllers: false, clock: { virtual: startMs } });
      await make(server, "base");
      const forks = await Promise.all(Array.from({ length: count }, () => server.fork()));
      const stop = new AbortController();
      /** Different for neighbours, and short: each timer that falls due is waited for in every fork. */
      const aheadMs = (at: number) => (at % 5) * 1_000;
      const use = async (fork: OrchServer, at: number) => {
        const watch = await fork.fetch(`${maps}?watch=true`, { signal: stop.signal });
        const reader = watch.body?.getReader();
        await fork.clock.advance(aheadMs(at));
        await make(fork, `own-${at}`);
        if (at % 2 === 0) await remove(fork, "base");
        let text = "";
        while (!text.includes('"name":"own-')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
        const told = [...text.matchAll(/"name":"(own-\d+)"/g)].map(([, name]) => name);
        const madeMs = Date.parse(/"name":"own-\d+".*?"creationTimestamp":"([^"]+)"/.exec(text)?.[1] ?? "");
        return { told: [...new Set(told)], names: await names(fork), ageMs: madeMs - startMs };
      };
      const seen = await Promise.all(forks.map(use));
      stop.abort();
      const expected = forks.map((_, at) => ({
        told: [`own-${at}`],
        names: at % 2 === 0 ? [`own-${at}`] : ["base", `own-${at}`],
        ageMs: aheadMs(at),
      }));
      expect(seen).toEqual(expected);
      await Promise.all(forks.map((fork) => fork.close()));
      expect(await names(server)).toEqual(["base"]);
      expect(server.clock.now()).toBe(startMs);
    });
});

describe("reset", () => {
  test("goes back to the mark, as often as it is called, and ends watches", async () => {
    await using server = await createServer({ controllers: false });
    await make(server, "a");
    await server.mark();
    for (const name of ["b", "c"]) {
      await make(server, name);
      await remove(server, "a");
      const watch = await server.fetch(`${maps}?watch=true&resourceVersion=0`);
      await server.reset();
      await watch.text(); // it has ended
      expect(await names(server)).toEqual(["a"]);
    }
  });

  test("makes clients list again, since versions from before have expired", async () => {
    await using server = await createServer({ controllers: false });
    await server.mark();
    await make(server, "b");
    const { metadata } = (await (await server.fetch(maps)).json()) as { metadata: { resourceVersion: string } };
    await server.reset();
    const watch = await server.fetch(`${maps}?watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=1`);
    expect(await watch.text()).toContain('"code":410');
  });

  test("keeps the port, and needs a mark", async () => {
    await using server = await createServer({ controllers: false });
    await expect(server.reset()).rejects.toThrow("which was not called");
    const url = await server.listen();
    await server.mark();
    await server.reset();
    expect(await server.listen()).toBe(url);
  });
});

test("a snapshot is a file from which another server begins", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-snapshot-"));
  const path = join(folder, "state.backup");
  await using server = await createServer({ controllers: false });
  await post(server, definitions, toys);
  await post(server, toysPath, { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "ball" } });
  await server.snapshot(path);
  await make(server, "late");
  await using other = await createServer({ from: path, controllers: false });
  expect([await names(other, toysPath), await names(other)]).toEqual([["ball"], []]);
  await server.snapshot(path);
  await expect(createServer({ from: path, vocabulary: "kubernetes" })).rejects.toThrow('of the vocabulary "orch"');
  await expect(createServer({ from: path, dataDir: folder })).rejects.toThrow("begins with what the folder holds");
  await rm(folder, { recursive: true });
});
