import { once } from "node:events";
import type { Duplex } from "node:stream";
import { describe, expect, test } from "vitest";
import { core, openProxyingServer, proxyFixture, token } from "./proxy.suite.ts";

const { proxying, backend, podOf } = proxyFixture();

describe("upgrades", () => {
  const asks = (path: string, protocol = "websocket") =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
  /** Everything until the connection closes, or until `stop` is in it. */
  const read = async (socket: Duplex, stop?: string) => {
    let text = "";
    for await (const chunk of socket) {
      text += String(chunk);
      if (stop !== undefined && text.includes(stop)) break;
    }
    return text;
  };
  const echoing = () =>
    backend({
      upgrade: (request, socket) => {
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${String(request.headers.upgrade)}\r\nX-From: pod\r\n\r\nwelcome `,
        );
        socket.on("data", (chunk: Buffer) => {
          socket.write(`[${chunk.toString()}]`);
          if (chunk.includes("bye")) socket.end();
        });
      },
    });

  for (const protocol of ["websocket", "SPDY/3.1", "tcp-over-http"]) {
    test(`${protocol}: both connections are joined, and close together`, async () => {
      const echo = await echoing();
      const socket = await proxying().raw(asks(`${await podOf(echo)}/socket?a=1`, protocol));
      let text = "";
      socket.on("data", (chunk) => {
        text += String(chunk);
      });
      await expect.poll(() => text).toContain("welcome ");
      expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
      expect(text).toContain("x-from: pod\r\n");
      socket.write("hello");
      await expect.poll(() => text).toContain("[hello]");
      socket.write("bye");
      await once(socket, "close");
      expect(text.endsWith("[bye]")).toBe(true);
      await expect.poll(() => echo.open.size).toBe(0);
      expect(echo.seen[0]).toMatchObject({ url: "/socket?a=1", headers: { upgrade: protocol } });
      expect(echo.seen[0]?.headers.authorization).toBeUndefined();
    });
  }

  test("a large transfer is neither lost nor reordered when the backend closes", async () => {
    const bytes = Buffer.alloc(3_000_000, "abcdefghij");
    const sender = await backend({
      upgrade: (_, socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
        socket.end(bytes);
      },
    });
    const text = await read(await proxying().raw(asks(`${await podOf(sender)}/`, "x")));
    expect(text.slice(text.indexOf("\r\n\r\n") + 4) === bytes.toString()).toBe(true);
  });

  test("stopping the server closes forwarded connections", async () => {
    const own = await openProxyingServer();
    const echo = await echoing();
    await own.pod("p", "127.0.0.1");
    const socket = await own.raw(asks(`${core}/pods/p:${echo.port}/proxy/`));
    await once(socket, "data");
    await own.close();
    await expect.poll(() => echo.open.size).toBe(0);
    socket.destroy();
  });

  const refusals = [
    { status: "200 OK", expected: 502 },
    { status: "302 Found\r\nLocation: http://127.0.0.1:1/", expected: 502 },
    { status: "101 Switching Protocols", expected: 502 },
    { status: "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other", expected: 502 },
    { status: "403 Forbidden", expected: 403 },
    { status: "500 Internal Server Error", expected: 500 },
  ];
  for (const { status, expected } of refusals) {
    test(`an upgrade that is answered ${JSON.stringify(status)} joins nothing (C01, C02 in docs/security-rows.md)`, async () => {
      const stub = await backend({
        upgrade: (_, socket) => {
          socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\nno`);
        },
      });
      const path = await podOf(stub);
      const hidden = `GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n`;
      const socket = await proxying().raw(`${asks(`${path}/`)}${hidden}`);
      socket.write(hidden);
      const text = await read(socket);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${expected} `));
      expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(text.toLowerCase()).not.toContain("location");
      await expect.poll(() => stub.open.size).toBe(0);
      expect(stub.seen).toHaveLength(1);
    });
  }

  test("a page of another origin gets no connection to a pod", async () => {
    const echo = await echoing();
    const path = await podOf(echo);
    const text = await read(
      await proxying().raw(
        asks(`${path}/`).replace("Host: x", "Host: x\r\nOrigin: https://evil.test\r\nConnection: close"),
      ),
    );
    expect(text).not.toContain("101 Switching");
    expect(echo.seen.every(({ headers }) => headers.upgrade === undefined)).toBe(true);
  });
});
