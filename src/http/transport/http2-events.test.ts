import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { expect, test } from "vitest";
import type { Exchange } from "../contract/exchange.ts";
import { openTestListener } from "./listener.fixture.ts";

test("over HTTP/2 the events of one turn leave together: none waits until the one before it has left", async () => {
  const door = await openTestListener();
  let watch: Exchange | undefined;
  const own = await door.open({
    async handler(exchange) {
      exchange.respondEvents({});
      watch = exchange;
    },
  });
  const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
  const stream = session.request({ ":path": "/watch" });
  const frames: string[] = [];
  stream.on("data", (chunk: Buffer) => frames.push(chunk.toString()));
  await once(stream, "response");
  const say = (...events: string[]) => {
    for (const event of events) watch?.write(Buffer.from(event));
  };
  say("a", "b", "c");
  await expect.poll(() => frames).toEqual(["abc"]);
  say("d");
  await expect.poll(() => frames).toEqual(["abc", "d"]);
  say("e", "f");
  watch?.end();
  await once(stream, "end");
  expect(frames.join("")).toBe("abcdef");
  session.destroy();
  await own.close(0);
  await door.close();
});

test("a code above 599, which Node's HTTP/2 refuses, is sent as 500 with the body of the answer", async () => {
  const door = await openTestListener();
  const own = await door.open({
    async handler(exchange) {
      exchange.send(700, {}, Buffer.from("seven hundred"));
    },
  });
  const session = connectHttp2(`https://127.0.0.1:${own.port}`, { rejectUnauthorized: false });
  const stream = session.request({ ":path": "/" });
  const [headers] = await once(stream, "response");
  expect([headers[":status"], String(await once(stream, "data"))]).toEqual([500, "seven hundred"]);
  session.destroy();
  await own.close(0);
  await door.close();
});
