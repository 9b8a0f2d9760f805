import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { admin, openTestServer } from "../server.fixture.ts";
import { base, openTestListener, type TestListener } from "./listener.fixture.ts";

let door: TestListener;
beforeAll(async () => {
  door = await openTestListener();
});
afterAll(() => door.close());

describe("slow clients and many clients", () => {
  test("a client that sends nothing, or half a hello, is disconnected before it costs anything", async () => {
    const own = await door.open({ handshakeTimeoutMs: 100 });
    for (const bytes of ["", "1603010200010001fc0303"]) {
      const socket = connect(own.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.resume();
      socket.write(Buffer.from(bytes, "hex"));
      await once(socket, "close");
    }
    await own.close(0);
  });

  test("a client that sends its headers byte by byte is disconnected", async () => {
    const own = await door.open({ headersTimeoutMs: 200 });
    const socket = await door.tls({ port: own.port });
    socket.on("error", () => {});
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    // So far this is a valid request, so only the timeout can end it.
    socket.write("GET /version HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    const drip = setInterval(() => socket.destroyed || socket.write("y"), 20);
    // A byte may be written after the server has closed, which is an error of the client only.
    await new Promise((closed) => socket.once("close", closed));
    clearInterval(drip);
    expect(answer === "" || answer.startsWith("HTTP/1.1 408 ")).toBe(true);
    await own.close(0);
  });

  test("connections over the limit are refused, and others are served", async () => {
    const own = await door.open({ connectionsMax: 1 });
    const first = await door.tls({ port: own.port });
    await expect(door.tls({ port: own.port })).rejects.toThrow();
    first.write("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(String((await once(first, "data"))[0])).toContain("200 OK");
    first.destroy();
    await own.close(0);
  });

  test("streams over the limit wait", async () => {
    const own = await door.open({ streamsPerConnectionMax: 2 });
    const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(2);
    session.destroy();
    await own.close(0);
  });

  test("a watch over HTTP/2 sends events and ends with the server", async () => {
    const open = await openTestServer({ authenticator: { authenticate: () => ({ user: admin, by: "test" }) } });
    const own = await door.open({ handler: open.handler });
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
