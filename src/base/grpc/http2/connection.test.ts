import { createServer, type Http2Server, type ServerHttp2Stream, type Settings } from "node:http2";
import { connect, createServer as createSocketServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Http2Connection } from "./connection.ts";
import { frameHead, frameType, http2Code, settingsFrame } from "./frames.ts";
import { encodeHeaders } from "./headers.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const headers = encodeHeaders({ ":method": "POST", ":scheme": "http", ":path": "/a", ":authority": "localhost" });
const windowBytes = 100_000;

function deferred<Value>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function listen(server: Http2Server | ReturnType<typeof createSocketServer>): Promise<number> {
  closing.push(() => server.close());
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
}

async function connectTo(port: number) {
  const socket: Socket = connect(port, "127.0.0.1");
  closing.push(() => socket.destroy());
  const closed = deferred<Error | undefined>();
  const ready = deferred<void>();
  let isGoing = false;
  const connection = new Http2Connection(socket, windowBytes, {
    ready: ready.resolve,
    going: () => {
      isGoing = true;
    },
    closed: closed.resolve,
  });
  return { connection, socket, ready: ready.promise, closed: closed.promise, isGoing: () => isGoing };
}

type End = { readonly code?: number; readonly error?: Error };

/** One request, and what came back. */
function ask(connection: Http2Connection, body: Buffer): Promise<{ readonly body: Buffer; readonly end: End }> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const handler = {
      headers() {},
      data: (chunk: Buffer) => void chunks.push(Buffer.from(chunk)),
      closed: (end: End) => resolve({ body: Buffer.concat(chunks), end }),
    };
    connection.open(headers, handler).write(body, true);
  });
}

const echo = (stream: ServerHttp2Stream): void => {
  stream.respond({ ":status": 200 });
  stream.pipe(stream);
};

function serve(settings: Settings, answer: (stream: ServerHttp2Stream) => void): Promise<number> {
  const server = createServer({ settings });
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    answer(stream);
  });
  return listen(server);
}

test("bodies larger than both windows go through in both directions, many at once", async () => {
  const { connection, ready } = await connectTo(await serve({ initialWindowSize: 10_000 }, echo));
  await ready;
  const bodies = [0, 1, 16_384, 16_385, 300_000, 1_000_000].map((length, at) => Buffer.alloc(length, at));
  const answers = await Promise.all(bodies.map((body) => ask(connection, body)));
  for (const [at, { body, end }] of answers.entries()) {
    expect(end).toEqual({});
    expect(body.equals(bodies[at]!)).toBe(true);
  }
});

test("no more streams are open than the server takes; the others begin when one ends", async () => {
  let open = 0;
  let most = 0;
  const port = await serve({ maxConcurrentStreams: 2 }, (stream) => {
    open += 1;
    most = Math.max(most, open);
    stream.on("close", () => {
      open -= 1;
    });
    echo(stream);
  });
  const { connection, ready } = await connectTo(port);
  await ready;
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(connection, Buffer.of(at))));
  expect(answers.map(({ body }) => body[0])).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(most).toBe(2);
});

test("a stream that is left is left at the server too, and the others go on", async () => {
  const left = deferred<number>();
  const port = await serve({}, (stream) => {
    if (stream.id === 1) stream.on("close", () => left.resolve(stream.rstCode));
    else echo(stream);
  });
  const { connection, ready } = await connectTo(port);
  await ready;
  const stream = connection.open(headers, { headers() {}, data() {}, closed: () => expect.unreachable() });
  const other = ask(connection, Buffer.from("b"));
  stream.close(http2Code.cancel);
  expect(await left.promise).toBe(http2Code.cancel);
  expect((await other).body.toString()).toBe("b");
});

test("a ping is answered, and answers one of the server", async () => {
  const server = createServer();
  const heard = deferred<Error | null>();
  server.on("session", (session) => session.ping((error) => heard.resolve(error)));
  const { connection } = await connectTo(await listen(server));
  await new Promise<void>((resolve) => connection.ping(resolve));
  expect(await heard.promise).toBeNull();
});

test("requests of one turn are written together", async () => {
  const { connection, socket, ready } = await connectTo(await serve({}, echo));
  await ready;
  let writes = 0;
  const write = socket.write.bind(socket) as (data: Uint8Array) => boolean;
  socket.write = ((data: Uint8Array) => {
    writes += 1;
    return write(data);
  }) as typeof socket.write;
  const answers = Array.from({ length: 24 }, (_, at) => ask(connection, Buffer.of(at)));
  await new Promise((resolve) => setImmediate(resolve));
  // Beside them at most the confirmation of the server's settings.
  expect(writes).toBeLessThanOrEqual(2);
  await Promise.all(answers);
});

const rude: readonly { why: string; frames: readonly Buffer[] }[] = [
  { why: "no settings", frames: [frameHead(frameType.ping, 0, 0, 8), Buffer.alloc(8)] },
  { why: "a frame that is too long", frames: [settingsFrame([]), frameHead(frameType.data, 0, 1, 20_000)] },
  { why: "a push", frames: [settingsFrame([]), frameHead(frameType.pushPromise, 4, 1, 0)] },
  {
    why: "headers that data interrupts",
    frames: [settingsFrame([]), frameHead(frameType.headers, 0, 1, 0), frameHead(frameType.data, 0, 1, 0)],
  },
  {
    why: "headers without end",
    frames: [
      settingsFrame([]),
      frameHead(frameType.headers, 0, 1, 0),
      ...Array.from({ length: 5 }, () => [
        frameHead(frameType.continuation, 0, 1, 16_000),
        Buffer.alloc(16_000),
      ]).flat(),
    ],
  },
  {
    why: "headers in no known form",
    frames: [settingsFrame([]), frameHead(frameType.headers, 4, 1, 1), Buffer.of(0xfe)],
  },
  { why: "padding that is too long", frames: [settingsFrame([]), frameHead(frameType.data, 8, 1, 1), Buffer.of(9)] },
];
for (const { why, frames } of rude)
  test(`a server is left that sends ${why}`, async () => {
    const port = await listen(
      createSocketServer((socket) => {
        socket.on("error", () => {});
        socket.write(Buffer.concat(frames));
      }),
    );
    const { connection, closed } = await connectTo(port);
    const answer = ask(connection, Buffer.of(1));
    expect(await closed).toMatchObject({ message: expect.stringContaining("does not speak HTTP/2") });
    expect((await answer).end.error).toBeInstanceOf(Error);
    expect(() => connection.open(headers, { headers() {}, data() {}, closed() {} })).toThrow();
  });
