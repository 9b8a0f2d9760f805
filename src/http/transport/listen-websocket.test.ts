import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { base, openTestListener, type TestListener } from "./listener.fixture.ts";

let door: TestListener;
beforeAll(async () => {
  door = await openTestListener();
  await door.server.fetch(base, { method: "POST", body: '{"metadata":{"name":"first"}}' });
});
afterAll(() => door.close());

const asking = { Upgrade: "websocket", Connection: "Upgrade", "Sec-WebSocket-Version": "13" };
const key = "dGhlIHNhbXBsZSBub25jZQ==";

interface Client {
  readonly socket: TLSSocket;
  /** Status line and headers. */
  readonly head: string;
  /** Opcode and payload of the next frame; undefined: the server has closed. */
  next(): Promise<[opcode: number, payload: Buffer] | undefined>;
}

async function open(target: string, headers: Record<string, string> = {}): Promise<Client> {
  const socket = await door.tls();
  let bytes = Buffer.alloc(0);
  let isOver = false;
  let wake = () => {};
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isOver = true;
    wake();
  });
  const until = async <T>(find: () => T | undefined): Promise<T | undefined> => {
    for (;;) {
      const found = find();
      if (found !== undefined || isOver) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const all = { Host: "orch.test", "Sec-WebSocket-Key": key, ...asking, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const take = (length: number) => {
    const taken = bytes.subarray(0, length);
    bytes = bytes.subarray(length);
    return taken;
  };
  const end = await until(() => (bytes.indexOf("\r\n\r\n") < 0 ? undefined : bytes.indexOf("\r\n\r\n") + 4));
  return {
    socket,
    head: take(end ?? 0).toString("latin1"),
    next: () =>
      until(() => {
        if (bytes.length < 2) return undefined;
        const short = bytes[1]!;
        const size = short === 126 ? 4 : 2;
        if (bytes.length < size) return undefined;
        const length = short === 126 ? bytes.readUInt16BE(2) : short;
        if (bytes.length < size + length) return undefined;
        const opcode = bytes[0]! & 0x0f;
        take(size);
        return [opcode, Buffer.from(take(length))];
      }),
  };
}
const event = async (client: Client) => {
  const [opcode, payload] = (await client.next()) ?? [0, Buffer.alloc(0)];
  const { type, object } = JSON.parse(payload.toString());
  return [opcode, type, object.metadata.name];
};
/** A control frame of the client with an empty mask. */
const control = (opcode: number, text = "") =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

describe("a watch over a WebSocket", () => {
  test("sends each event in a separate message, answers pings and closes on request", async () => {
    const client = await open(`${base}?watch=1`);
    expect(client.head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(await event(client)).toEqual([1, "ADDED", "first"]);
    for (const name of ["second", "third"]) {
      await door.server.fetch(base, { method: "POST", body: JSON.stringify({ metadata: { name } }) });
    }
    expect(await event(client)).toEqual([1, "ADDED", "second"]);
    expect(await event(client)).toEqual([1, "ADDED", "third"]);
    client.socket.write(control(9, "hello"));
    expect(await client.next()).toEqual([10, Buffer.from("hello")]);
    client.socket.write(control(8));
    expect(await client.next()).toEqual([8, Buffer.from([3, 232])]);
    expect(await client.next()).toBeUndefined();
  });

  test("ends with a close frame after its timeout, and sends protobuf in binary messages", async () => {
    const client = await open(`${base}?watch=1&timeoutSeconds=1`, { Accept: "application/vnd.orch.protobuf" });
    const [opcode, payload] = (await client.next())!;
    expect([opcode, payload.includes("ADDED")]).toEqual([2, true]);
    for (;;) {
      const frame = await client.next();
      if (frame?.[0] === 2) continue;
      expect(frame).toEqual([8, Buffer.from([3, 232])]);
      break;
    }
  });

  test("selects one of the offered protocols", async () => {
    const client = await open(`${base}?watch=1`, { "Sec-WebSocket-Protocol": "base64url.bearer.x.y, events" });
    expect(client.head).toContain("Sec-WebSocket-Protocol: events\r\n");
    client.socket.destroy();
  });

  test("is released when its client disconnects or resets the connection", async () => {
    const client = await open(`${base}?watch=1`);
    await client.next();
    client.socket.end();
    await once(client.socket, "close");
    const rude = await open(`${base}?watch=1`);
    await rude.next();
    rude.socket.destroy();
    await door.server.fetch(base, { method: "POST", body: `{"metadata":{"name":"unheard"}}` });
    await door.server.fetch(`${base}/unheard`, { method: "DELETE" });
    expect((await door.get(`${base}/first`))[0]).toBe(200);
  });

  test("is cut off for pings whose answers it does not read", async () => {
    const client = await open(`${base}?watch=1&resourceVersion=1000000`);
    client.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 2_000 }, () => control(9, "x".repeat(125))));
    const closed = new Promise((resolve) => client.socket.once("close", resolve));
    const flood = setInterval(() => client.socket.destroyed || client.socket.write(pings), 1);
    await closed;
    clearInterval(flood);
    expect((await door.get(`${base}/first`))[0]).toBe(200);
  });

  test("is cut off for frames that are broken or too large", async () => {
    for (const [bytes, code] of [
      ["8100", 1002],
      ["81ff7fffffffffffffff00000000", 1009],
    ] as const) {
      const client = await open(`${base}?watch=1&resourceVersion=1000000`);
      client.socket.write(Buffer.from(bytes, "hex"));
      expect(await client.next()).toEqual([8, Buffer.from([code >> 8, code & 0xff])]);
      expect(await client.next()).toBeUndefined();
    }
  });
});

describe("requests that do not get a WebSocket", () => {
  const cases: [why: string, headers: Record<string, string>][] = [
    ["for a page of another origin", { Origin: "https://evil.example.com" }],
    ["for a page without an origin", { Origin: "null" }],
    ["in another version", { "Sec-WebSocket-Version": "8" }],
    ["without a key", { "Sec-WebSocket-Key": "short" }],
    ["for another protocol", { Upgrade: "SPDY/3.1" }],
  ];
  for (const [why, headers] of cases) {
    test(`${why}: the answer is a normal one`, async () => {
      const client = await open(`${base}?watch=1`, headers);
      expect(client.head).toMatch(/^HTTP\/1\.1 200 /);
      client.socket.destroy();
    });
  }

  test("a page of this server gets a WebSocket", async () => {
    const client = await open(`${base}?watch=1`, { Origin: "https://orch.test" });
    expect(client.head).toMatch(/^HTTP\/1\.1 101 /);
    client.socket.destroy();
  });

  test("a request other than a watch gets a normal answer, and the connection ends", async () => {
    for (const [target, status] of [
      [`${base}/first`, 200],
      [`${base}/absent`, 404],
      [`${base}?watch=1&resourceVersion=odd`, 400],
    ] as const) {
      const { head, socket } = await open(target);
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head.toLowerCase()).toContain("connection: close");
      if (!socket.destroyed) await once(socket, "close");
    }
  });

  test("a CONNECT tunnel is refused", async () => {
    expect(await door.raw("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n")).toBe("");
  });

  test("a body beside the upgrade header is read as usual", async () => {
    const body = '{"metadata":{"name":"posted"}}';
    const head = `POST ${base} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`;
    expect(await door.raw(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 201 /);
  });
});
