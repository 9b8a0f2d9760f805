import { afterAll, afterEach, test as base, beforeEach, describe, expect } from "vitest";
import type { OrchServer } from "../library/options.ts";
import {
  expectAnswer,
  expectChanges,
  expectGone,
  expectObject,
  expectRequests,
  globalSetup,
  globalTeardown,
  matchers,
  serverFixture,
  serverForEach,
  serverOf,
  type TestServerOptions,
  withServer,
} from "../testing.ts";
import { stateVariable, warmServersMax } from "./warm.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } });
const names = async (server: OrchServer) =>
  ((await (await server.fetch(maps)).json()) as { items: { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );

let prepared = 0;
const options: TestServerOptions = {
  controllers: false,
  load: [map("loaded")],
  prepare: async (server) => {
    prepared++;
    await server.load([map("prepared")]);
  },
};

describe("each test has a server of its own, which begins with what was prepared once", () => {
  const test = base.extend(serverFixture(options));
  const current = serverForEach({ beforeEach, afterEach }, options);
  afterAll(() => expect(prepared).toBe(1));

  for (const at of [1, 2])
    test(`as a fixture, test ${at}`, async ({ server }) => {
      expect(await names(server)).toEqual(["loaded", "prepared"]);
      await server.load([map("own")]);
    });
  for (const at of [1, 2])
    base(`from the context, by hooks and around a function, test ${at}`, async (context) => {
      for (const server of [await serverOf(context, options), current()]) {
        expect(await names(server)).toEqual(["loaded", "prepared"]);
        await server.load([map("own")]);
      }
      expect(await withServer(options, (server) => names(server))).toEqual(["loaded", "prepared"]);
    });
});

base("equal options without functions share the state they begin with, and the servers are closed", async () => {
  let closed: OrchServer | undefined;
  await withServer({ controllers: false, load: [map("x")] }, async (server) => {
    closed = server;
  });
  await expect(closed?.fork()).rejects.toThrow("the server is closed");
  const failure = withServer({ controllers: false, load: [{ kind: "Nothing" }] }, () => {});
  await expect(failure).rejects.toThrow("could not be loaded");
});

base("more choices of options than are kept still work, also at once", async () => {
  const choices = Array.from(
    { length: warmServersMax + 3 },
    (_, at) => ({ controllers: false, load: [map(`m${at}`)] }) as const,
  );
  const seen = await Promise.all(choices.map((choice) => withServer(choice, names)));
  expect(seen).toEqual(choices.map((_, at) => [`m${at}`]));
});

for (const vocabulary of ["orch", "kubernetes"] as const)
  base(`tests begin with the state of a global setup, which speaks ${vocabulary}`, async () => {
    const teardown = await globalSetup({ vocabulary, controllers: false, load: [map("global")] })();
    try {
      expect(await withServer({}, names)).toEqual(["global"]);
      expect(await withServer({ load: [map("more")] }, names)).toEqual(["global", "more"]);
      const other = vocabulary === "orch" ? "kubernetes" : "orch";
      await expect(withServer({ vocabulary: other }, names)).rejects.toThrow(`the global setup speaks "${vocabulary}"`);
    } finally {
      await teardown();
    }
    expect(process.env[stateVariable]).toBeUndefined();
    await globalTeardown(); // nothing is left to do
  });

describe("failures are readable", () => {
  const short = { timeoutMs: 20 };

  base("an object that is not as expected", () =>
    withServer(options, async (server) => {
      await expectObject(server, "ConfigMap", "loaded", { data: { a: expect.stringMatching(/\d/) } });
      await expect(expectObject(server, "ConfigMap", "loaded", { data: { a: "2", b: "3" } }, short)).rejects.toThrow(
        'ConfigMap "loaded" is not as expected\n  data.a: expected "2", was "1"\n  data.b: expected "3", was absent\n  (waited 20 ms in vain',
      );
      const failure = expectObject(server, "ConfigMap", "loaded", { data: { a: "2" } }, short);
      await expect(failure).rejects.toMatchObject({ actual: { data: { a: "1" } }, expected: { data: { a: "2" } } });
      await expect(expectObject(server, "ConfigMap", "none", {}, short)).rejects.toThrow("it does not exist");
      await expect(expectGone(server, "ConfigMap", "loaded", short)).rejects.toThrow("waited 20 ms in vain");
      await expectGone(server, "ConfigMap", "none");
    }),
  );

  base("an answer with another status", () =>
    withServer(options, async (server) => {
      expect(await expectAnswer(server.fetch(`${maps}/loaded`))).toMatchObject({ data: { a: "1" } });
      await expect(expectAnswer(server.fetch(`${maps}/none`))).rejects.toThrow(
        'expected the answer 200, and it was 404: configmaps "none" not found',
      );
    }),
  );

  base("requests that were not made", () =>
    withServer({ ...options, journal: true }, async (server) => {
      const alice = server.fetchAs({ name: "alice" });
      expect(() => expectRequests(server, { user: "alice" })).toThrow("there were none at all");
      await alice(`${maps}/loaded`);
      expect(expectRequests(server, { user: "alice", verb: "get" }, 1)).toHaveLength(1);
      expect(() => expectRequests(server, { user: "alice", verb: "patch" })).toThrow(
        `expected a request with {"user":"alice","verb":"patch"}, and found 0; there were only others\n  alice get ${maps}/loaded 200`,
      );
      expect(() => expectRequests(server, { user: "alice" }, 2)).toThrow("expected 2 requests");
    }),
  );

  base("changes that were not made, on a server with a history", () =>
    withServer({ ...options, history: "1h" }, async (server) => {
      const body = JSON.stringify(map("told"));
      await server.fetch(maps, { method: "POST", headers: { "content-type": "application/json" }, body });
      expect(await expectChanges(server, "ConfigMap", "told", [{ operation: "create", user: "admin" }])).toHaveLength(
        1,
      );
      await expect(expectChanges(server, "ConfigMap", "default/told", [])).rejects.toThrow(
        'expected 0 changes of "default/told", and there are 1\n  create by admin',
      );
      await expect(expectChanges(server, "ConfigMap", "told", [{ user: "jane" }])).rejects.toThrow(
        '[0].user: expected "jane", was "admin"',
      );
    }),
  );

  base("as matchers of expect", () =>
    withServer({ ...options, journal: true }, async (server) => {
      await server.fetch(`${maps}/loaded`);
      expect(await matchers.toHaveObject(server, "ConfigMap", "loaded", { data: { a: "1" } })).toMatchObject({
        pass: true,
      });
      expect(
        (await matchers.toHaveObject(server, "ConfigMap", "loaded", { data: {}, x: 1 }, short)).message(),
      ).toContain("x: expected 1, was absent");
      expect(matchers.toHaveRequested(server, { verb: "get" }, 1).pass).toBe(true);
      expect(matchers.toHaveRequested(server, { verb: "delete" }).message()).toContain("there were only others");
      expect((await matchers.toBeAnswered(await server.fetch(`${maps}/none`), 200)).message()).toContain("it was 404");
      const answer = server.fetch(`${maps}/loaded`);
      expect((await matchers.toBeAnswered(answer)).pass, "the promise of an answer").toBe(true);
      expect(await (await answer).json(), "it can still be read").toMatchObject({ data: { a: "1" } });
    }),
  );
});
