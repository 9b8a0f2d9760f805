import { Duplex } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { acceptOf, encodeFrame, opcodes } from "../../base/websocket-frames.ts";
import type { ChannelData, Upgrade } from "./contract.ts";
import { openPortTunnel, tunnelErrorBytesMax } from "./port-tunnel.ts";
import { EndingReader, endingBytesMax, readEnding } from "./remote-command.ts";
import { openSpdyChannels, spdyFrameBytesMax } from "./spdy-channels.ts";
import { controlFrame, dataFrame, frameTypes } from "./spdy-frames.ts";
import { messageBytesMax, WebSocketConnection } from "./websocket.ts";

/** A connection on which these bytes arrive, in pieces of this size. */
function arriving(bytes: Buffer, size = 1000): Duplex {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return new Duplex({
    read() {
      this.push(pieces.shift() ?? null);
    },
    write(_chunk, _encoding, done) {
      done();
    },
  });
}

const closing = encodeFrame(opcodes.close, Buffer.from([3, 232]));

describe("a WebSocket", () => {
  test("delivers whole messages, however they are fragmented", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 400 }),
        async (messages, size) => {
          const frames = messages.flatMap((parts) =>
            parts.map((part, at) => {
              const frame = encodeFrame(at === 0 ? opcodes.binary : opcodes.continuation, part);
              if (at < parts.length - 1) frame[0]! &= 0x7f;
              return frame;
            }),
          );
          const socket = arriving(Buffer.concat([...frames, closing]), size);
          const connection = new WebSocketConnection({
            socket,
            head: Buffer.alloc(0),
            random: () => new Uint8Array(4),
          });
          const got: string[] = [];
          for await (const { data } of connection.messages()) got.push(data.toString("hex"));
          expect(got).toEqual(messages.map((parts) => Buffer.concat(parts).toString("hex")));
        },
      ),
      { numRuns: 30 },
    );
  });

  test("keeps a message whose other fragments are empty", async () => {
    const parts = ["", "whole", "", ""].map((text, at) => {
      const frame = encodeFrame(at === 0 ? opcodes.binary : opcodes.continuation, Buffer.from(text));
      if (at < 3) frame[0]! &= 0x7f;
      return frame;
    });
    const first = encodeFrame(opcodes.text, Buffer.from("first"));
    first[0]! &= 0x7f;
    const bytes = Buffer.concat([first, encodeFrame(opcodes.continuation, Buffer.alloc(0)), ...parts, closing]);
    const socket = arriving(bytes);
    const connection = new WebSocketConnection({ socket, head: Buffer.alloc(0), random: () => new Uint8Array(4) });
    const got: string[] = [];
    for await (const { data } of connection.messages()) got.push(data.toString());
    expect(got).toEqual(["first", "whole"]);
  });

  test("limits the size of messages, fragmented ones too", async () => {
    const first = encodeFrame(opcodes.binary, Buffer.alloc(messageBytesMax));
    first[0]! &= 0x7f;
    const socket = arriving(Buffer.concat([first, encodeFrame(opcodes.continuation, Buffer.alloc(1))]), 65_536);
    const connection = new WebSocketConnection({ socket, head: Buffer.alloc(0), random: () => new Uint8Array(4) });
    await expect(connection.messages().next()).rejects.toThrow(`more than ${messageBytesMax} bytes`);
  });
});

describe("a side that floods a WebSocket", () => {
  const connectionTo = (socket: Duplex) =>
    new WebSocketConnection({ socket, head: Buffer.alloc(0), random: () => new Uint8Array(4) });

  test("is read in time slices, however many frames arrive at once", async () => {
    const frames = Array.from({ length: 200 }, () => encodeFrame(opcodes.binary, Buffer.from("x")));
    let turns = 0;
    let isOver = false;
    const countTurn = () => {
      turns++;
      if (!isOver) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const bytes = Buffer.concat([...frames, closing]);
    for await (const _ of connectionTo(arriving(bytes, bytes.length)).messages()) {
      // As much work as a command may do with it.
      for (const begin = performance.now(); performance.now() - begin < 1; );
    }
    isOver = true;
    expect(turns).toBeGreaterThan(5);
  });

  test("is not read while it does not read the answers to its pings", async () => {
    const pings = Array.from({ length: 1_000 }, () => encodeFrame(opcodes.ping, Buffer.from("x")));
    let answers = 0;
    const socket = new Duplex({
      read() {
        this.push(pings.length > 0 ? Buffer.concat(pings.splice(0)) : null);
      },
      writableHighWaterMark: 64,
      // The first answer is never sent.
      write: () => void answers++,
    });
    const read = connectionTo(socket).messages().next();
    await new Promise((done) => setImmediate(done));
    expect(answers).toBe(1);
    expect(socket.writableLength).toBeLessThan(200);
    socket.destroy();
    await expect(read).rejects.toThrow("the connection was lost");
  });
});

describe("channels over SPDY", () => {
  const open = async (bytes: Buffer, size?: number) => {
    const headers = new Headers({ upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" });
    const upgrade: Upgrade = async () => ({ socket: arriving(bytes, size), head: Buffer.alloc(0), headers });
    const channels = [3, 1].map((channel) => ({ channel, headers: { streamtype: String(channel) }, isReceived: true }));
    return openSpdyChannels(upgrade, "/", { protocol: "v4.channel.k8s.io", channels });
  };
  const read = async (bytes: Buffer, size?: number) => {
    const got: ChannelData[] = [];
    for await (const one of (await open(bytes, size)).received()) got.push(one);
    return got.map(({ channel, data }) => [channel, data.toString("latin1")]);
  };

  test("deliver what the server sends, until it has ended all of them", async () => {
    const bytes = Buffer.concat([
      controlFrame(frameTypes.synReply, Buffer.alloc(4)),
      dataFrame(3, Buffer.from("out"), false),
      controlFrame(frameTypes.ping, Buffer.from([0, 0, 0, 2])),
      dataFrame(9, Buffer.from("a stream that was never opened"), true),
      dataFrame(1, Buffer.from("status"), true),
      controlFrame(frameTypes.rstStream, Buffer.from([0, 0, 0, 3, 0, 0, 0, 5])),
    ]);
    for (const size of [1, 7, 1000])
      expect(await read(bytes, size)).toEqual([
        [1, "out"],
        [3, "status"],
      ]);
  });

  test("fail if the connection ends early, another version is spoken or a frame has no bound", async () => {
    await expect(read(dataFrame(3, Buffer.from("x"), true))).rejects.toThrow("the connection was lost");
    await expect(read(Buffer.from("8002000400000000", "hex"))).rejects.toThrow("not one of SPDY/3.1");
    const large = dataFrame(3, Buffer.alloc(0), false);
    large.writeUIntBE(spdyFrameBytesMax + 1, 5, 3);
    await expect(read(large)).rejects.toThrow("too large");
  });
});

describe("a tunnel to a port", () => {
  const message = (channel: number, data: Buffer) =>
    encodeFrame(opcodes.binary, Buffer.concat([Uint8Array.of(channel), data]));
  const read = async (frames: readonly Buffer[]) => {
    const upgrade: Upgrade = async (_, { headers }) => {
      const answer = new Headers({
        upgrade: "websocket",
        "sec-websocket-accept": acceptOf(headers["sec-websocket-key"] ?? ""),
        "sec-websocket-protocol": "v4.channel.k8s.io",
      });
      return { socket: arriving(Buffer.concat([...frames, closing])), head: Buffer.alloc(0), headers: answer };
    };
    const tunnel = await openPortTunnel(upgrade, { path: "/", port: 0x1234, protocol: "channel.k8s.io" });
    const got: Buffer[] = [];
    for await (const data of tunnel.received()) got.push(data);
    return Buffer.concat(got).toString("latin1");
  };

  test("begins with the port number, also in two chunks", async () => {
    const begin = [
      message(0, Buffer.from([0x34])),
      message(0, Buffer.from([0x12, 0x61])),
      message(1, Buffer.from([0x34, 0x12])),
    ];
    expect(await read([...begin, message(0, Buffer.from("bc")), message(7, Buffer.from("?"))])).toBe("abc");
    await expect(read([message(0, Buffer.from([0x35, 0x12]))])).rejects.toThrow("connected port 4661 instead of 4660");
  });

  test("ends with the error of the node, cut to its limit", async () => {
    const say = (text: string) => message(1, Buffer.concat([Buffer.from([0x34, 0x12]), Buffer.from(text)]));
    await expect(read([say("no such port")])).rejects.toThrow(/^no such port$/);
    const error: unknown = await read([say("x".repeat(tunnelErrorBytesMax)), message(1, Buffer.from("yyy"))]).catch(
      (one: unknown) => one,
    );
    expect(String(error)).toBe(`StreamBroken: ${"x".repeat(tunnelErrorBytesMax)}`);
  });
});

describe("the exit status of a process", () => {
  const failure = (causes: unknown) => ({ status: "Failure", reason: "NonZeroExitCode", details: { causes } });
  const cases: [said: unknown, ending: ReturnType<typeof readEnding>][] = [
    [{ status: "Success" }, { exitCode: 0 }],
    [failure([{ reason: "Other" }, { reason: "ExitCode", message: "137" }]), { exitCode: 137 }],
    [failure([]), { problem: "error stream protocol error: no ExitCode cause given" }],
    [failure("none"), { problem: "error stream protocol error: no ExitCode cause given" }],
    [
      failure([{ reason: "ExitCode", message: "256" }]),
      { problem: 'error stream protocol error: invalid exit code value "256"' },
    ],
    [{ status: "Failure", reason: "InternalError", message: "no such file" }, { problem: "no such file" }],
    [[], { problem: "error stream protocol error: unknown error" }],
  ];
  for (const [said, ending] of cases)
    test(`${JSON.stringify(said)}`, () => {
      expect(readEnding(Buffer.from(JSON.stringify(said)))).toEqual(ending);
    });

  test("is bounded", () => {
    const reader = new EndingReader();
    expect(reader.ending).toBeUndefined();
    reader.push(Buffer.alloc(endingBytesMax));
    expect(() => reader.push(Buffer.alloc(1))).toThrow("too much on the error channel");
  });
});
