/** The server inside an app: whose requests are whose. */

import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { streamedBodyBytesMax } from "../../http/transport/memory-exchange.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { createServer, nodeListener, type OrchServer } from "../library.ts";

let server: OrchServer;
const maps = "/api/v1/namespaces/default/configmaps";
const review = "/apis/authentication.orch.io/v1/selfsubjectreviews";
beforeAll(async () => {
  const tokens = { good: { name: "robot", groups: ["system:masters"] } };
  server = await createServer({ authorization: "RBAC", tokens, emulatedVersion: "1.35" });
});
afterAll(() => server.close());

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const whoIs = async (fetch: (path: string, init: RequestInit) => Promise<Response>, headers: object = {}) => {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" };
  const answer = (await (await fetch(review, init)).json()) as { status: { userInfo: { username: string } } };
  return answer.status.userInfo;
};

test("fetch with a credential is that credential or 401, in every form of headers, also of another user", async () => {
  expect((await server.fetch(maps)).status).toBe(200);
  expect((await server.fetch(maps, bearer("wrong"))).status).toBe(401);
  expect((await server.fetch(maps, { headers: [["Authorization", "Bearer wrong"]] })).status).toBe(401);
  expect((await server.fetch(new Request(`http://any${maps}`, bearer("wrong")))).status).toBe(401);
  expect((await server.fetchAs({ name: "eve" })(maps, bearer("wrong"))).status).toBe(401);
  expect((await server.fetch(maps, { headers: { authorization: "Digest of nothing" } })).status).toBe(403);
  expect(await whoIs(server.fetch, { authorization: "Bearer good" })).toMatchObject({ username: "robot" });
});

test("a handler answers as the user that the app says, whatever credential of the app the request has", async () => {
  const handle = server.handler({
    authenticate: (request) => {
      const session = request.headers.get("authorization");
      if (session === "Session broken") throw new Error("the database is away");
      if (session === "Session banned") throw new StatusError("Forbidden", "you are banned");
      return session === "Session 1" ? { name: "eve", uid: "7", groups: ["dev"], extra: { team: ["a"] } } : null;
    },
  });
  const fetch = (path: string, init?: RequestInit) => handle(new Request(`http://app.example${path}`, init));
  expect(await whoIs(fetch, { authorization: "Session 1" })).toEqual({
    username: "eve",
    uid: "7",
    groups: ["dev", "system:authenticated"],
    extra: { team: ["a"] },
  });
  expect((await fetch(maps, { headers: { authorization: "Session 1" } })).status).toBe(403);
  const codes = async (headers: Record<string, string>) => (await fetch(maps, { headers })).status;
  expect([await codes({}), await codes({ authorization: "Bearer wrong" })]).toEqual([403, 401]);
  expect(await codes({ authorization: "Session broken" })).toBe(401);
  expect(await codes({ authorization: "Session banned" })).toBe(403);
  expect(await codes({ authorization: "Bearer good" })).toBe(200);
});

test("a handler without authentication knows nobody, and a server without roles refuses strangers", async () => {
  await using open = await createServer({ controllers: false });
  expect((await open.handler()(new Request(`http://any${maps}`))).status).toBe(401);
});

test("a handler under a prefix serves what is under it", async () => {
  const handle = server.handler({
    prefix: "/cluster/",
    authenticate: () => ({ name: "a", groups: ["system:masters"] }),
  });
  const codes = ["/cluster/version", "/cluster", "/clusters/version", "/version"].map(
    async (path) => (await handle(new Request(`http://any${path}`))).status,
  );
  expect(await Promise.all(codes)).toEqual([200, 200, 404, 404]);
});

test("a listener of node:http carries bodies, watches and the end of a connection", async () => {
  const listener = nodeListener(server.handler({ authenticate: () => ({ name: "a", groups: ["system:masters"] }) }));
  const http = createHttpServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const left = new AbortController();
  const watch = await fetch(`${url}${maps}?watch=true&fieldSelector=metadata.name=carried`, { signal: left.signal });
  const made = await fetch(`${url}${maps}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "carried" } }),
  });
  expect(made.status).toBe(201);
  const reader = watch.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"type":"ADDED"');
  left.abort();
  const large = await fetch(`${url}${maps}`, { method: "POST", body: Buffer.alloc(streamedBodyBytesMax / 4, 0x20) });
  expect(large.status).toBe(413);
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
  await server.settled();
});

test("a body that does not end is refused, and not read to its end", async () => {
  let given = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += 1024 * 1024;
      controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
  const init = { method: "POST", body: endless, duplex: "half", headers: { "content-type": "application/json" } };
  const answer = await server.fetch(new Request(`http://any${maps}`, init as RequestInit));
  expect([answer.status, given < 2 * streamedBodyBytesMax]).toEqual([413, true]);
});
