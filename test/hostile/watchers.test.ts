/** Watchers that do not read, that are many, and that would like to see what is not theirs. */

import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { TLSSocket } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { adminToken, aliceToken, pause, useTarget } from "./target.ts";

const target = useTarget();
const configMaps = "/api/v1/namespaces/default/configmaps";

/** A watch that is not read until a listener is added. */
async function openWatch(path: string, token = adminToken): Promise<TLSSocket> {
  const socket = await target.connect();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

/** Names and versions of events in the order they came. */
function follow(socket: TLSSocket): {
  readonly events: { type: string; name: string; version: string; namespace: string }[];
  readonly text: () => string;
} {
  const events: { type: string; name: string; version: string; namespace: string }[] = [];
  let text = "";
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    text += chunk;
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith('{"type"')) continue;
      const { type, object } = JSON.parse(line);
      events.push({
        type,
        name: object.metadata?.name,
        version: object.metadata?.resourceVersion,
        namespace: object.metadata?.namespace,
      });
    }
  });
  return { events, text: () => text };
}

describe("N20 slow watchers", () => {
  test("N20 slow watchers: those that do not read are ended, and the others miss nothing", async () => {
    const { body } = await target.post(configMaps, { metadata: { name: "busy" }, data: { a: "" } });
    const path = `${configMaps}?watch=1&resourceVersion=${body.metadata.resourceVersion}&fieldSelector=metadata.name%3Dbusy`;
    const before = await target.rssBytes();
    const slow = await Promise.all(Array.from({ length: 20 }, () => openWatch(path)));
    for (const socket of slow) socket.pause();
    const healthy = follow(await openWatch(path));
    const writes = 60;
    await target.beside(async () => {
      for (let at = 0; at < writes; at++) {
        const bytes = JSON.stringify({ data: { a: `${at} ${"x".repeat(200_000)}` } });
        const { status } = await target.request(`${configMaps}/busy`, {
          method: "PATCH",
          type: "application/merge-patch+json",
          bytes,
        });
        expect(status).toBe(200);
      }
    });
    await expect.poll(() => healthy.events.length).toBe(writes);
    const versions = healthy.events.map(({ version }) => Number(version));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    // Twelve megabytes went by each; none of the twenty may keep them in the server.
    expect((await target.rssBytes()) - before).toBeLessThan(250 * 1024 * 1024);

    // They get the events up to where they were given up, whole lines, and then the end.
    const seen = slow.map(follow);
    for (const socket of slow) socket.resume();
    await expect.poll(() => seen.every(({ text }) => text().endsWith("0\r\n\r\n"))).toBe(true);
    for (const { events } of seen) expect(events.length).toBeLessThan(writes);
    for (const socket of slow) socket.destroy();
  });

  test("N20 slow watchers: one that does not read its large initial state costs no copy of it", async () => {
    for (let at = 0; at < 20; at++) {
      await target.post(configMaps, { metadata: { name: `state-${at}` }, data: { a: "x".repeat(500_000) } });
    }
    const before = await target.rssBytes();
    const slow = await Promise.all(
      Array.from({ length: 40 }, () => openWatch(`${configMaps}?watch=1&resourceVersion=0`)),
    );
    for (const socket of slow) socket.pause();
    await target.beside(() => pause(1_000));
    // Forty times ten megabytes.
    expect((await target.rssBytes()) - before).toBeLessThan(250 * 1024 * 1024);
    for (const socket of slow) socket.destroy();
  });
});

describe("N21 many watches", () => {
  test("N21 many watches: 200 get every event, and opening and closing leaves nothing behind", async () => {
    const path = "/api/v1/namespaces/default/secrets?watch=1";
    const sockets = await Promise.all(Array.from({ length: 200 }, () => openWatch(path)));
    const seen = sockets.map(follow);
    await expect.poll(() => seen.filter(({ text }) => text().includes("200 OK")).length).toBe(200);
    for (let at = 0; at < 5; at++)
      await target.post("/api/v1/namespaces/default/secrets", { metadata: { name: `s-${at}` } });
    await expect.poll(() => seen.every(({ events }) => events.length === 5)).toBe(true);
    for (const socket of sockets) socket.destroy();

    const gauge = async () => {
      const { text } = await target.request("/metrics");
      const lines = text
        .split("\n")
        .filter(
          (line) =>
            line.includes("watch") && line.includes('secrets"') && !line.startsWith("#") && !line.includes("total"),
        );
      return lines.map((line) => Number(line.split(" ").at(-1)));
    };
    for (let round = 0; round < 5; round++) {
      const some = await Promise.all(Array.from({ length: 40 }, () => openWatch(path)));
      await pause(50);
      for (const socket of some) socket.destroy();
    }
    // All counts of open watches of secrets are back at zero.
    await expect.poll(async () => (await gauge()).filter((value) => value >= 40).length).toBe(0);
  });
});

describe("N21 memory of watches", () => {
  test("N21 many watches: a thousand on five connections cost little memory and get a change at once", async () => {
    const path = "/api/v1/namespaces/default/podtemplates?watch=1";
    const count = 1_000;
    const headers = { ":path": path, authorization: `Bearer ${adminToken}` };
    const sessions = Array.from({ length: 5 }, () =>
      connectHttp2(`https://127.0.0.1:${target.port}`, { rejectUnauthorized: false }),
    );
    // The first ones make the server compile what it needs; what counts is what each further one costs.
    const warm = sessions.map((session) => session.request(headers));
    await Promise.all(warm.map((stream) => once(stream, "response")));
    const before = await target.rssBytes();
    const streams = sessions.flatMap((session) =>
      Array.from({ length: count / sessions.length }, () => session.request(headers)),
    );
    await Promise.all(streams.map((stream) => once(stream, "response")));
    expect(((await target.rssBytes()) - before) / count).toBeLessThan(64 * 1024);
    const told = streams.map((stream) => once(stream, "data"));
    const begin = performance.now();
    await target.post("/api/v1/namespaces/default/podtemplates", {
      metadata: { name: "seen-by-all" },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    });
    for (const [chunk] of await Promise.all(told)) expect(String(chunk)).toContain('"name":"seen-by-all"');
    expect(performance.now() - begin).toBeLessThan(30_000);
    for (const session of sessions) session.destroy();
  });
});

describe("C11 watches of other tenants", () => {
  const rbac = "/apis/rbac.authorization.orch.io/v1";
  const namespaces = ["a", "aa", "a-b", "b"];

  beforeAll(async () => {
    for (const name of namespaces) await target.post("/api/v1/namespaces", { metadata: { name } });
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }];
    await target.post(`${rbac}/namespaces/a/roles`, { metadata: { name: "see" }, rules });
    await target.post(`${rbac}/namespaces/a/rolebindings`, {
      metadata: { name: "see" },
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "see" },
      subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "alice" }],
    });
  });

  test("C11 other tenants: lists and watches of one namespace contain nothing of namespaces with similar names", async () => {
    const own = "/api/v1/namespaces/a/configmaps";
    const first = (await target.request(own)).body.metadata.resourceVersion;
    const queries = [
      "",
      `&resourceVersion=0`,
      `&resourceVersion=${first}`,
      "&labelSelector=kind%3Dx",
      "&fieldSelector=metadata.namespace%3Da",
      "&labelSelector=kind&resourceVersion=0",
      "&fieldSelector=metadata.name!%3Dzz",
    ];
    const watchers = await Promise.all(queries.map((query) => openWatch(`${own}?watch=1${query}`, aliceToken)));
    const seen = watchers.map(follow);
    await pause(200);
    const rounds = 25;
    for (let at = 0; at < rounds; at++) {
      await Promise.all(
        namespaces.map((namespace) =>
          target.post(`/api/v1/namespaces/${namespace}/configmaps`, {
            metadata: { name: `of-${namespace}-${at}`, labels: { kind: "x" } },
            data: { namespace },
          }),
        ),
      );
    }
    await expect.poll(() => seen.map(({ events }) => events.length)).toEqual(queries.map(() => rounds));
    for (const { events } of seen) expect(new Set(events.map(({ namespace }) => namespace))).toEqual(new Set(["a"]));
    for (const socket of watchers) socket.destroy();

    for (const query of [
      "",
      "&resourceVersion=0",
      `&resourceVersion=${first}&resourceVersionMatch=NotOlderThan`,
      "&labelSelector=kind%3Dx",
      "&limit=7",
      "&fieldSelector=metadata.namespace%3Daa",
    ]) {
      let token = "";
      do {
        const { body } = await target.request(`${own}?x=1${query}${token === "" ? "" : `&continue=${token}`}`, {
          token: aliceToken,
        });
        for (const item of body.items) expect(item.metadata.namespace).toBe("a");
        token = body.metadata.continue ?? "";
      } while (token !== "");
    }
    for (const namespace of ["aa", "a-b", "b"]) {
      expect((await target.request(`/api/v1/namespaces/${namespace}/configmaps`, { token: aliceToken })).status).toBe(
        403,
      );
      expect(
        (await target.request(`/api/v1/configmaps?fieldSelector=metadata.namespace%3Da`, { token: aliceToken })).status,
      ).toBe(403);
    }
  });

  test("C11 other tenants: a watch shows neither the history nor an object of the same name elsewhere", async () => {
    const own = "/api/v1/namespaces/a/configmaps";
    const first = (await target.request(own)).body.metadata.resourceVersion;
    const named = ["", `&resourceVersion=${first}`].map((from) => `&fieldSelector=metadata.name%3Dsame${from}`);
    const live = await Promise.all(named.map((query) => openWatch(`${own}?watch=1${query}`, aliceToken)));
    const seen = live.map(follow);
    await pause(200);
    for (const namespace of [...namespaces].reverse()) {
      const body = { metadata: { name: "same", labels: { kind: "y" } }, data: { namespace } };
      await target.post(`/api/v1/namespaces/${namespace}/configmaps`, body);
    }
    const queries = [`&resourceVersion=${first}`, `&labelSelector=kind%3Dy&resourceVersion=${first}`, ...named];
    const late = await Promise.all(queries.map((query) => openWatch(`${own}?watch=1${query}`, aliceToken)));
    seen.push(...late.map(follow));
    await expect.poll(() => seen.every(({ events }) => events.length > 0)).toBe(true);
    await pause(300);
    expect(seen.map(({ events }) => events.map(({ type, namespace, name }) => [type, namespace, name]))).toEqual(
      seen.map(() => [["ADDED", "a", "same"]]),
    );
    for (const socket of [...live, ...late]) socket.destroy();
  });
});
