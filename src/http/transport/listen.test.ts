import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { get } from "node:https";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestServer } from "../server.fixture.ts";
import { selfSigned } from "./certificate.fixture.ts";
import { requestsBegunMax } from "./listen.ts";
import { base, openTestListener, type TestListener } from "./listener.fixture.ts";

let door: TestListener;
beforeAll(async () => {
  door = await openTestListener();
});
afterAll(() => door.close());

describe("one port", () => {
  test("speaks HTTP/1.1 with clients that negotiate no protocol or HTTP/1.1", async () => {
    expect((await door.get("/version"))[0]).toBe(200);
    const socket = await door.tls({ ALPNProtocols: ["http/1.1"] });
    expect(socket.alpnProtocol).toBe("http/1.1");
    socket.destroy();
  });

  test("speaks HTTP/2, with many requests at once on one connection", async () => {
    const session = connectHttp2(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
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

  test("serves the first HTTP/2 connections, although they come together and some leave at once", async () => {
    const own = await door.open();
    const target = { port: own.port, ALPNProtocols: ["h2"] };
    const leaving = Promise.all([1, 2, 3].map(async () => (await door.tls(target)).destroy()));
    const statuses = [1, 2, 3].map(async () => {
      const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
      const stream = session.request({ ":path": "/version" }).resume();
      const [headers] = (await once(stream, "response")) as [{ ":status": number }];
      session.close();
      return headers[":status"];
    });
    await leaving;
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    await own.close(0);
  });

  test("begins a bounded number of requests in one turn of the event loop, in their order", async () => {
    const turns = new Map<number, number>();
    const begun: string[] = [];
    let turn = 0;
    let isOver = false;
    const count = () => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    const own = await door.open({
      handler: (exchange) => {
        turns.set(turn, (turns.get(turn) ?? 0) + 1);
        begun.push(exchange.target);
        exchange.send(200, {}, "ok");
      },
    });
    const targets = Array.from({ length: 5 * requestsBegunMax }, (_, at) => `/${at}`);
    const socket = await door.tls({ port: own.port, ALPNProtocols: ["http/1.1"] });
    count();
    socket.write(targets.map((target) => `GET ${target} HTTP/1.1\r\nhost: a\r\n\r\n`).join(""));
    socket.resume();
    await expect.poll(() => begun.length).toBe(targets.length);
    isOver = true;
    expect(begun).toEqual(targets);
    expect(Math.max(...turns.values())).toBeLessThanOrEqual(requestsBegunMax);
    socket.destroy();
    await own.close();
  });

  test("sends the headers that the chain has set instead of those that a handler forwards", async () => {
    const own = await door.open({
      handler: async (exchange) => {
        exchange.fixHeaders(["x-fixed", "chain"]);
        if (exchange.target === "/pieces") {
          exchange.respond(200, { "x-fixed": "backend", "x-other": ["1", "2"] });
          exchange.end();
        } else exchange.send(200, { "x-other": ["1", "2"], "x-fixed": "backend" }, "ok");
      },
    });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    for (const path of ["/whole", "/pieces"]) {
      const stream = session.request({ ":path": path }).resume();
      const [http2] = (await once(stream, "response")) as [Record<string, unknown>];
      const response = await new Promise<IncomingMessage>((resolve) =>
        get({ host: "127.0.0.1", port: own.port, path, rejectUnauthorized: false, agent: false }, resolve),
      );
      response.resume();
      for (const headers of [http2, response.headers]) {
        expect([headers["x-fixed"], headers["x-other"]]).toEqual(["chain", "1, 2"]);
      }
    }
    session.close();
    await own.close(0);
  });

  test("does not keep HTTP/2 connections of unauthenticated clients", async () => {
    const open = await openTestServer();
    const own = await door.open({ handler: open.handler });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ":path": "/version" });
    const [headers] = (await once(stream, "response")) as [{ ":status": number }];
    expect(headers[":status"]).toBe(200);
    stream.resume();
    await once(session, "close");
    await own.close(0);
    await open.close();
  });

  test("keeps HTTP/1.1 connections for the next request, also after an error", async () => {
    const socket = await door.tls();
    const seen: string[] = [];
    for (const path of ["/version", "/nope", base, "/api/v1/namespaces/../x"]) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [chunk] = (await once(socket, "data")) as [Buffer];
      seen.push(chunk.toString("latin1").slice(9, 12));
    }
    expect(seen).toEqual(["200", "404", "200", "404"]);
    socket.destroy();
  });

  test("refuses clients that negotiate another protocol", async () => {
    await expect(door.tls({ ALPNProtocols: ["spdy/3"] })).rejects.toThrow();
  });

  test("tells a client that does not speak TLS to use HTTPS", async () => {
    const plain = connect(door.port, "127.0.0.1");
    plain.on("error", () => {});
    plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [seen] = (await once(plain, "data")) as [Buffer];
    expect(seen.toString().split("\r\n")).toEqual([
      "HTTP/1.0 400 Bad Request",
      "",
      "Client sent an HTTP request to an HTTPS server.\n",
    ]);
    await once(plain, "close");
  });

  test("passes the certificate of a client to authenticators unverified", async () => {
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
    const own = await door.open({ handler: seen.handler });
    const socket = await door.tls({ port: own.port, key: client.key, cert: client.certificate });
    socket.write("GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await once(socket, "data");
    expect(subject).toBe("somebody");
    socket.destroy();
    await own.close(0);
    await seen.close();
  });

  test("replaces certificates without closing connections", async () => {
    const next = selfSigned("orch.next");
    const own = await door.open();
    const nameNow = async () => {
      const socket = await door.tls({ port: own.port });
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return CN;
    };
    expect(await nameNow()).toBe("orch.test");
    own.replaceCertificates(next);
    expect(await nameNow()).toBe("orch.next");
    await own.close(0);
  });

  test("uses the certificate of each server name, and the default one for unknown names", async () => {
    const own = await door.open({
      byServerName: new Map([["*.example.com", selfSigned("wild")]]),
    });
    for (const [servername, expected] of [
      ["api.example.com", "wild"],
      ["constructor", "orch.test"],
      ["x".repeat(200), "orch.test"],
    ]) {
      const socket = await door.tls({ port: own.port, servername: servername! });
      expect(socket.getPeerCertificate().subject.CN).toBe(expected);
      socket.destroy();
    }
    await own.close(0);
  });
});
