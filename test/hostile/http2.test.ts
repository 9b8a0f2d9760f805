/** Attacks on the framing of HTTP/2, written frame by frame. */

import { connect as connectHttp2 } from "node:http2";
import type { TLSSocket } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { data, frame, headers, preface, priority, request, settings, windowUpdate } from "./frames.ts";
import { adminToken, aliceToken, pause, useTarget } from "./target.ts";

const target = useTarget();

interface Session {
  readonly socket: TLSSocket;
  /** Types of the frames that came, with GOAWAY's code as "goaway 11" and a short status of an answer as "status 400". */
  readonly seen: string[];
  /** Whether the server closed the connection within the time. */
  closedWithin(ms: number): Promise<boolean>;
}

/** Statuses that header blocks say in one byte. */
const shortStatuses = new Map([
  [0x88, 200],
  [0x8c, 400],
  [0x8d, 404],
]);

async function open(first: Buffer = settings()): Promise<Session> {
  const socket = await target.connect({ ALPNProtocols: ["h2"] });
  const seen: string[] = [];
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9) {
      const length = rest.readUIntBE(0, 3);
      if (rest.length < 9 + length) break;
      const type = rest[3] ?? 0;
      seen.push(type === 7 ? `goaway ${rest.readUInt32BE(13)}` : `${type}`);
      const status = type === 1 ? shortStatuses.get(rest[9] ?? 0) : undefined;
      if (status !== undefined) seen.push(`status ${status}`);
      rest = rest.subarray(9 + length);
    }
  });
  let closed = false;
  socket.once("close", () => {
    closed = true;
  });
  socket.write(Buffer.concat([preface, first]));
  return {
    socket,
    seen,
    async closedWithin(ms) {
      for (const end = performance.now() + ms; !closed && performance.now() < end; ) await pause(20);
      return closed;
    },
  };
}

/** Writes pieces until all are gone or the server has hung up. */
async function flood(session: Session, pieces: Iterable<Buffer>): Promise<void> {
  const { socket } = session;
  const gone = new Promise((done) => socket.once("close", done));
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (!socket.write(piece))
      await Promise.race([new Promise((done) => socket.once("drain", done)), gone, pause(5_000)]);
  }
}

function* times(count: number, piece: (at: number) => Buffer): Iterable<Buffer> {
  for (let at = 0; at < count; at += 50) yield Buffer.concat(Array.from({ length: 50 }, (_, i) => piece(at + i)));
}

const get = (stream: number, path = "/api/v1/namespaces/default", more: readonly (readonly [string, string])[] = []) =>
  headers(stream, request("GET", path, [["authorization", `Bearer ${adminToken}`], ...more]), { endStream: true });
const reset = (stream: number) => frame(3, 0, stream, Buffer.from([0, 0, 0, 8]));
const id = (at: number) => 2 * at + 1;

beforeAll(async () => {
  for (let at = 0; at < 10; at++) {
    await target.post("/api/v1/namespaces/default/configmaps", {
      metadata: { name: `large-${at}` },
      data: { a: "x".repeat(300_000) },
    });
  }
});

test("N19 HTTP/2: a sound session is answered, so that the refusals below mean something", async () => {
  const session = await open();
  session.socket.write(get(1));
  await expect.poll(() => session.seen, { timeout: 5_000 }).toContain("status 200");
  session.socket.destroy();
});

describe("C27 floods of frames", () => {
  const floods = [
    {
      what: "streams opened and reset",
      closes: true,
      pieces: () => times(3_000, (at) => Buffer.concat([get(id(at)), reset(id(at))])),
    },
    {
      what: "streams reset by a wrong frame",
      closes: true,
      pieces: () => times(3_000, (at) => Buffer.concat([get(id(at)), windowUpdate(id(at), 0)])),
    },
    { what: "a header block that goes on for ever", closes: true, pieces: () => endlessHeaders(3_000, 1_000) },
    { what: "empty continuations", closes: true, pieces: () => endlessHeaders(3_000, 0) },
    { what: "pings", closes: false, pieces: () => times(3_000, () => frame(6, 0, 0, Buffer.alloc(8))) },
    { what: "settings", closes: false, pieces: () => times(3_000, () => settings([[4, 65_535]])) },
    { what: "priorities", closes: false, pieces: () => times(3_000, (at) => priority(id(at), 0)) },
    { what: "empty data", closes: false, pieces: () => emptyData(3_000) },
    { what: "window updates of one byte", closes: false, pieces: () => times(3_000, () => windowUpdate(0, 1)) },
    {
      what: "frames of unknown types",
      closes: false,
      pieces: () => times(3_000, () => frame(0xfa, 0, 0, Buffer.alloc(100))),
    },
  ];
  for (const { what, closes, pieces } of floods) {
    test(`C27 floods: ${what} ${closes ? "end the connection" : "cost others nothing"}`, async () => {
      const before = await target.rssBytes();
      await target.beside(async () => {
        const session = await open();
        await flood(session, pieces());
        if (closes) expect([what, await session.closedWithin(10_000)]).toEqual([what, true]);
        session.socket.destroy();
      });
      expect((await target.rssBytes()) - before).toBeLessThan(200 * 1024 * 1024);
    });
  }

  test("C27 floods: ten connections at once that open and reset streams leave the others served", async () => {
    await target.beside(() =>
      Promise.all(
        Array.from({ length: 10 }, async () => {
          const session = await open();
          await flood(
            session,
            times(1_500, (at) => Buffer.concat([get(id(at)), reset(id(at))])),
          );
          expect(await session.closedWithin(15_000)).toBe(true);
        }),
      ),
    );
  });

  test("C27 floods: a connection without a credential ends after its first answer", async () => {
    const session = await open();
    session.socket.write(headers(1, request("GET", "/version", []), { endStream: true }));
    expect(await session.closedWithin(5_000)).toBe(true);
    expect(session.seen).toContain("goaway 0");
  });

  function* endlessHeaders(count: number, bytes: number): Iterable<Buffer> {
    yield headers(1, request("GET", "/version", []), { endStream: true, endHeaders: false });
    const part = bytes === 0 ? Buffer.alloc(0) : request("", "", [["x-long", "y".repeat(bytes)]]);
    yield* times(count, () => frame(9, 0, 1, part));
  }

  function* emptyData(count: number): Iterable<Buffer> {
    const head = request("POST", "/api/v1/namespaces/default/configmaps", [
      ["authorization", `Bearer ${adminToken}`],
      ["content-type", "application/json"],
    ]);
    yield headers(1, head, {});
    yield* times(count, () => data(1, Buffer.alloc(0)));
  }
});

describe("C28 frames that break their rules", () => {
  const long = Buffer.alloc(20_000);
  const broken = [
    { what: "no preface", bytes: Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), bare: true },
    { what: "random bytes", bytes: Buffer.alloc(5_000, 0xa5), bare: true },
    { what: "headers that are no HPACK", bytes: frame(1, 5, 1, Buffer.alloc(50, 0xff)) },
    { what: "an index beyond the table", bytes: frame(1, 5, 1, Buffer.from([0xff, 0xff, 0x7f])) },
    { what: "a table size beyond the settings", bytes: frame(1, 5, 1, Buffer.from([0x3f, 0xff, 0xff, 0xff, 0x07])) },
    { what: "an integer without end", bytes: frame(1, 5, 1, Buffer.alloc(30, 0xff)) },
    { what: "a frame that is too long", bytes: frame(0, 0, 1, long) },
    { what: "data on a stream that is not open", bytes: data(1, Buffer.from("x")) },
    { what: "an even stream", bytes: get(2) },
    { what: "stream zero", bytes: get(0) },
    { what: "streams in falling order", bytes: Buffer.concat([get(9), get(3)]) },
    { what: "a continuation of nothing", bytes: frame(9, 4, 1, Buffer.from([0x82])) },
    {
      what: "another frame within a header block",
      bytes: Buffer.concat([
        headers(1, request("GET", "/", []), { endHeaders: false }),
        frame(6, 0, 0, Buffer.alloc(8)),
      ]),
    },
    { what: "a ping of seven bytes", bytes: frame(6, 0, 0, Buffer.alloc(7)) },
    { what: "settings of five bytes", bytes: frame(4, 0, 0, Buffer.alloc(5)) },
    { what: "a window of 2^31", bytes: settings([[4, 0x80000000]]) },
    { what: "a frame size of zero", bytes: settings([[5, 0]]) },
    {
      what: "a window that overflows",
      bytes: Buffer.concat([windowUpdate(0, 0x7fffffff), windowUpdate(0, 0x7fffffff)]),
    },
    { what: "padding longer than the frame", bytes: frame(0, 8, 1, Buffer.from([255, 1])) },
    { what: "a promise of the client", bytes: frame(5, 4, 1, Buffer.alloc(8)) },
    { what: "a stream that depends on itself", bytes: priority(1, 1) },
    { what: "a goaway, and more behind it", bytes: Buffer.concat([frame(7, 0, 0, Buffer.alloc(8)), get(1)]) },
  ];
  for (const { what, bytes, bare } of broken) {
    test(`C28 broken frames: ${what} harms nobody`, async () => {
      for (let round = 0; round < 3; round++) {
        if (bare) {
          await target.raw(bytes, { quietMs: 100, tls: { ALPNProtocols: ["h2"] } });
          continue;
        }
        const session = await open();
        session.socket.write(bytes);
        await pause(20);
        session.socket.destroy();
      }
    });
  }

  test("C28 broken frames: a table entry of 4 KB that is referred to 10,000 times is refused", async () => {
    const session = await open();
    const first = headers(1, Buffer.concat([request("GET", "/version", []), literalIndexed("x", "y".repeat(3_900))]), {
      endStream: true,
    });
    const bomb = Buffer.concat([
      request("GET", "/version", [["authorization", `Bearer ${adminToken}`]]),
      Buffer.alloc(10_000, 0xbe),
    ]);
    await target.beside(async () => {
      session.socket.write(first);
      session.socket.write(headers(3, bomb, { endStream: true }));
      await pause(500);
    });
    session.socket.destroy();

    function literalIndexed(name: string, value: string): Buffer {
      const plain = request("", "", [[name, value]]);
      plain[0] = 0x40;
      return plain;
    }
  });

  test("C28 broken frames: 100 sessions with windows that overflow leave nothing behind", async () => {
    const before = await target.rssBytes();
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const session = await open();
          session.socket.write(
            Buffer.concat([
              get(1),
              windowUpdate(1, 0x7fffffff),
              windowUpdate(1, 0x7fffffff),
              windowUpdate(0, 0x7fffffff),
              windowUpdate(0, 0x7fffffff),
            ]),
          );
          await session.closedWithin(200);
          session.socket.destroy();
        }),
      );
    }
    expect((await target.rssBytes()) - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe("N16 requests of HTTP/2 that HTTP/1 could not say", () => {
  const authorization = ["authorization", `Bearer ${adminToken}`] as const;
  const cases: { what: string; fields: readonly (readonly [string, string])[] }[] = [
    {
      what: "a path with a space",
      fields: [[":method", "GET"], [":scheme", "https"], [":path", "/api/v1/namespaces x"], authorization],
    },
    {
      what: "a path with a line end",
      fields: [[":method", "GET"], [":scheme", "https"], [":path", "/version\r\nX: y"], authorization],
    },
    { what: "no path", fields: [[":method", "GET"], [":scheme", "https"], authorization] },
    { what: "an empty path", fields: [[":method", "GET"], [":scheme", "https"], [":path", ""], authorization] },
    {
      what: "two paths",
      fields: [
        [":method", "GET"],
        [":scheme", "https"],
        [":path", "/version"],
        [":path", "/api/v1/namespaces"],
        authorization,
      ],
    },
    {
      what: "two methods",
      fields: [[":method", "GET"], [":method", "DELETE"], [":scheme", "https"], [":path", "/version"], authorization],
    },
    {
      what: "an unknown pseudo header",
      fields: [[":method", "GET"], [":scheme", "https"], [":path", "/version"], [":user", "admin"], authorization],
    },
    {
      what: "a pseudo header behind others",
      fields: [[":method", "GET"], [":scheme", "https"], authorization, [":path", "/version"]],
    },
    {
      what: "a header with a line end",
      fields: [
        [":method", "GET"],
        [":scheme", "https"],
        [":path", "/version"],
        ["x", "a\r\nauthorization: b"],
      ],
    },
    {
      what: "a name in capitals",
      fields: [
        [":method", "GET"],
        [":scheme", "https"],
        [":path", "/version"],
        ["Authorization", `Bearer ${adminToken}`],
      ],
    },
    {
      what: "a coding of transfers",
      fields: [
        [":method", "POST"],
        [":scheme", "https"],
        [":path", "/api/v1/namespaces"],
        ["transfer-encoding", "chunked"],
        authorization,
      ],
    },
    {
      what: "a connection header",
      fields: [
        [":method", "GET"],
        [":scheme", "https"],
        [":path", "/version"],
        ["connection", "upgrade"],
        ["upgrade", "h2c"],
        authorization,
      ],
    },
    { what: "a tunnel", fields: [[":method", "CONNECT"], [":authority", "127.0.0.1:22"], authorization] },
    {
      what: "a method that is none",
      fields: [[":method", "GET /secret HTTP/1.1"], [":scheme", "https"], [":path", "/version"], authorization],
    },
    {
      what: "dots in the path",
      fields: [[":method", "GET"], [":scheme", "https"], [":path", "/api/v1/namespaces/../namespaces"], authorization],
    },
    {
      what: "an absolute path",
      fields: [[":method", "GET"], [":scheme", "https"], [":path", "https://evil/api/v1/namespaces"], authorization],
    },
    {
      what: "a length that lies",
      fields: [
        [":method", "POST"],
        [":scheme", "https"],
        [":path", "/api/v1/namespaces/default/configmaps"],
        ["content-length", "5"],
        authorization,
      ],
    },
    {
      what: "two lengths",
      fields: [
        [":method", "GET"],
        [":scheme", "https"],
        [":path", "/version"],
        ["content-length", "5"],
        ["content-length", "0"],
        authorization,
      ],
    },
  ];
  for (const { what, fields } of cases) {
    test(`N16 smuggling: ${what} is refused`, async () => {
      const session = await open();
      const block = Buffer.concat(fields.map(([name, value]) => request("", "", [[name, value]])));
      session.socket.write(headers(1, block, { endStream: true }));
      await expect
        .poll(() => session.seen.some((type) => type === "1" || type === "3" || type.startsWith("goaway")), {
          timeout: 5_000,
        })
        .toBe(true);
      expect(session.seen).not.toContain("status 200");
      session.socket.destroy();
    });
  }

  test("N17 header identity: two Authorization fields are a bad request", async () => {
    const session = await open();
    session.socket.write(get(1, "/api/v1/namespaces", [["authorization", `Bearer ${aliceToken}`]]));
    await expect.poll(() => session.seen, { timeout: 5_000 }).toContain("status 400");
    session.socket.destroy();
  });
});

describe("N19 streams that hold what they get", () => {
  test("N19 streams: the 251st watch of one connection is refused, and other connections are served", async () => {
    const session = await open();
    await target.beside(async () => {
      const watch = "/api/v1/namespaces/default/secrets?watch=1";
      for (let at = 0; at < 260; at++) session.socket.write(get(id(at), watch));
      await expect
        .poll(() => session.seen.filter((type) => type === "3").length, { timeout: 10_000 })
        .toBeGreaterThanOrEqual(10);
      expect(session.seen.filter((type) => type === "1").length).toBeLessThanOrEqual(250);
    });
    session.socket.destroy();
  });

  test("N19 streams: a hundred large answers that nobody takes are not all kept in memory", async () => {
    const before = await target.rssBytes();
    const session = await open(settings([[4, 0]]));
    await target.beside(async () => {
      for (let at = 0; at < 100; at++) session.socket.write(get(id(at), "/api/v1/namespaces/default/configmaps"));
      await pause(1_000);
    });
    // A hundred times 3 MB.
    expect((await target.rssBytes()) - before).toBeLessThan(200 * 1024 * 1024);
    session.socket.destroy();
  });

  test("N19 streams: bodies that come byte by byte or never hold only their own stream", async () => {
    const head = request("POST", "/api/v1/namespaces/default/configmaps", [
      ["authorization", `Bearer ${adminToken}`],
      ["content-type", "application/json"],
    ]);
    const session = await open();
    await target.beside(async () => {
      for (let at = 0; at < 100; at++) session.socket.write(headers(id(at), head, {}));
      for (let byte = 0; byte < 20; byte++) {
        for (let at = 0; at < 100; at++) session.socket.write(data(id(at), Buffer.from(" ")));
        await pause(10);
      }
      session.socket.write(get(id(200)));
      await expect.poll(() => session.seen.includes("0"), { timeout: 10_000 }).toBe(true);
    });
    session.socket.destroy();
  });

  test("N19 streams: 60 KB of headers are taken or refused, more is refused", async () => {
    for (const bytes of [60_000, 200_000]) {
      const session = await open();
      const block = request("GET", "/version", [
        ["authorization", `Bearer ${adminToken}`],
        ...Array.from({ length: bytes / 1_000 }, (_, at) => [`x-${at}`, "y".repeat(1_000)] as const),
      ]);
      const parts = [];
      for (let at = 0; at < block.length; at += 16_000) parts.push(block.subarray(at, at + 16_000));
      const [first = Buffer.alloc(0), ...rest] = parts;
      session.socket.write(headers(1, first, { endStream: true, endHeaders: false }));
      for (const [at, part] of rest.entries()) session.socket.write(frame(9, at === rest.length - 1 ? 4 : 0, 1, part));
      await expect
        .poll(
          () =>
            session.seen.some((type) => type === "1" || type === "3" || type.startsWith("goaway")) ||
            session.socket.destroyed,
          { timeout: 5_000 },
        )
        .toBe(true);
      session.socket.destroy();
    }
  });

  test("N07 huge bodies: the limit holds on streams", async () => {
    const client = connectHttp2(`https://127.0.0.1:${target.port}`, { rejectUnauthorized: false });
    const stream = client.request({
      ":method": "POST",
      ":path": "/api/v1/namespaces/default/configmaps",
      authorization: `Bearer ${adminToken}`,
      "content-type": "application/json",
    });
    const status = new Promise((done) => {
      stream.on("response", (answer) => done(answer[":status"]));
      stream.on("error", () => done("broken"));
    });
    const chunk = Buffer.alloc(65_536, " ");
    for (let at = 0; at < 100 && !stream.destroyed; at++) {
      if (!stream.write(chunk))
        await Promise.race([new Promise((done) => stream.once("drain", done)), status, pause(2_000)]);
    }
    expect(await status).toBe(413);
    client.destroy();
  });
});
