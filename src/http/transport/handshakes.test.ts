import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { handshakesAtOnceMax, spreadHandshakes } from "./handshakes.ts";

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

async function open(timeoutMs = 60_000) {
  const begun: Socket[] = [];
  let timeouts = 0;
  const server: Server = createServer((socket) => begun.push(socket));
  spreadHandshakes(server, { timeoutMs, onTimeout: () => timeouts++ });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push({ close: () => server.close() });
  const { port } = server.address() as AddressInfo;
  const client = async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    opened.push({ close: () => socket.destroy() });
    await once(socket, "connect");
    return socket;
  };
  return { server, begun, client, timeouts: () => timeouts };
}

const turn = () => new Promise<void>((done) => setImmediate(done));

test("many clients that send at once are begun a few in each turn of the event loop, all of them in the end", async () => {
  const { server, begun } = await open();
  const count = 5 * handshakesAtOnceMax + 1;
  const sockets = Array.from({ length: count }, () => {
    const socket = new Socket();
    opened.push({ close: () => socket.destroy() });
    return socket;
  });
  for (const socket of sockets) server.emit("connection", socket);
  for (const socket of sockets) socket.emit("readable");
  const counts: number[] = [];
  while (begun.length < count) {
    await turn();
    counts.push(begun.length);
  }
  counts.reduce((before, now) => {
    expect(now - before).toBeLessThanOrEqual(handshakesAtOnceMax);
    return now;
  }, 0);
  expect(begun).toEqual(sockets);
});

test("a client that sends nothing is not begun, and closed after a while", async () => {
  const { begun, client, timeouts } = await open(20);
  const socket = await client();
  socket.resume();
  await once(socket, "close");
  expect([begun.length, timeouts()]).toEqual([0, 1]);
});

test("what a client sent before is there to be read", async () => {
  const { begun, client } = await open();
  (await client()).write("hello");
  await expect.poll(() => begun.length).toBe(1);
  expect(String(begun[0]?.read())).toBe("hello");
});
