/** Malformed requests of HTTP/2, and streams that do not read their answers. */

import { connect as connectHttp2 } from "node:http2";
import { beforeAll, describe, expect, test } from "vitest";
import { data, frame, headers, request, settings } from "./frames.ts";
import { drained, get, id, openSession } from "./session.ts";
import { adminToken, aliceToken, pause, useTarget } from "./target.ts";

const target = useTarget();
const open = (first?: Buffer) => openSession(target, first);

beforeAll(async () => {
  for (let at = 0; at < 10; at++) {
    await target.post("/api/v1/namespaces/default/configmaps", {
      metadata: { name: `large-${at}` },
      data: { a: "x".repeat(300_000) },
    });
  }
});

describe("N16 requests of HTTP/2 that HTTP/1 cannot express", () => {
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
      what: "a pseudo header after others",
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
      what: "a name in upper case",
      fields: [
        [":method", "GET"],
        [":scheme", "https"],
        [":path", "/version"],
        ["Authorization", `Bearer ${adminToken}`],
      ],
    },
    {
      what: "a transfer coding",
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
      what: "an invalid method",
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
      what: "a wrong content length",
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
        .poll(() => session.seen.some((type) => type === "1" || type === "3" || type.startsWith("goaway")))
        .toBe(true);
      expect(session.seen).not.toContain("status 200");
      session.socket.destroy();
    });
  }

  test("N17 header identity: two Authorization fields are a bad request", async () => {
    const session = await open();
    session.socket.write(get(1, "/api/v1/namespaces", [["authorization", `Bearer ${aliceToken}`]]));
    await expect.poll(() => session.seen).toContain("status 400");
    session.socket.destroy();
  });
});

describe("N19 streams that hold resources", () => {
  test("N19 streams: the 251st watch of one connection is refused, and other connections are served", async () => {
    const session = await open();
    await target.beside(async () => {
      const watch = "/api/v1/namespaces/default/secrets?watch=1";
      for (let at = 0; at < 260; at++) session.socket.write(get(id(at), watch));
      await expect.poll(() => session.seen.filter((type) => type === "3").length).toBeGreaterThanOrEqual(10);
      expect(session.seen.filter((type) => type === "1").length).toBeLessThanOrEqual(250);
    });
    session.socket.destroy();
  });

  test("N19 streams: a hundred large unread answers are not all kept in memory", async () => {
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

  test("N19 streams: bodies that arrive byte by byte or never hold only their own stream", async () => {
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
      await expect.poll(() => session.seen.includes("0")).toBe(true);
    });
    session.socket.destroy();
  });

  test("N19 streams: 60 KB of headers are accepted or refused, more is refused", async () => {
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
        )
        .toBe(true);
      session.socket.destroy();
    }
  });

  test("N07 huge bodies: the limit applies to streams", async () => {
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
      if (!stream.write(chunk)) await drained(stream, status, 2_000);
    }
    expect(await status).toBe(413);
    client.destroy();
  });
});
