import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { kubernetes } from "../../src/vocabulary/kubernetes.ts";
import { orch } from "../../src/vocabulary/orch.ts";
import type { Vocabulary } from "../../src/vocabulary/vocabulary.ts";
import {
  type BackendOptions,
  certificateFor,
  openBackend,
  openProxyingServer,
  type ProxyingServer,
  type TestBackend,
  token,
} from "./proxy.suite.ts";

const group = "crops.example.com";
const version = `/apis/${group}/v1`;
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** A server with an API service in front of a backend. Resolves when it is available. */
async function aggregate(
  options: BackendOptions,
  vocabulary: Vocabulary = orch,
): Promise<{ front: ProxyingServer; stub: TestBackend }> {
  const stub = await openBackend({ tls: certificateFor("localhost"), ...options });
  const front = await openProxyingServer(vocabulary.name);
  opened.push(front, stub);
  const service = { metadata: { name: "crops" }, spec: { type: "ExternalName", externalName: "localhost" } };
  await front.post("/api/v1/namespaces/default/services", service);
  await front.post(`/apis/${vocabulary.group("apiregistration.orch.io")}/v1/apiservices`, {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      groupPriorityMinimum: 1_000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "crops", port: stub.port },
    },
  });
  const available = async () => (await front.ask(`${version}/ready`)).status;
  await expect.poll(available).not.toBe(503);
  return { front, stub };
}

/** Answers discovery, and all other requests as the test decides. */
const serving =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url === version || request.url === `${version}/ready`) response.end("{}");
    else answer(request, response);
  };

describe("requests to an aggregated server", () => {
  for (const [vocabulary, name] of [
    [orch, "system:orch-aggregator"],
    [kubernetes, "system:kube-aggregator"],
  ] as const) {
    test(`come from ${name} when the server makes them for itself`, async () => {
      const { stub } = await aggregate({ answer: serving((_, response) => response.end("{}")) }, vocabulary);
      const check = stub.seen.find(({ url }) => url === version);
      expect(check?.headers).toMatchObject({ "x-remote-user": name, "x-remote-group": "system:masters" });
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    test(`a redirect with ${status} is 502 and shows no location (C03 in docs/security-rows.md)`, async () => {
      const { front } = await aggregate({
        answer: serving((_, response) => response.writeHead(status, { location: "https://evil.test/" }).end()),
      });
      const answer = await front.ask(`${version}/things`);
      expect([answer.status, answer.headers.location]).toEqual([502, undefined]);
      expect(answer.text).toContain("the backend attempted to redirect this request, which is not permitted");
    });
  }

  test("that answers nothing, not HTTP or only in part are answered with a 503 or a truncated answer (F13)", async () => {
    const { front, stub } = await aggregate({
      answer: serving((request, response) => {
        if (request.url?.endsWith("/hangs")) return;
        if (request.url?.endsWith("/garbage")) request.socket.end("garbage\r\n\r\n");
        else if (request.url?.endsWith("/resets")) request.socket.destroy();
        else response.writeHead(200, { "content-length": 100 }).write("half", () => request.socket.destroy());
      }),
    });
    for (const path of ["garbage", "resets"]) {
      const { status, text } = await front.ask(`${version}/${path}`);
      expect([path, status, text.startsWith("error trying to reach service")]).toEqual([path, 503, true]);
    }
    await expect(front.ask(`${version}/half`)).rejects.toThrow();
    // One that never answers holds nothing once its client has gone, and others are served meanwhile.
    const socket = await front.raw(
      `GET ${version}/hangs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await expect.poll(() => stub.seen.some(({ url }) => url.endsWith("/hangs"))).toBe(true);
    expect((await front.ask("/api/v1/namespaces/default")).status).toBe(200);
    expect((await front.ask(`${version}/ready`)).status).toBe(200);
    socket.destroy();
  });

  test("carry the user, no header that the client made up, and the exact target (A06, A07)", async () => {
    const foreign = { "x-remote-user": "root", "access-control-allow-origin": "*", "set-cookie": "a=b", etag: "kept" };
    const { front, stub } = await aggregate({
      answer: serving((_, response) => response.writeHead(200, foreign).end("{}")),
    });
    const target = `${version}/things/a%20b;c='d'?x=%zz&y=a|b`;
    const underscores = { x_remote_user: "root", "X_Remote-Group": "system:masters", x_remote_extra_a: "b" };
    const { headers } = await front.ask(target, {
      headers: { "x-remote-user": "root", "x-remote-group": "system:masters", "x-remote-extra-a": "b", ...underscores },
    });
    expect(Object.keys(foreign).filter((name) => name in headers)).toEqual(["etag"]);
    const seen = stub.seen.find(({ url }) => url.includes("things"));
    expect(seen?.url).toBe(target);
    expect(seen?.headers).toMatchObject({ "x-remote-user": "ann", "x-remote-group": "system:authenticated" });
    expect(Object.keys(seen?.headers ?? {}).filter((name) => /extra|authorization|_/.test(name))).toEqual([]);
  });
});

describe("upgrades to an aggregated server", () => {
  const asks = (protocol: string) =>
    `GET ${version}/things/a/exec HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
  const answering = (text: string) => (_: unknown, socket: Duplex) => void socket.write(text);

  test("are passed through, with the user's name", async () => {
    const { front, stub } = await aggregate({
      answer: serving((_, response) => response.end("{}")),
      upgrade: (_, socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
        socket.on("data", (chunk: Buffer) => socket.write(`[${chunk.toString()}]`));
      },
    });
    const socket = await front.raw(asks("SPDY/3.1"));
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    await expect.poll(() => text).toContain("\r\n\r\n");
    expect(text).toMatch(/^HTTP\/1\.1 101 /);
    socket.write("hello");
    await expect.poll(() => text).toContain("[hello]");
    socket.destroy();
    const seen = stub.seen.find(({ headers }) => headers.upgrade !== undefined);
    expect(seen?.headers).toMatchObject({ upgrade: "SPDY/3.1", "x-remote-user": "ann" });
    expect(seen?.headers.authorization).toBeUndefined();
  });

  for (const [status, expected] of [
    ["200 OK", 502],
    ["302 Found\r\nLocation: https://evil.test/", 502],
    ["404 Not Found", 404],
  ] as const) {
    test(`that are answered ${JSON.stringify(status)} join nothing (C01, C02)`, async () => {
      const { front, stub } = await aggregate({
        answer: serving((_, response) => response.end("{}")),
        upgrade: answering(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\nno`),
      });
      const socket = await front.raw(`${asks("websocket")}GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n`);
      let text = "";
      socket.on("data", (chunk) => {
        text += String(chunk);
      });
      await once(socket, "close");
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${expected} `));
      expect([text.match(/HTTP\/1\.1 /g)?.length, /location/i.test(text)]).toEqual([1, false]);
      expect(stub.seen.filter(({ url }) => url.includes("secrets"))).toEqual([]);
    });
  }
});

describe("the schema of an aggregated server", () => {
  const meta = "io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  const schema = JSON.stringify({
    swagger: "2.0",
    paths: {
      [`${version}/things`]: {
        get: {
          description: "list",
          operationId: "list",
          responses: { 200: { description: "OK", schema: { $ref: "#/definitions/example.Thing" } } },
        },
      },
      "/api/v1/pods": { get: { description: "a trap", operationId: "trap", responses: {} } },
    },
    definitions: {
      "example.Thing": { type: "object", properties: { metadata: { $ref: `#/definitions/${meta}` } } },
      [meta]: { type: "string", description: "not the one you know" },
      "example.Unused": { type: "object" },
    },
  });
  const document = async (front: ProxyingServer) =>
    JSON.parse((await front.ask("/openapi/v2")).text) as {
      paths: Record<string, unknown>;
      definitions: Record<string, object>;
    };

  test("is merged into our document, without paths outside its group", async () => {
    const { front } = await aggregate({
      answer: serving(
        ({ url }, response) => void (url === "/openapi/v2" ? response.end(schema) : response.writeHead(404).end()),
      ),
    });
    const before = await document(front);
    await expect.poll(async () => Object.keys((await document(front)).paths)).toContain(`${version}/things`);
    const { paths, definitions } = await document(front);
    expect(paths["/api/v1/pods"]).toEqual(before.paths["/api/v1/pods"]);
    expect(definitions[meta]).toEqual(before.definitions[meta]);
    // Our own definition of that name is another one, so theirs has a new name.
    expect(definitions["example.Thing"]).toEqual({
      type: "object",
      properties: { metadata: { $ref: `#/definitions/${meta}_v2` } },
    });
    expect(definitions[`${meta}_v2`]).toMatchObject({ description: "not the one you know" });
    expect(definitions["example.Unused"]).toBeUndefined();
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    expect((await front.ask("/openapi/v2", { headers: { accept } })).text).toContain("example.Thing");
  });

  const hostile: [what: string, answer: RequestListener][] = [
    ["is invalid JSON", (_, response) => void response.end('{"paths":{')],
    ["has a value of another shape", (_, response) => void response.end('{"paths":[],"definitions":3}')],
    ["never ends", (_, response) => void setInterval(() => response.write(" ".repeat(65_536)), 1).unref()],
    ["never begins", () => {}],
    ["is nested deeply", (_, response) => void response.end(`{"paths":{"${version}/x":${"[".repeat(100_000)}`)],
    ["has one huge path", (_, response) => void response.end(`{"paths":{"${version}/x":"${"x".repeat(1_000_000)}"}}`)],
  ];
  for (const [what, answer] of hostile) {
    test(`that ${what} changes nothing, and no request waits for it`, async () => {
      let asked = 0;
      const { front } = await aggregate({
        answer: serving((request, response) => {
          asked++;
          answer(request, response);
        }),
      });
      await expect.poll(() => asked).toBeGreaterThan(0);
      const { status, text } = await front.ask("/openapi/v2");
      expect([status, text.includes(version)]).toEqual([200, false]);
      expect((await front.ask("/api/v1/namespaces/default")).status).toBe(200);
    });
  }
});
