import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { base, openTestListener, type TestListener } from "./listener.fixture.ts";

let door: TestListener;
beforeAll(async () => {
  door = await openTestListener();
});
afterAll(() => door.close());

describe("hostile bytes", () => {
  const upgrade =
    "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
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
      // Nothing: the connection was closed before the answer could be read.
      expect(await door.raw(text)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
      expect((await door.get("/version"))[0]).toBe(200);
    });
  }

  const chunked = "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  const malformed: [name: string, text: string, code: number][] = [
    ["two hosts", "GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400],
    ["the same host twice", "GET /version HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n", 400],
    ["two hosts and a body", `POST ${base} HTTP/1.1\r\nHost: a\r\nHost: b\r\n${chunked}`, 400],
    ["two hosts of HTTP/1.0", "GET /version HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400],
    [
      "two hosts that ask for another protocol",
      `GET ${base}?watch=1 HTTP/1.1\r\n${upgrade}Host: a\r\nHost: b\r\n\r\n`,
      400,
    ],
    ["a host with a space", "GET /version HTTP/1.1\r\nHost: a b\r\n\r\n", 400],
    ["a host with a path", "GET /version HTTP/1.1\r\nHost: a/b\r\n\r\n", 400],
    ["a request line without a version", "GET /version\r\n\r\n", 400],
    ["a request line without a version, and headers", "GET /version\r\nHost: a\r\n\r\n", 400],
    ["version 0.9", "GET /version HTTP/0.9\r\nHost: a\r\n\r\n", 400],
    ["version 2.0 without its preface", "GET /version HTTP/2.0\r\nHost: a\r\n\r\n", 400],
  ];
  for (const [name, text, code] of malformed) {
    test(`${name}: ${code}, and the connection is closed without reading on`, async () => {
      const seen = await door.raw(`${text}GET /version HTTP/1.1\r\nHost: x\r\n\r\n`, 30_000);
      expect(seen.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${code}`]);
    });
  }

  test("hosts with ports, addresses and no name at all are served", async () => {
    for (const host of ["a:6443", "[::1]:6443", "", "orch_1.test"])
      expect(await door.raw(`GET /version HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 200 /,
      );
  });

  test("an unknown method is answered behind an answer whose end the server has not heard of yet", async () => {
    const listener = await door.open({
      handler: (exchange) => {
        exchange.send(200, {}, "first");
        return undefined;
      },
    });
    const socket = await door.tls({ port: listener.port });
    let seen = "";
    socket.on("data", (chunk) => {
      seen += chunk.toString("latin1");
    });
    const trace = "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n";
    socket.write(trace);
    await once(socket, "data");
    // Two records, which are read one after another in one turn.
    socket.write(trace);
    socket.write("FOO / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "close");
    expect(seen.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 405"]);
    await listener.close(100);
  });

  test("a method that HTTP does not have is refused with a Status", async () => {
    const answer = await door.raw("FOO /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n");
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\nContent-Type: application\/json\r\n/);
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", code: 405, reason: "MethodNotAllowed", details: {} });
  });

  test("an unknown method behind another request on its way gets no answer of its own", async () => {
    const answers = await door.raw("GET /version HTTP/1.1\r\nHost: x\r\n\r\nFOO / HTTP/1.1\r\n\r\n");
    expect(answers).not.toContain("405");
  });

  test("a target that is not a path reaches no handler", async () => {
    for (const target of ["https://evil/api/v1/pods", "//evil/api", "/api/v1/namespaces/../pods", "/a#b"]) {
      expect(await door.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 40[04] /,
      );
    }
  });

  test("a body over the limit is refused without being read", async () => {
    const head = `POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000000\r\n\r\n`;
    const seen = await door.raw(head);
    expect(seen).toMatch(/^HTTP\/1\.1 413 /);
    expect(seen.toLowerCase()).toContain("connection: close");
  });

  test("a client that is still sending a refused body sees the refusal", async () => {
    const large = "x".repeat(8 * 1024 * 1024);
    for (let tries = 0; tries < 5; tries++) expect((await door.get(base, "POST", large))[0]).toBe(413);
    const socket = await door.tls();
    socket.on("error", () => {});
    socket.resume();
    const closed = once(socket, "close");
    socket.write(`POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000000\r\n\r\n`);
    const sending = setInterval(() => socket.writable && socket.write("x"), 50);
    await closed;
    clearInterval(sending);
  });

  test("connections that break off at any moment do not affect others", async () => {
    const halves = [
      "",
      "GET",
      `POST ${base} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`,
      `GET ${base}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`,
      "GET /version HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    for (const text of halves) {
      const socket = await door.tls();
      socket.on("error", () => {});
      socket.write(text);
      await new Promise((resolve) => setTimeout(resolve, 10));
      socket.destroy();
    }
    const half = connect(door.port, "127.0.0.1");
    half.on("error", () => {});
    half.write(Buffer.from("1603010200", "hex"));
    half.destroy();
    expect((await door.get("/version"))[0]).toBe(200);
  });

  test("a client that only opens and resets streams is cut off", async () => {
    const socket = await door.tls({ ALPNProtocols: ["h2"] });
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
    expect((await door.get("/version"))[0]).toBe(200);
  });

  const floods: [name: string, frames: () => Buffer[]][] = [
    ["pings", () => Array.from({ length: 20_000 }, () => frame(6, 0, 0, Buffer.alloc(8)))],
    ["settings", () => Array.from({ length: 20_000 }, () => frame(4, 0, 0, Buffer.alloc(0)))],
    [
      "endless headers",
      () => [
        frame(1, 0, 1, Buffer.from("82", "hex")),
        ...Array.from({ length: 5_000 }, () => frame(9, 0, 1, Buffer.alloc(100, 0x82))),
      ],
    ],
    ["unreadable headers", () => [frame(1, 5, 1, Buffer.from("ffffffffff", "hex"))]],
    [
      "a window that overflows",
      () => [frame(8, 0, 0, Buffer.from("7fffffff", "hex")), frame(8, 0, 0, Buffer.from("7fffffff", "hex"))],
    ],
    ["data on an unknown stream", () => [frame(0, 0, 9, Buffer.alloc(10))]],
  ];
  for (const [name, make] of floods) {
    test(`HTTP/2: ${name} do not affect others`, async () => {
      const socket = await door.tls({ ALPNProtocols: ["h2"] });
      socket.on("error", () => {});
      socket.resume();
      socket.write(
        Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, Buffer.alloc(0)), ...make()]),
      );
      await Promise.race([once(socket, "close"), new Promise((resolve) => setTimeout(resolve, 100))]);
      expect((await door.get("/version"))[0]).toBe(200);
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
