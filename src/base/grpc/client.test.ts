import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { connect, createServer as createSocketServer, type Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { GrpcClient } from "./client.ts";
import { frameOf } from "./frames.ts";
import { grpcCode } from "./status.ts";

const clock = systemClock;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const timeoutMs = 20_000;
const clientOf = (port: number, options: { answerBytesMax?: number } = {}) => {
  const client = new GrpcClient({ target: { host: "127.0.0.1", port }, clock, ...options });
  closing.push(() => client.close());
  return client;
};

/** A server that answers each stream as a test says. */
async function serve(answer: (stream: ServerHttp2Stream, session: ServerHttp2Session) => void): Promise<number> {
  const server: Http2Server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
  });
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.resume();
    answer(stream, stream.session as ServerHttp2Session);
  });
  closing.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
}

const headers = { ":status": 200, "content-type": "application/grpc" };
const answered = (stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string>) => {
  stream.respond(headers, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(body);
};

describe("with a server of grpc-js", async () => {
  const server = new grpc.Server();
  const asIs = (message: Buffer) => message;
  const codec = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  const seen: string[] = [];
  server.addService(
    {
      echo: { path: "/test.Test/Echo", requestStream: false, responseStream: false, ...codec },
      refuse: { path: "/test.Test/Refuse", requestStream: false, responseStream: false, ...codec },
      hang: { path: "/test.Test/Hang", requestStream: false, responseStream: false, ...codec },
      chat: { path: "/test.Test/Chat", requestStream: true, responseStream: true, ...codec },
    },
    {
      echo: (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
        seen.push(call.metadata.get("token").join());
        done(null, call.request);
      },
      refuse: (_call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) =>
        done({ code: grpc.status.PERMISSION_DENIED, details: "no, 100 % no: naïve" }),
      hang: (call: grpc.ServerUnaryCall<Buffer, Buffer>) => call.on("cancelled", () => seen.push("cancelled")),
      chat: (call: grpc.ServerDuplexStream<Buffer, Buffer>) => {
        call.on("data", (message: Buffer) => {
          if (message.toString() === "end") call.end();
          else call.write(Buffer.from(`heard ${message}`));
        });
        call.on("cancelled", () => seen.push("left"));
      },
    },
  );
  const port = await new Promise<number>((resolve) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_error, bound) => resolve(bound)),
  );

  test("an answer comes whole, empty or of 3 MB, and metadata goes with the request", async () => {
    const client = clientOf(port);
    const metadata = { token: "t1" };
    for (const request of [Buffer.alloc(0), Buffer.from("hello")])
      expect(await client.call("/test.Test/Echo", request, { timeoutMs, metadata }).answer).toEqual(request);
    const large = Buffer.alloc(3_000_000, 7);
    expect((await client.call("/test.Test/Echo", large, { timeoutMs }).answer).equals(large)).toBe(true);
    expect(seen.splice(0)).toEqual(["t1", "t1", ""]);
  });

  test("a refusal has the server's code and text, an unknown method is unimplemented", async () => {
    const client = clientOf(port);
    await expect(client.call("/test.Test/Refuse", Buffer.alloc(0), { timeoutMs }).answer).rejects.toMatchObject({
      code: grpcCode.permissionDenied,
      details: "no, 100 % no: naïve",
    });
    await expect(client.call("/test.Test/None", Buffer.alloc(0), { timeoutMs }).answer).rejects.toMatchObject({
      code: grpcCode.unimplemented,
    });
  });

  test("the deadline, a cancel and a close end a call here and at the server", async () => {
    const client = clientOf(port);
    await expect(client.call("/test.Test/Hang", Buffer.alloc(0), { timeoutMs: 50 }).answer).rejects.toMatchObject({
      code: grpcCode.deadlineExceeded,
    });
    const call = client.call("/test.Test/Hang", Buffer.alloc(0), { timeoutMs });
    call.cancel();
    await expect(call.answer).rejects.toMatchObject({ code: grpcCode.cancelled });
    const last = client.call("/test.Test/Hang", Buffer.alloc(0), { timeoutMs }).answer;
    client.close();
    await expect(last).rejects.toMatchObject({ code: grpcCode.cancelled });
    await expect.poll(() => seen.includes("cancelled")).toBe(true);
    seen.length = 0;
  });

  test("a stream speaks in both directions, ends with the server, and can be left", async () => {
    const client = clientOf(port);
    const heard: string[] = [];
    const ended = new Promise<Error | undefined>((resolve) => {
      const stream = client.stream(
        "/test.Test/Chat",
        {},
        {
          message(message) {
            heard.push(message.toString());
            if (heard.length === 2) stream.write(Buffer.from("end"));
          },
          end: resolve,
        },
      );
      stream.write(Buffer.from("a")); // the connection is not open yet
      stream.write(Buffer.from("b"));
    });
    expect([await ended, heard]).toEqual([undefined, ["heard a", "heard b"]]);
    await new Promise<void>((resolve) => {
      const left = client.stream("/test.Test/Chat", {}, { message: () => resolve(left.cancel()), end: () => {} });
      left.write(Buffer.from("c"));
    });
    await expect.poll(() => seen).toContain("left");
  });
});

const wrong: readonly { why: string; code: number; answer: (stream: ServerHttp2Stream) => void }[] = [
  {
    why: "an answer of a proxy",
    code: grpcCode.unavailable,
    answer: (stream) => {
      stream.respond({ ":status": 503, "content-type": "text/html" });
      stream.end("<h1>busy</h1>");
    },
  },
  {
    why: "a compressed message",
    code: grpcCode.internal,
    answer: (stream) => answered(stream, Buffer.from([1, 0, 0, 0, 1, 9]), { "grpc-status": "0" }),
  },
  {
    why: "more than is read",
    code: grpcCode.resourceExhausted,
    answer: (stream) => answered(stream, frameOf(Buffer.alloc(1_001)), { "grpc-status": "0" }),
  },
  {
    why: "a length that is never filled",
    code: grpcCode.internal,
    answer: (stream) => answered(stream, Buffer.from([0, 0, 0, 0, 9, 1]), { "grpc-status": "0" }),
  },
  {
    why: "two answers",
    code: grpcCode.internal,
    answer: (stream) =>
      answered(stream, Buffer.concat([frameOf(Buffer.from("a")), frameOf(Buffer.from("b"))]), { "grpc-status": "0" }),
  },
  {
    why: "no answer",
    code: grpcCode.internal,
    answer: (stream) => answered(stream, Buffer.alloc(0), { "grpc-status": "0" }),
  },
  {
    why: "no trailers",
    code: grpcCode.internal,
    answer: (stream) => {
      stream.respond(headers);
      stream.end(frameOf(Buffer.from("a")));
    },
  },
  {
    why: "a status that is not a number",
    code: grpcCode.unknown,
    answer: (stream) => answered(stream, Buffer.alloc(0), { "grpc-status": "x", "grpc-message": "%zz" }),
  },
  { why: "a reset", code: grpcCode.internal, answer: (stream) => stream.close(2) },
  { why: "a refused stream", code: grpcCode.unavailable, answer: (stream) => stream.close(7) },
  {
    why: "a broken connection",
    code: grpcCode.unavailable,
    answer: (stream) => (stream.session as ServerHttp2Session).destroy(),
  },
];

for (const { why, code, answer } of wrong)
  test(`${why} fails the call, and the next one is answered`, async () => {
    let isWrong = true;
    const port = await serve((stream) => {
      if (isWrong) answer(stream);
      else answered(stream, frameOf(Buffer.from("right")), { "grpc-status": "0" });
    });
    const client = clientOf(port, { answerBytesMax: 1_000 });
    await expect(client.call("/a/B", Buffer.alloc(0), { timeoutMs }).answer).rejects.toMatchObject({ code });
    isWrong = false;
    const waiting = { timeoutMs, waitsForServer: true };
    expect((await client.call("/a/B", Buffer.alloc(0), waiting).answer).toString()).toBe("right");
  });

test("after the server has said that it goes, calls that have begun end and the next one opens a connection", async () => {
  const sessions = new Set<ServerHttp2Session>();
  const waiting: ServerHttp2Stream[] = [];
  const port = await serve((stream, session) => {
    sessions.add(session);
    if (sessions.size === 1) {
      waiting.push(stream);
      session.goaway(0);
      return;
    }
    answered(stream, frameOf(Buffer.from("second")), { "grpc-status": "0" });
    for (const first of waiting.splice(0)) answered(first, frameOf(Buffer.from("first")), { "grpc-status": "0" });
  });
  const client = clientOf(port);
  const first = client.call("/a/B", Buffer.alloc(0), { timeoutMs }).answer;
  await expect.poll(() => waiting.length).toBe(1);
  await expect
    .poll(async () => (await client.call("/a/B", Buffer.alloc(0), { timeoutMs }).answer.catch(String)).toString())
    .toBe("second");
  expect((await first).toString()).toBe("first");
});

test("who waits for the server is answered when it starts; others fail at once, also again within a moment", async () => {
  const probe = createSocketServer();
  const port = await new Promise<number>((resolve) =>
    probe.listen(0, "127.0.0.1", () => resolve((probe.address() as { port: number }).port)),
  );
  await new Promise((resolve) => probe.close(resolve));
  const client = clientOf(port);
  const waiting = client.call("/a/B", Buffer.alloc(0), { timeoutMs, waitsForServer: true }).answer;
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(client.call("/a/B", Buffer.alloc(0), { timeoutMs }).answer).rejects.toMatchObject({
      code: grpcCode.unavailable,
      details: expect.stringContaining("ECONNREFUSED"),
    });
  const server = createServer();
  server.on("stream", (stream) => answered(stream, frameOf(Buffer.from("late")), { "grpc-status": "0" }));
  server.listen(port, "127.0.0.1");
  closing.push(() => server.close());
  expect((await waiting).toString()).toBe("late");
});

test("a server that accepts and says nothing is given up, and so is one that stops answering pings", async () => {
  const timers: { ms: number; run: () => void }[] = [];
  const manual = {
    ...systemClock,
    after: (ms: number, run: () => void) => {
      const timer = { ms, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer) >>> 0, 1);
    },
  };
  const fire = (ms: number) =>
    timers
      .splice(
        timers.findIndex((timer) => timer.ms === ms),
        1,
      )[0]!
      .run();
  const sockets = new Set<Socket>();
  const silent = createSocketServer((socket) => void sockets.add(socket.on("error", () => {})));
  const port = await new Promise<number>((resolve) =>
    silent.listen(0, "127.0.0.1", () => resolve((silent.address() as { port: number }).port)),
  );
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const client = new GrpcClient({ target: { host: "127.0.0.1", port }, clock: manual });
  const call = client.call("/a/B", Buffer.alloc(0), { timeoutMs }).answer;
  fire(5_000);
  await expect(call).rejects.toMatchObject({ code: grpcCode.unavailable, details: "no answer within 5 seconds" });
  client.close();

  timers.length = 0;
  let heard = 0;
  const stopping = await serve(() => {
    heard += 1;
  });
  const relay = createSocketServer((socket) => {
    const upstream = createConnectionTo(stopping, sockets);
    sockets.add(socket.on("error", () => {}));
    upstream.pipe(socket);
    // What comes after the request is held back, so that the ping is never answered.
    socket.on("data", (chunk: Buffer) => {
      if (heard === 0) upstream.write(chunk);
    });
  });
  const relayed = await new Promise<number>((resolve) =>
    relay.listen(0, "127.0.0.1", () => resolve((relay.address() as { port: number }).port)),
  );
  closing.push(() => relay.close());
  const other = new GrpcClient({ target: { host: "127.0.0.1", port: relayed }, clock: manual });
  const watched = other.call("/a/B", Buffer.alloc(0), { timeoutMs }).answer;
  watched.catch(() => {});
  await expect.poll(() => heard).toBe(1);
  fire(10_000);
  fire(5_000);
  await expect(watched).rejects.toMatchObject({ code: grpcCode.unavailable });
  other.close();
});

function createConnectionTo(port: number, sockets: Set<Socket>): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  sockets.add(socket.on("error", () => {}));
  return socket;
}
