import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { connect } from "node:net";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { selfSigned } from "./certificate.fixture.ts";
import type { Listener, ListenerOptions } from "./contract.ts";
import { openListener } from "./listen.ts";
import type { TestServer } from "./server.fixture.ts";
import { admin, openTestServer } from "./server.fixture.ts";

const pair = selfSigned("orch.test");
const base = "/apis/toys.example.com/v1/namespaces/a/gadgets";
let server: TestServer;
let listener: Listener;

beforeAll(async () => {
  server = await openTestServer({ authenticator: { authenticate: () => ({ user: admin, by: "test" }) } });
  listener = await openListener({ handler: server.handler, host: "127.0.0.1", port: 0, serving: pair, log: silentLog });
});
afterAll(async () => {
  await server.close();
  await listener.close(100);
});

const tls = (options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port: listener.port, rejectUnauthorized: false, ...options }, () =>
      resolve(socket),
    );
    socket.on("error", reject);
  });

const get = (path: string, method = "GET", body?: string): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: listener.port, path, method, rejectUnauthorized: false, agent: false },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve([response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8")]);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });

/** Sends raw bytes over TLS and gives back everything that comes until the connection closes or `ms` have passed. */
async function raw(text: string, ms = 500): Promise<string> {
  const socket = await tls();
  let seen = "";
  socket.on("data", (chunk) => {
    seen += chunk.toString("latin1");
  });
  socket.write(text);
  await Promise.race([once(socket, "close"), new Promise((resolve) => setTimeout(resolve, ms))]);
  socket.destroy();
  return seen;
}

describe("one port", () => {
  test("speaks HTTP/1.1 with clients that choose nothing, and with those that choose it", async () => {
    expect((await get("/version"))[0]).toBe(200);
    const socket = await tls({ ALPNProtocols: ["http/1.1"] });
    expect(socket.alpnProtocol).toBe("http/1.1");
    socket.destroy();
  });

  test("speaks HTTP/2, many requests at once on one connection", async () => {
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { rejectUnauthorized: false });
    const ask = async (path: string, method = "GET", body?: string) => {
      const stream = session.request({ ":path": path, ":method": method });
      stream.end(body);
      const [headers] = (await once(stream, "response")) as [{ ":status": number }];
      let text = "";
      for await (const chunk of stream) text += chunk;
      return [headers[":status"], text.length > 0] as const;
    };
    const answers = await Promise.all([
      ask("/version"),
      ask(base, "POST", '{"metadata":{"name":"h2"}}'),
      ask("/nope"),
      ask(base, "HEAD"),
    ]);
    expect(answers.map(([status]) => status)).toEqual([200, 201, 404, 405]);
    session.close();
  });

  test("does not keep HTTP/2 connections of clients that nobody knows", async () => {
    const open = await openTestServer();
    const own = await openListener({
      handler: open.handler,
      host: "127.0.0.1",
      port: 0,
      serving: pair,
      log: silentLog,
    });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ":path": "/version" });
    const [headers] = (await once(stream, "response")) as [{ ":status": number }];
    expect(headers[":status"]).toBe(200);
    stream.resume();
    await once(session, "close");
    await own.close(0);
    await open.close();
  });

  test("keeps connections of HTTP/1.1 for the next request, also after an error", async () => {
    const socket = await tls();
    const seen: string[] = [];
    for (const path of ["/version", "/nope", base, "/api/v1/namespaces/../x"]) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [chunk] = (await once(socket, "data")) as [Buffer];
      seen.push(chunk.toString("latin1").slice(9, 12));
    }
    expect(seen).toEqual(["200", "404", "200", "404"]);
    socket.destroy();
  });

  test("does not talk to clients that want another protocol, or none", async () => {
    await expect(tls({ ALPNProtocols: ["spdy/3"] })).rejects.toThrow();
    const plain = connect(listener.port, "127.0.0.1");
    plain.on("error", () => {});
    plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [seen] = (await Promise.race([once(plain, "data"), once(plain, "close")])) as [unknown];
    expect(String(seen)).not.toContain("200 OK");
    plain.destroy();
  });

  test("shows the certificate of a client to authenticators, judged by nobody yet", async () => {
    const client = selfSigned("somebody");
    let subject: string | undefined;
    const seen = await openTestServer({
      authenticator: {
        authenticate({ certificate }) {
          subject = certificate?.der.toString("latin1").includes("somebody") ? "somebody" : undefined;
          return undefined;
        },
      },
    });
    const own = await openListener({
      handler: seen.handler,
      host: "127.0.0.1",
      port: 0,
      serving: pair,
      log: silentLog,
    });
    const socket = await tls({ port: own.port, key: client.key, cert: client.certificate });
    socket.write("GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await once(socket, "data");
    expect(subject).toBe("somebody");
    socket.destroy();
    await own.close(0);
    await seen.close();
  });

  test("takes new certificates without closing", async () => {
    const next = selfSigned("orch.next");
    const own = await openListener({
      handler: server.handler,
      host: "127.0.0.1",
      port: 0,
      serving: pair,
      log: silentLog,
    });
    const nameNow = async () => {
      const socket = await tls({ port: own.port });
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return CN;
    };
    expect(await nameNow()).toBe("orch.test");
    own.replaceCertificates(next);
    expect(await nameNow()).toBe("orch.next");
    await own.close(0);
  });

  test("gives each server name its certificate, and odd names the usual one", async () => {
    const own = await openListener({
      handler: server.handler,
      host: "127.0.0.1",
      port: 0,
      serving: pair,
      byServerName: new Map([["*.example.com", selfSigned("wild")]]),
      log: silentLog,
    });
    for (const [servername, expected] of [
      ["api.example.com", "wild"],
      ["constructor", "orch.test"],
      ["x".repeat(200), "orch.test"],
    ]) {
      const socket = await tls({ port: own.port, servername: servername! });
      expect(socket.getPeerCertificate().subject.CN).toBe(expected);
      socket.destroy();
    }
    await own.close(0);
  });
});

describe("hostile bytes", () => {
  const attacks: [name: string, text: string][] = [
    [
      "length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"],
    ["a signed length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde"],
    ["a space before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n"],
    ["a folded header", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n"],
    ["a bare line feed", "GET / HTTP/1.1\nHost: x\n\n"],
    ["NUL in a header", "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n"],
    ["no host", "GET / HTTP/1.1\r\n\r\n"],
    ["a huge header", `GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(100_000)}\r\n\r\n`],
  ];
  for (const [name, text] of attacks) {
    test(`${name} is refused, and the next client is served`, async () => {
      // Nothing at all: the connection was closed before the answer could be read.
      expect(await raw(text)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
      expect((await get("/version"))[0]).toBe(200);
    });
  }

  test("a target that is no path reaches no handler", async () => {
    for (const target of ["https://evil/api/v1/pods", "//evil/api", "/api/v1/namespaces/../pods", "/a#b"]) {
      expect(await raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 40[04] /,
      );
    }
  });

  test("a body over the limit is refused without being read", async () => {
    const head = `POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000000\r\n\r\n`;
    const seen = await raw(head);
    expect(seen).toMatch(/^HTTP\/1\.1 413 /);
    expect(seen.toLowerCase()).toContain("connection: close");
  });

  test("a client that is still sending what is refused sees the refusal", async () => {
    const large = "x".repeat(8 * 1024 * 1024);
    for (let tries = 0; tries < 5; tries++) expect((await get(base, "POST", large))[0]).toBe(413);
    const socket = await tls();
    socket.on("error", () => {});
    socket.resume();
    const closed = once(socket, "close");
    socket.write(`POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000000\r\n\r\n`);
    const sending = setInterval(() => socket.write("x"), 50);
    await closed;
    clearInterval(sending);
  });

  test("connections that break off at any moment harm nobody", async () => {
    const halves = [
      "",
      "GET",
      `POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`,
      `GET ${base}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`,
      "GET /version HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    for (const text of halves) {
      const socket = await tls();
      socket.on("error", () => {});
      socket.write(text);
      await new Promise((resolve) => setTimeout(resolve, 10));
      socket.destroy();
    }
    const half = connect(listener.port, "127.0.0.1");
    half.on("error", () => {});
    half.write(Buffer.from("1603010200", "hex"));
    half.destroy();
    expect((await get("/version"))[0]).toBe(200);
  });

  test("a client that only opens and resets streams is cut off", async () => {
    const socket = await tls({ ALPNProtocols: ["h2"] });
    socket.on("error", () => {});
    socket.resume();
    const closed = once(socket, "close");
    const headers = Buffer.from("828784010178", "hex"); // GET https / with the authority x
    const frames = [Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, Buffer.alloc(0))];
    for (let id = 1; id < 20_000; id += 2) {
      frames.push(frame(1, 5, id, headers), frame(3, 0, id, Buffer.from("00000008", "hex")));
    }
    for (const one of frames) if (!socket.destroyed) socket.write(one);
    await closed;
    expect((await get("/version"))[0]).toBe(200);
  });

  const floods: [name: string, frames: () => Buffer[]][] = [
    ["pings", () => Array.from({ length: 20_000 }, () => frame(6, 0, 0, Buffer.alloc(8)))],
    ["settings", () => Array.from({ length: 20_000 }, () => frame(4, 0, 0, Buffer.alloc(0)))],
    [
      "headers without end",
      () => [
        frame(1, 0, 1, Buffer.from("82", "hex")),
        ...Array.from({ length: 5_000 }, () => frame(9, 0, 1, Buffer.alloc(100, 0x82))),
      ],
    ],
    ["headers that cannot be read", () => [frame(1, 5, 1, Buffer.from("ffffffffff", "hex"))]],
    [
      "a window that overflows",
      () => [frame(8, 0, 0, Buffer.from("7fffffff", "hex")), frame(8, 0, 0, Buffer.from("7fffffff", "hex"))],
    ],
    ["data on a stream that is none", () => [frame(0, 0, 9, Buffer.alloc(10))]],
  ];
  for (const [name, make] of floods) {
    test(`HTTP/2: ${name} harm nobody else`, async () => {
      const socket = await tls({ ALPNProtocols: ["h2"] });
      socket.on("error", () => {});
      socket.resume();
      socket.write(
        Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, Buffer.alloc(0)), ...make()]),
      );
      await Promise.race([once(socket, "close"), new Promise((resolve) => setTimeout(resolve, 100))]);
      expect((await get("/version"))[0]).toBe(200);
      socket.destroy();
    });
  }
});

/** A frame of HTTP/2 as it is on the wire. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

describe("slow and many", () => {
  const openOwn = (options: Partial<ListenerOptions>) =>
    openListener({ handler: server.handler, host: "127.0.0.1", port: 0, serving: pair, log: silentLog, ...options });

  test("a client that says nothing, or half a hello, is let go before it has cost anything", async () => {
    const own = await openOwn({ handshakeTimeoutMs: 100 });
    for (const bytes of ["", "1603010200010001fc0303"]) {
      const socket = connect(own.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.resume();
      socket.write(Buffer.from(bytes, "hex"));
      await once(socket, "close");
    }
    await own.close(0);
  });

  test("a client that sends its headers byte by byte is let go", async () => {
    const own = await openOwn({ headersTimeoutMs: 200 });
    const socket = await tls({ port: own.port });
    socket.on("error", () => {});
    socket.resume();
    const drip = setInterval(() => socket.destroyed || socket.write("G"), 20);
    await once(socket, "close");
    clearInterval(drip);
    await own.close(0);
  });

  test("connections over the limit are refused, and others are served", async () => {
    const own = await openOwn({ connectionsMax: 1 });
    const first = await tls({ port: own.port });
    await expect(tls({ port: own.port })).rejects.toThrow();
    first.write("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(String((await once(first, "data"))[0])).toContain("200 OK");
    first.destroy();
    await own.close(0);
  });

  test("streams over the limit wait for their turn", async () => {
    const own = await openOwn({ streamsPerConnectionMax: 2 });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(2);
    session.destroy();
    await own.close(0);
  });

  test("a watch over HTTP/2 tells events and ends with the server", async () => {
    const open = await openTestServer({ authenticator: { authenticate: () => ({ user: admin, by: "test" }) } });
    const own = await openListener({
      handler: open.handler,
      host: "127.0.0.1",
      port: 0,
      serving: pair,
      log: silentLog,
    });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ":path": `${base}?watch=1` });
    await once(stream, "response");
    await open.fetch(base, { method: "POST", body: '{"metadata":{"name":"seen"}}' });
    expect(JSON.parse(String((await once(stream, "data"))[0]))).toMatchObject({ type: "ADDED" });
    stream.resume();
    const ended = once(stream, "end");
    open.lifecycle.end();
    await ended;
    await own.close(1_000);
    await open.close();
  });
});

describe("closing", () => {
  test("lets a request finish, ends watches and idle connections, and takes no new ones", async () => {
    const own = await openTestServer();
    const port = await openListener({
      handler: own.handler,
      host: "127.0.0.1",
      port: 0,
      serving: pair,
      log: silentLog,
    });
    const idle = await tls({ port: port.port });
    idle.write("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(idle, "data");
    const watching = await tls({ port: port.port });
    watching.write(`GET ${base}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(watching, "data");
    const idleClosed = once(idle, "close");
    const watchEnded = once(watching, "close");
    const began = performance.now();
    own.lifecycle.end();
    await port.close(5_000);
    await Promise.all([idleClosed, watchEnded]);
    expect(performance.now() - began).toBeLessThan(2_000);
    await expect(tls({ port: port.port })).rejects.toThrow();
    await own.close();
  });

  test("breaks off what does not end in time", async () => {
    const own = await openTestServer();
    const port = await openListener({
      handler: own.handler,
      host: "127.0.0.1",
      port: 0,
      serving: pair,
      log: silentLog,
    });
    const watching = await tls({ port: port.port });
    watching.write(`GET ${base}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(watching, "data");
    const closed = once(watching, "close");
    await port.close(50);
    await closed;
    await own.close();
  });
});
