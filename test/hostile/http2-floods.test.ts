import { describe, expect, test } from "vitest";
import { data, frame, headers, priority, request, settings, windowUpdate } from "./frames.ts";
import { flood, get, id, openSession, reset, times } from "./session.ts";
import { adminToken, pause, useTarget } from "./target.ts";

const target = useTarget();
const open = (first?: Buffer) => openSession(target, first);

test("N19 HTTP/2: a valid session is answered, so that the refusals below mean something", async () => {
  const session = await open();
  session.socket.write(get(1));
  await expect.poll(() => session.seen).toContain("status 200");
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
    { what: "an endless header block", closes: true, pieces: () => endlessHeaders(3_000, 1_000) },
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

  test("C27 floods: ten connections that open and reset streams do not affect others", async () => {
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

describe("C28 invalid frames", () => {
  const long = Buffer.alloc(20_000);
  const broken = [
    { what: "no preface", bytes: Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), bare: true },
    { what: "random bytes", bytes: Buffer.alloc(5_000, 0xa5), bare: true },
    { what: "headers that are not HPACK", bytes: frame(1, 5, 1, Buffer.alloc(50, 0xff)) },
    { what: "an index beyond the table", bytes: frame(1, 5, 1, Buffer.from([0xff, 0xff, 0x7f])) },
    { what: "a table size beyond the settings", bytes: frame(1, 5, 1, Buffer.from([0x3f, 0xff, 0xff, 0xff, 0x07])) },
    { what: "an endless integer", bytes: frame(1, 5, 1, Buffer.alloc(30, 0xff)) },
    { what: "a frame that is too long", bytes: frame(0, 0, 1, long) },
    { what: "data on a stream that is not open", bytes: data(1, Buffer.from("x")) },
    { what: "an even stream", bytes: get(2) },
    { what: "stream zero", bytes: get(0) },
    { what: "streams in falling order", bytes: Buffer.concat([get(9), get(3)]) },
    { what: "a continuation without headers", bytes: frame(9, 4, 1, Buffer.from([0x82])) },
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
    { what: "a push promise of the client", bytes: frame(5, 4, 1, Buffer.alloc(8)) },
    { what: "a stream that depends on itself", bytes: priority(1, 1) },
    { what: "a GOAWAY, and more after it", bytes: Buffer.concat([frame(7, 0, 0, Buffer.alloc(8)), get(1)]) },
  ];
  for (const { what, bytes, bare } of broken) {
    test(`C28 invalid frames: ${what} does not affect others`, async () => {
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

  test("C28 invalid frames: a table entry of 4 KB that is referenced 10,000 times is refused", async () => {
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

  test("C28 invalid frames: 100 sessions with windows that overflow leave nothing behind", async () => {
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
