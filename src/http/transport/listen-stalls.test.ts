import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handler } from "../contract/exchange.ts";
import { admin, openTestServer, type TestServer } from "../server.fixture.ts";
import { base, openTestListener, type TestListener } from "./listener.fixture.ts";

let door: TestListener;
beforeAll(async () => {
  door = await openTestListener();
});
afterAll(() => door.close());

const short = 200;
/** Unlike `once`, which rejects when the connection is reset. */
const closed = (socket: { once(event: "close", listener: () => void): unknown }) =>
  new Promise<void>((resolve) => socket.once("close", resolve));
/** Limits do not count for administrators. */
const ann = { ...admin, name: "ann", groups: ["dev"] };
const authenticator = { authenticate: () => ({ user: ann, by: "test" }) };

describe("a body that does not arrive", () => {
  test("ends its connection after the time for a whole request", async () => {
    const own = await door.open({ requestReceiveTimeoutMs: short });
    const socket = await door.tls({ port: own.port });
    socket.on("error", () => {});
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    socket.write(`POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`);
    const drip = setInterval(() => socket.destroyed || socket.write(" "), 20);
    await closed(socket);
    clearInterval(drip);
    expect(answer).toMatch(/^($|HTTP\/1\.1 408 )/);
    await own.close(0);
  });

  test("may take longer if it is forwarded as it arrives", async () => {
    let received = "";
    const handler: Handler = async (exchange) => {
      for await (const chunk of exchange.body()) received += chunk;
      exchange.send(200, {}, "done");
    };
    const own = await door.open({ requestReceiveTimeoutMs: short, handler });
    const socket = await door.tls({ port: own.port });
    socket.write("POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\n");
    // Beside a request that is not forwarded, whose end shows that the limit has passed several times.
    for (const text of ["ab", "cd", "ef"]) {
      const other = await door.tls({ port: own.port });
      other.on("error", () => {}).resume();
      other.write("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nX-Unread: 1\r\n");
      await closed(other);
      socket.write(text);
    }
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    expect([answer.split("\r\n")[0], received]).toEqual(["HTTP/1.1 200 OK", "abcdef"]);
    await own.close(0);
  });

  /** The only change at a time, so that a slot that is not released is detected at once. */
  const narrow = { requestTimeoutMs: short, mutatingMax: 1 };
  const body = '{"metadata":{"generateName":"a-"}}';
  const post = async (server: TestServer) => (await server.fetch(base, { method: "POST", body })).status;

  test("over HTTP/1.1 is answered after the request timeout, and no longer counts as in flight", async () => {
    const server = await openTestServer({ authenticator, limits: narrow });
    const own = await door.open({ handler: server.handler });
    const socket = await door.tls({ port: own.port });
    let seen = "";
    socket.on("data", (chunk) => {
      seen += chunk;
    });
    socket.write(`POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`);
    await once(socket, "end");
    expect(seen).toContain("504 Gateway Timeout");
    socket.destroy();
    await expect.poll(() => post(server)).toBe(201);
    await own.close(0);
    await server.close();
  });

  test("over HTTP/2 is answered after the request timeout, and no longer counts as in flight", async () => {
    const server = await openTestServer({ authenticator, limits: narrow });
    const own = await door.open({ handler: server.handler });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ":method": "POST", ":path": base, "content-type": "application/json" });
    stream.write("{");
    stream.resume();
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(504);
    // The client says nothing more: neither the rest of the body nor that it has given up.
    await closed(stream);
    expect([stream.rstCode, await post(server)]).toEqual([0, 201]);
    session.destroy();
    await own.close(0);
    await server.close();
  });
});

describe("an answer that is not read", () => {
  /** More than the buffers of a connection take. */
  const many = 200;
  const text = "x".repeat(100_000);
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer({ authenticator });
    for (let at = 0; at < many; at++) {
      const made = { metadata: { name: `g${at}`, annotations: { text } } };
      const { status } = await server.fetch(base, { method: "POST", body: JSON.stringify(made) });
      expect(status).toBe(201);
    }
  });
  afterAll(() => server.close());

  /** Requests whose answers are neither read nor destroyed. */
  function counting() {
    const count = { begun: 0, lying: 0 };
    const handler: Handler = (exchange) => {
      count.begun++;
      count.lying++;
      exchange.onFinish(() => count.lying--);
      return server.handler(exchange);
    };
    return { count, handler };
  }

  const asked = [
    { what: "a list", path: base, times: 1 },
    { what: "a watch", path: `${base}?watch=1`, times: 1 },
    { what: "a small answer, requested often", path: `${base}/g0`, times: many },
  ];
  for (const { what, path, times } of asked) {
    test(`is aborted over HTTP/1.1: ${what}`, async () => {
      const { count, handler } = counting();
      const own = await door.open({ handler, stallMs: short });
      const socket = await door.tls({ port: own.port });
      socket.on("error", () => {});
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times));
      await expect.poll(() => count.begun > 0 && count.lying).toBe(0);
      socket.destroy();
      await own.close(0);
    });

    test(`is aborted over HTTP/2: ${what}`, async () => {
      const { count, handler } = counting();
      const own = await door.open({ handler, stallMs: short });
      const session = connectHttp2(`https://127.0.0.1:${own.port}`, {
        rejectUnauthorized: false,
        settings: { initialWindowSize: 0 },
      });
      session.on("error", () => {});
      // The connection itself stays in use.
      const ping = setInterval(() => session.destroyed || session.ping(() => {}), 20);
      for (let at = 0; at < times; at++) session.request({ ":path": path }).on("error", () => {});
      await expect.poll(() => count.begun > 0 && count.lying).toBe(0);
      expect(session.destroyed).toBe(false);
      clearInterval(ping);
      session.destroy();
      await own.close(0);
    });
  }

  for (const path of [`${base}/large`, base]) {
    test(`does not block a large request that follows before it is flushed: ${path}`, async () => {
      const large = JSON.stringify({ metadata: { name: "large" }, spec: { notes: { text: text.repeat(10) } } });
      await server.fetch(base, { method: "POST", body: large });
      const own = await door.open({ handler: server.handler });
      const socket = await door.tls({ port: own.port });
      socket.on("error", () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(socket, "readable");
      const head = `PUT ${base}/large HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close`;
      socket.write(`${head}\r\nContent-Length: ${large.length}\r\n\r\n${large}`);
      await new Promise((resolve) => setTimeout(resolve, short));
      let seen = "";
      for await (const chunk of socket) seen += chunk;
      expect(seen.match(/HTTP\/1\.1 \d+ \w+/g)).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
      await own.close(0);
    });
  }

  test("is released if it waits behind another on a connection that closes", async () => {
    const { count, handler } = counting();
    const own = await door.open({ handler, stallMs: short });
    const socket = await door.tls({ port: own.port });
    socket.resume();
    const asking = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    // Nothing behind a watch is sent before it ends.
    socket.write(asking(`${base}?watch=1`) + asking(`${base}?watch=1`) + asking(base) + asking(base));
    await expect.poll(() => count.begun).toBe(4);
    socket.destroy();
    await expect.poll(() => count.lying).toBe(0);
    await own.close(0);
  });

  test("a client that reads slowly is served to the end", async () => {
    const own = await door.open({ handler: server.handler, stallMs: 1_000 });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ":path": base });
    const watch = session.request({ ":path": `${base}?watch=1&resourceVersion=${await newest(server)}` });
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect([bytes > many * text.length, watch.closed]).toEqual([true, false]);
    session.destroy();
    await own.close(0);
  });
});

describe("a connection over HTTP/2 whose first request does not arrive", () => {
  const preface = Buffer.concat([
    Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), // no settings
  ]);
  /** A HEADERS frame of `length` bytes that begins with ":method: GET" and does not end the headers. */
  const headers = (length: number) => Buffer.from([0, 0, length, 1, 0, 0, 0, 0, 1, 0x82]);
  const slow: [how: string, sent: readonly Buffer[], more?: Buffer][] = [
    ["sends nothing", []],
    ["sends its preface and nothing else", [preface]],
    ["pings again and again", [preface], Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])],
    ["never ends its headers", [preface, headers(1)]],
    ["sends its headers byte by byte", [preface, headers(200)], Buffer.from([0x82])],
  ];
  for (const [how, sent, more] of slow)
    test(`is closed if the client ${how}`, async () => {
      const own = await door.open({ headersTimeoutMs: short });
      const socket = await door.tls({ port: own.port, ALPNProtocols: ["h2"] });
      socket.on("error", () => {});
      socket.resume();
      for (const bytes of sent) socket.write(bytes);
      const dripping = more && setInterval(() => socket.write(more), 20);
      await closed(socket);
      clearInterval(dripping);
      await own.close(0);
    });
});

describe("a connection without requests", () => {
  test("is closed, in either version of HTTP", async () => {
    const own = await door.open({ idleMs: short });
    const socket = await door.tls({ port: own.port });
    socket.write("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.resume();
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    session.request({ ":path": "/version" }).resume();
    await Promise.all([closed(socket), closed(session)]);
    await own.close(0);
  });
});

async function newest(server: TestServer): Promise<string> {
  const list = (await (await server.fetch(`${base}?limit=1`)).json()) as { metadata: { resourceVersion: string } };
  return list.metadata.resourceVersion;
}
