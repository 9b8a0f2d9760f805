/** Connections that say nothing, say it slowly, or break off at the worst moment. */

import { connect as connectTcp, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { describe, expect, test } from "vitest";
import { preface, settings } from "./frames.ts";
import { adminToken, pause, useTarget } from "./target.ts";

const target = useTarget();
const credential = `Authorization: Bearer ${adminToken}`;
const configMaps = "/api/v1/namespaces/default/configmaps";

function tcp(): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connectTcp(target.port, "127.0.0.1", () => {
      socket.on("error", () => {});
      done(socket);
    });
    socket.once("error", fail);
  });
}

/** The connection below each TLS connection of a case. */
const belows = new WeakMap<Socket, Socket>();

/** RST instead of FIN. */
function reset(socket: Socket): void {
  (belows.get(socket) ?? socket).resetAndDestroy();
  socket.destroy();
}

/** How many milliseconds the server took to close it; undefined: it did not within the time. */
function closing(socket: Socket, withinMs: number): Promise<number | undefined> {
  const begin = performance.now();
  return new Promise((done) => {
    const late = setTimeout(() => done(undefined), withinMs);
    socket.resume();
    socket.once("close", () => {
      clearTimeout(late);
      done(performance.now() - begin);
    });
  });
}

/** The first bytes of a handshake, cut in the middle. */
const halfHello = Buffer.concat([
  Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  Buffer.alloc(100, 7),
]);

describe.concurrent("connections that only wait", () => {
  test("C29 handshakes: 300 connections that never finish theirs are closed soon, and other clients do not wait for them", async () => {
    const before = await target.rssBytes();
    const sockets = await Promise.all(Array.from({ length: 300 }, tcp));
    for (const [at, socket] of sockets.entries()) if (at % 2 === 0) socket.write(halfHello);
    const closed = await target.beside(() => Promise.all(sockets.map((socket) => closing(socket, 25_000))));
    expect(closed.filter((ms) => ms === undefined)).toEqual([]);
    // Resident memory follows the collector; a megabyte for each connection would be more.
    expect((await target.rssBytes()) - before).toBeLessThan(300 * 1024 * 1024);
  });

  test("N18 slowloris: headers that arrive byte by byte do not delay others", async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => target.connect()));
    for (const socket of sockets) socket.write("GET /version HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    await target.beside(async () => {
      for (let round = 0; round < 6; round++) {
        for (const socket of sockets) socket.write("y");
        await pause(200);
      }
    });
    for (const socket of sockets) socket.destroy();
  });

  test("N18 slowloris: bodies that arrive byte by byte and answers that are read byte by byte do not delay others", async () => {
    const bodies = await Promise.all(Array.from({ length: 50 }, () => target.connect()));
    for (const socket of bodies)
      socket.write(
        `POST ${configMaps} HTTP/1.1\r\nHost: x\r\n${credential}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      );
    const readers = await Promise.all(Array.from({ length: 50 }, () => target.connect()));
    for (const socket of readers) {
      socket.write(`GET /openapi/v2 HTTP/1.1\r\nHost: x\r\n${credential}\r\n\r\n`);
      socket.pause();
    }
    await target.beside(async () => {
      for (let round = 0; round < 6; round++) {
        for (const socket of bodies) socket.write(" ");
        for (const socket of readers) socket.read(1);
        await pause(200);
      }
    });
    for (const socket of [...bodies, ...readers]) socket.destroy();
  });

  test("N18 slowloris: 300 idle connections do not delay others", async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => target.connect()));
    await target.beside(() => pause(500));
    for (const socket of sockets) socket.destroy();
  });
});

describe.concurrent("N30 exit on stray error", () => {
  const get = `GET ${configMaps} HTTP/1.1\r\nHost: x\r\n${credential}\r\n\r\n`;
  const post = `POST ${configMaps} HTTP/1.1\r\nHost: x\r\n${credential}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"metadata"`;
  const secure = async (options: ConnectionOptions = {}) => {
    const below = await tcp();
    const above = await target.connect({ ...options, socket: below });
    belows.set(above, below);
    return above;
  };
  const phases: { what: string; begin(): Promise<Socket> }[] = [
    { what: "before the handshake", begin: tcp },
    { what: "within the handshake", begin: () => opened(tcp(), halfHello) },
    { what: "after plain text instead of a handshake", begin: () => opened(tcp(), "hello\r\n\r\n") },
    { what: "after the handshake", begin: () => secure() },
    { what: "within the headers", begin: () => opened(secure(), "GET /version HT") },
    { what: "after the headers", begin: () => opened(secure(), get) },
    { what: "within a body", begin: () => opened(secure(), post) },
    {
      what: "within a chunk",
      begin: () =>
        opened(
          secure(),
          post.replace("Content-Length: 1000", "Transfer-Encoding: chunked").replace('{"metadata"', "ffff\r\nabc"),
        ),
    },
    { what: "within a large answer", begin: () => opened(secure(), get.replace(configMaps, "/openapi/v2")) },
    { what: "within a watch", begin: () => opened(secure(), get.replace(configMaps, `${configMaps}?watch=1`)) },
    { what: "after many requests at once", begin: () => opened(secure(), get.repeat(30)) },
    { what: "after the preface of HTTP/2", begin: () => opened(secure({ ALPNProtocols: ["h2"] }), preface) },
    {
      what: "after the settings of HTTP/2",
      begin: () => opened(secure({ ALPNProtocols: ["h2"] }), Buffer.concat([preface, settings()])),
    },
    {
      what: "within an upgrade",
      begin: () => opened(secure(), get.replace("Host: x", "Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket")),
    },
  ];
  for (const { what, begin } of phases) {
    test(`N30 stray errors: connections reset, ended or destroyed ${what} affect nothing else`, async () => {
      await target.beside(async () => {
        for (const end of ["reset", "end", "destroy", "garbage"] as const) {
          const sockets = await Promise.all(Array.from({ length: 8 }, begin));
          await pause(5);
          for (const socket of sockets) {
            if (end === "reset") reset(socket);
            else if (end === "end") socket.end();
            else if (end === "garbage") socket.end(Buffer.alloc(64, 0x15));
            else socket.destroy();
          }
          await pause(20);
          for (const socket of sockets) socket.destroy();
        }
      });
    });
  }

  test("N30 stray errors: writes continue while watchers disconnect", async () => {
    const watchers = await Promise.all(
      Array.from({ length: 20 }, () => opened(secure(), get.replace(configMaps, `${configMaps}?watch=1`))),
    );
    for (let at = 0; at < 40; at++) {
      const { status } = await target.post(configMaps, { metadata: { name: `w-${at}` } });
      expect(status).toBe(201);
      const watcher = watchers[at % 20];
      if (watcher !== undefined) reset(watcher);
    }
  });

  async function opened(connecting: Promise<Socket>, bytes: string | Buffer): Promise<Socket> {
    const socket = await connecting;
    socket.on("error", () => {});
    socket.write(bytes);
    return socket;
  }
});

describe("C28 handshakes of many kinds", () => {
  test("C28 handshakes: unknown server names get the default certificate", async () => {
    const names = [
      "a".repeat(250),
      "..",
      "*.example",
      "-",
      "__proto__",
      "constructor",
      "xn--",
      "é",
      "a..b",
      "%00",
      "127.0.0.1.",
      "[::1]",
      "a\tb",
      "A".repeat(64),
      "localhost:6443",
      "toString",
    ];
    for (const servername of names) {
      const socket = await target.connect({ servername }).catch(() => undefined);
      socket?.destroy();
    }
  });

  test("D01 TLS: older versions and weak suites are refused", async () => {
    const tries = [
      { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      { maxVersion: "TLSv1.2", ciphers: "NULL:@SECLEVEL=0" },
      { maxVersion: "TLSv1.2", ciphers: "aNULL:@SECLEVEL=0" },
    ] as const;
    for (const options of tries) await expect(target.connect(options)).rejects.toThrow();
  });
});
