import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Entry } from "../../registry/contract/entry.ts";
import type { WatcherEvent } from "../../registry/contract/watch.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { FrameEncoder } from "../negotiation/watch-frames.ts";
import { busyWrites, DeliveryWindows, quietMs, windowMs } from "../server/delivery-windows.ts";
import { EventStream, gatheredBytesMax, type StreamOwner } from "./event-stream.ts";

const event = (revision: number): WatcherEvent => ({ type: "BOOKMARK", revision: BigInt(revision) });
/** A batch as watchers with the same selection get it. */
const batchOf = (revision: number): readonly WatcherEvent[] => [event(revision)];

/** The frame of a batch is shared among watchers, as those of the server are. */
const shared = new WeakMap<readonly WatcherEvent[], Buffer>();
const frames = (options: Partial<FrameEncoder> = {}): FrameEncoder => ({
  type: "application/json",
  isImmediate: true,
  encode(batch) {
    const known = shared.get(batch) ?? Buffer.from(batch.map(({ revision }) => `${revision} \n`).join(""));
    shared.set(batch, known);
    return known;
  },
  encodeError: () => Buffer.from("error\n"),
  ...options,
});

function client(transport: Exchange["transport"] = "http1") {
  const writes: Buffer[] = [];
  let drain = () => {};
  const state = { accepts: true };
  const exchange = {
    transport,
    write(chunk: Buffer) {
      writes.push(chunk);
      return state.accepts;
    },
    drained: () =>
      new Promise<void>((resolve) => {
        drain = resolve;
      }),
  } as Pick<Exchange, "transport" | "write" | "drained"> as Exchange; // the members that a stream uses
  return { exchange, writes, state, drain: () => drain(), texts: () => writes.map((bytes) => bytes.toString()) };
}

const silent: StreamOwner = { resume() {}, fail() {}, sent() {} };

/** Windows in which so much was written that streams gather. `writing`: the writes in progress. */
function busyWindows(writing = { used: 0 }): DeliveryWindows {
  const windows = new DeliveryWindows(writing);
  for (let write = 0; write < busyWrites; write++) windows.written();
  return windows;
}

const afterWindow = (windows: DeliveryWindows) => {
  const begun = windows.current;
  return expect.poll(() => windows.current, { interval: 2 }).toBeGreaterThan(begun);
};

describe("a stream of events", () => {
  test("writes every event at once while little is delivered", () => {
    const { exchange, texts } = client();
    const stream = new EventStream({ exchange, frames: frames(), windows: new DeliveryWindows({ used: 0 }) }, silent);
    for (const revision of [1, 2, 3]) expect(stream.send([event(revision)])).toBe(true);
    expect(texts()).toEqual(["1 \n", "2 \n", "3 \n"]);
  });

  test("writes the first event at once and the others together while much is delivered", async () => {
    const windows = busyWindows();
    const { exchange, texts } = client();
    const stream = new EventStream({ exchange, frames: frames(), windows }, silent);
    for (const revision of [1, 2, 3]) stream.send([event(revision)]);
    expect(texts()).toEqual(["1 \n"]);
    await afterWindow(windows);
    expect(texts()).toEqual(["1 \n", "2 \n3 \n"]);
  });

  test("shares the bytes of what was gathered with the watchers that get the same events", async () => {
    const windows = busyWindows();
    const clients = [client(), client(), client()];
    const streams = clients.map(({ exchange }) => new EventStream({ exchange, frames: frames(), windows }, silent));
    for (const batch of [1, 2, 3].map(batchOf)) for (const stream of streams) stream.send(batch);
    await afterWindow(windows);
    for (const { writes } of clients) expect(writes[1]).toBe(clients[0]!.writes[1]);
  });

  test("gathers for itself when other watchers got other events in between", async () => {
    const windows = busyWindows();
    const clients = [client(), client()];
    const streams = clients.map(({ exchange }) => new EventStream({ exchange, frames: frames(), windows }, silent));
    for (const batch of [1, 2].map(batchOf)) for (const stream of streams) stream.send(batch);
    for (const [at, stream] of streams.entries()) stream.send(batchOf(3 + at));
    const last = batchOf(5);
    for (const stream of streams) stream.send(last);
    await afterWindow(windows);
    expect(clients.map(({ texts }) => texts()[1])).toEqual(["2 \n3 \n5 \n", "2 \n4 \n5 \n"]);
  });

  test("encodes what it gathers once, when it writes it", async () => {
    const windows = busyWindows();
    const { exchange } = client();
    const encode = vi.fn(frames().encode);
    const sent = vi.fn();
    const stream = new EventStream({ exchange, frames: frames({ encode }), windows }, { ...silent, sent });
    for (const revision of [1, 2, 3]) stream.send([event(revision)]);
    expect(encode).toHaveBeenCalledTimes(1);
    await afterWindow(windows);
    expect(encode).toHaveBeenCalledTimes(2);
    expect(sent.mock.calls).toEqual([
      [1, 3],
      [2, 6],
    ]);
  });

  test("fails when what it has gathered cannot be encoded", async () => {
    const windows = busyWindows();
    const { exchange } = client();
    const broken = new Error("broken");
    const encode = (batch: readonly WatcherEvent[]) => {
      if (batch[0]!.revision > 1n) throw broken;
      return Buffer.from("1 \n");
    };
    const fail = vi.fn();
    const stream = new EventStream({ exchange, frames: frames({ encode }), windows }, { ...silent, fail });
    for (const revision of [1, 2]) stream.send([event(revision)]);
    await afterWindow(windows);
    expect(fail.mock.calls).toEqual([[broken]]);
  });

  test("does not gather what needs asynchronous conversion, so that watchers share the conversion of each event", () => {
    const { exchange } = client();
    const encode = vi.fn(async () => Buffer.from("converted\n"));
    const output = { exchange, frames: frames({ isImmediate: false, encode }), windows: busyWindows() };
    const streams = [1, 2].map(() => new EventStream(output, silent));
    const batch = batchOf(1);
    for (const stream of streams) stream.send(batch);
    expect(encode.mock.calls).toEqual([[batch], [batch]]);
  });

  test("does not wait for the window's end with more bytes than may be gathered", () => {
    const { exchange, writes } = client();
    const stream = new EventStream({ exchange, frames: frames(), windows: busyWindows() }, silent);
    const entry = { length: gatheredBytesMax / 2 } as Entry; // all that a stream reads of it
    for (const revision of [11n, 12n, 13n]) stream.send([{ type: "ADDED", entry, revision }]);
    expect(writes.length).toBe(2);
  });

  test("in memory never gathers", () => {
    const { exchange, texts } = client("memory");
    const stream = new EventStream({ exchange, frames: frames(), windows: busyWindows() }, silent);
    for (const revision of [1, 2]) stream.send([event(revision)]);
    expect(texts()).toEqual(["1 \n", "2 \n"]);
  });

  test.each([true, false])("writes what it has gathered before the answer ends, if the client reads: %s", (accepts) => {
    const { exchange, texts, state } = client();
    state.accepts = accepts;
    const stream = new EventStream({ exchange, frames: frames(), windows: busyWindows() }, silent);
    for (const revision of [1, 2]) stream.send([event(revision)]);
    stream.writeRest();
    expect(texts()).toEqual(["1 \n", "2 \n"]);
  });

  test("keeps what was gathered for a client that does not read, and pauses the watch until it does", async () => {
    const windows = busyWindows();
    const { exchange, texts, state, drain } = client();
    let resumed = 0;
    const stream = new EventStream({ exchange, frames: frames(), windows }, { ...silent, resume: () => resumed++ });
    stream.send([event(1)]);
    state.accepts = false;
    expect(stream.send([event(2)])).toBe(true);
    await afterWindow(windows);
    expect(stream.send([event(3)])).toBe(false);
    expect(texts()).toEqual(["1 \n", "2 \n"]);
    state.accepts = true;
    drain();
    await expect.poll(() => resumed).toBe(1);
    expect(texts()).toEqual(["1 \n", "2 \n", "3 \n"]);
  });
});

describe("windows of deliveries", () => {
  test("leave no timer behind when nothing is delivered", async () => {
    const windows = busyWindows();
    await afterWindow(windows);
    const idle = windows.current;
    await sleep(40);
    expect(windows.current).toBe(idle);
  });

  test("stop gathering when nothing came in a window", async () => {
    const windows = busyWindows();
    expect(windows.mustGather(windows.written())).toBe(true);
    await afterWindow(windows);
    expect(windows.mustGather(windows.written())).toBe(false);
  });
});

describe("a window of deliveries", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** A stream that has just written, and gathers from now on. */
  function gatheringStream(writing = { used: 0 }) {
    const windows = busyWindows(writing);
    const { exchange, texts } = client();
    const stream = new EventStream({ exchange, frames: frames(), windows }, silent);
    stream.send([event(1)]);
    return { stream, writes: () => texts().slice(1) };
  }

  test("ends soon after the last event of a burst", () => {
    const { stream, writes } = gatheringStream();
    for (const revision of [2, 3]) {
      stream.send([event(revision)]);
      vi.advanceTimersByTime(quietMs);
    }
    expect(writes()).toEqual([]);
    vi.advanceTimersByTime(quietMs);
    expect(writes()).toEqual(["2 \n3 \n"]);
  });

  test("does not end in the short pause of a client that writes one object after the other", () => {
    const writing = { used: 1 };
    const { stream, writes } = gatheringStream(writing);
    stream.send([event(2)]);
    vi.advanceTimersByTime(quietMs + 1);
    writing.used = 0;
    vi.advanceTimersByTime(quietMs - 1);
    expect(writes()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(writes()).toEqual(["2 \n"]);
  });

  test("does not end early while a write is in progress, whose event is still to come", () => {
    const writing = { used: 1 };
    const { stream, writes } = gatheringStream(writing);
    stream.send([event(2)]);
    vi.advanceTimersByTime(windowMs - 2 * quietMs);
    expect(writes()).toEqual([]);
    stream.send([event(3)]);
    writing.used = 0;
    vi.advanceTimersByTime(2 * quietMs);
    expect(writes()).toEqual(["2 \n3 \n"]);
  });

  test("ends although a write stays in progress", () => {
    const { stream, writes } = gatheringStream({ used: 1 });
    stream.send([event(2)]);
    vi.advanceTimersByTime(windowMs);
    expect(writes()).toEqual(["2 \n"]);
  });

  test("is followed by another as long as events come", () => {
    const { stream, writes } = gatheringStream();
    for (let revision = 2; writes().length === 0; revision++) {
      stream.send([event(revision)]);
      vi.advanceTimersByTime(quietMs / 2);
    }
    stream.send([event(90)]);
    stream.send([event(91)]);
    expect(writes().length).toBe(1);
    vi.advanceTimersByTime(windowMs);
    expect(writes()[1]).toBe("90 \n91 \n");
    vi.advanceTimersByTime(1_000);
    stream.send([event(92)]);
    expect(writes()[2]).toBe("92 \n");
  });

  test("ends although events still come, so that none waits for long", () => {
    const { stream, writes } = gatheringStream();
    const parts = windowMs / 2;
    for (let revision = 2; revision < 2 + parts; revision++) {
      expect(writes()).toEqual([]);
      stream.send([event(revision)]);
      vi.advanceTimersByTime(2);
    }
    expect(writes()).toEqual([Array.from({ length: parts }, (_, at) => `${2 + at} \n`).join("")]);
  });
});
