import { once } from "node:events";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { handshakesAtOnceMax, spreadHandshakes } from "./handshakes.ts";

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

const turn = () => new Promise<void>((done) => setImmediate(done));

test("of many clients that connect at once a few handshakes begin in each turn of the event loop, until all have begun", async () => {
  const begun: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => begun.push(socket));
  spreadHandshakes(server);
  const count = 5 * handshakesAtOnceMax + 1;
  const sockets = Array.from({ length: count }, () => {
    const socket = new Socket();
    opened.push({ close: () => socket.destroy() });
    return socket;
  });
  for (const socket of sockets) server.emit("connection", socket);
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

test("bytes that a client sent before its handshake began are not lost", async () => {
  const begun: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => begun.push(socket));
  spreadHandshakes(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push({ close: () => server.close() });
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  opened.push({ close: () => client.destroy() });
  client.write("hello");
  await expect.poll(() => begun.length).toBe(1);
  const [chunk] = (await once(begun[0]!.resume(), "data")) as [Buffer];
  expect(String(chunk)).toBe("hello");
});
