import { describe, expect, test, vi } from "vitest";
import type { WatcherEvent } from "../../registry/contract/watch.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { FrameEncoder } from "../negotiation/watch-frames.ts";
import { EventStream, type StreamOwner, unreadBytesMax } from "./event-stream.ts";

const event = (revision: number): WatcherEvent => ({ type: "BOOKMARK", revision: BigInt(revision) });

const frames = (options: Partial<FrameEncoder> = {}): FrameEncoder => ({
  type: "application/json",
  isImmediate: true,
  encode: (batch) => Buffer.from(batch.map(({ revision }) => `${revision}\n`).join("")),
  encodeError: () => Buffer.from("error\n"),
  ...options,
});

function client() {
  const writes: Buffer[] = [];
  let drain = () => {};
  const state = { accepts: true, bufferedBytes: 0 };
  const exchange = {
    get bufferedBytes() {
      return state.bufferedBytes;
    },
    write(chunk: Buffer) {
      writes.push(chunk);
      return state.accepts;
    },
    drained: () =>
      new Promise<void>((resolve) => {
        drain = resolve;
      }),
  } as Pick<Exchange, "write" | "drained" | "bufferedBytes"> as Exchange; // the members that a stream uses
  return { exchange, state, drain: () => drain(), texts: () => writes.map((bytes) => bytes.toString()) };
}

const silent: StreamOwner = { resume() {}, fail() {}, sent() {} };

describe("a stream of events", () => {
  test("writes each batch at once", () => {
    const { exchange, texts } = client();
    const sent = vi.fn();
    const stream = new EventStream(exchange, frames(), { ...silent, sent });
    expect(stream.send([event(1)])).toBe(true);
    expect(stream.send([event(2), event(3)])).toBe(true);
    expect(texts()).toEqual(["1\n", "2\n3\n"]);
    expect(sent.mock.calls).toEqual([
      [1, 2],
      [2, 4],
    ]);
  });

  test("goes on while the client has left little unread", () => {
    const { exchange, state } = client();
    const stream = new EventStream(exchange, frames(), silent);
    state.accepts = false;
    state.bufferedBytes = unreadBytesMax - 1;
    expect(stream.send([event(1)])).toBe(true);
  });

  test("pauses the watch while the client does not read", async () => {
    const { exchange, texts, state, drain } = client();
    let resumed = 0;
    const stream = new EventStream(exchange, frames(), { ...silent, resume: () => void resumed++ });
    state.accepts = false;
    state.bufferedBytes = unreadBytesMax;
    expect(stream.send([event(1)])).toBe(false);
    expect(resumed).toBe(0);
    state.accepts = true;
    drain();
    await expect.poll(() => resumed).toBe(1);
    expect(stream.send([event(2)])).toBe(true);
    expect(texts()).toEqual(["1\n", "2\n"]);
  });

  test("writes events that come during an asynchronous conversion together behind it, and ends when all are written", async () => {
    const { exchange, texts } = client();
    const fail = vi.fn();
    const encode = async (batch: readonly WatcherEvent[]) => frames().encode(batch);
    const stream = new EventStream(exchange, frames({ isImmediate: false, encode }), { ...silent, fail });
    for (const revision of [1, 2, 3]) expect(stream.send([event(revision)])).toBe(true);
    stream.end(undefined);
    expect(fail).not.toHaveBeenCalled();
    await expect.poll(() => fail.mock.calls).toEqual([[undefined]]);
    expect(texts()).toEqual(["1\n", "2\n3\n"]);
  });
});
