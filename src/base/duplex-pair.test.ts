import { once } from "node:events";
import { createServer, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createDuplexPair } from "./duplex-pair.ts";

test("what is written to one end is read from the other, in both directions, until each half ends", async () => {
  const [one, other] = createDuplexPair();
  one.end("to the other");
  other.end("to the one");
  expect(await Promise.all([text(one), text(other)])).toEqual(["to the one", "to the other"]);
});

test("a writer waits for a reader that is slow", async () => {
  const [one, other] = createDuplexPair();
  const piece = Buffer.alloc(16 * 1024);
  let written = 0;
  while (one.write(piece)) written += piece.length;
  // The buffers of both ends are full.
  expect(written).toBeLessThan(256 * 1024);
  other.resume();
  await once(one, "drain");
});

test("destroying an end closes the other, also while it waits", async () => {
  const [one, other] = createDuplexPair();
  while (one.write(Buffer.alloc(16 * 1024)));
  const closed = once(one, "close");
  other.destroy();
  await closed;
});

test("HTTP is spoken through it", async () => {
  const server = createServer((asked, response) => response.end(`${asked.method} ${asked.url}`));
  const call = request({
    path: "/a",
    createConnection() {
      const [near, far] = createDuplexPair();
      server.emit("connection", far);
      return near;
    },
  });
  call.end();
  const [answer] = await once(call, "response");
  expect(await text(answer)).toBe("GET /a");
});
