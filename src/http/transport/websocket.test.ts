import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { encodeFrame, opcodes } from "../../base/websocket-frames.ts";
import { closeFrame, FrameReader, frameBytesMax, handshake } from "./websocket.ts";

/** A frame as a client sends it: masked. */
function masked(first: number, payload: Buffer, key = Buffer.from([1, 2, 3, 4])): Buffer {
  const plain = encodeFrame(opcodes.text, payload);
  const head = Buffer.from(plain.subarray(0, plain.length - payload.length));
  head[0] = first;
  head[1]! |= 0x80;
  return Buffer.concat([head, key, Buffer.from(payload.map((byte, at) => byte ^ key[at & 3]!))]);
}

/** The result of a reader for bytes that arrive in chunks of these sizes, repeatedly. */
function read(bytes: Buffer, sizes: readonly number[]): string[] {
  const heard: string[] = [];
  const reader = new FrameReader({
    ping: (payload) => heard.push(`ping ${payload}`),
    close: (code) => heard.push(`close ${code}`),
  });
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    reader.push(bytes.subarray(at, at + size));
    at += size;
  }
  return heard;
}

const fin = 0x80;

describe("the frames of a client", () => {
  const cases: [why: string, bytes: Buffer, heard: string[]][] = [
    ["a ping is reported", masked(fin | opcodes.ping, Buffer.from("hi")), ["ping hi"]],
    ["an empty ping is reported", masked(fin | opcodes.ping, Buffer.alloc(0)), ["ping "]],
    ["a pong is ignored", masked(fin | opcodes.pong, Buffer.from("x")), []],
    ["messages of any length are discarded", masked(fin | opcodes.text, Buffer.alloc(70_000)), []],
    ["a close is reported", masked(fin | opcodes.close, Buffer.from([3, 232])), ["close 1000"]],
    ["an unmasked frame is refused", encodeFrame(opcodes.text, Buffer.from("x")), ["close 1002"]],
    [
      "an extension that was not negotiated is refused",
      masked(fin | 0x40 | opcodes.text, Buffer.from("x")),
      ["close 1002"],
    ],
    ["a fragmented control frame is refused", masked(opcodes.ping, Buffer.from("x")), ["close 1002"]],
    ["a long control frame is refused", masked(fin | opcodes.ping, Buffer.alloc(126)), ["close 1002"]],
    ["an unknown control frame is refused", masked(fin | 0xb, Buffer.from("x")), ["close 1002"]],
    ["a frame over the limit is refused", Buffer.from("81ff7fffffffffffffff01020304", "hex"), ["close 1009"]],
  ];
  for (const [why, bytes, heard] of cases) {
    test(why, () => {
      const after = masked(fin | opcodes.ping, Buffer.from("after"));
      const isOver = heard.some((one) => one.startsWith("close"));
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }), (sizes) => {
          expect(read(Buffer.concat([bytes, after]), sizes)).toEqual(isOver ? heard : [...heard, "ping after"]);
        }),
        { numRuns: 20 },
      );
    });
  }

  test("no input makes the reader throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
        const heard = read(Buffer.from(bytes), [size]);
        expect(heard.filter((one) => one.startsWith("close")).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

test("the handshake is answered as in the RFC, and never echoes a token", () => {
  const answer = handshake("dGhlIHNhbXBsZSBub25jZQ==", ["base64url.bearer.authorization.example.com.c2VjcmV0", "chat"]);
  expect(answer).toContain("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
  expect(answer).toContain("Sec-WebSocket-Protocol: chat\r\n");
  expect(answer).not.toContain("c2VjcmV0");
});

test("lengths are written in the shortest form", () => {
  const heads = [125, 126, 65_535, 65_536].map((length) =>
    encodeFrame(opcodes.binary, Buffer.alloc(length)).subarray(0, 10).toString("hex"),
  );
  expect(heads.map((head) => head.slice(0, 8))).toEqual(["827d0000", "827e007e", "827effff", "827f0000"]);
  expect(closeFrame(1009).toString("hex")).toBe("880203f1");
  expect(frameBytesMax).toBe(1_048_576);
});

test("many frames in one chunk take time in proportion to their bytes", () => {
  const pings = Buffer.concat(Array.from({ length: 20_000 }, () => masked(fin | opcodes.ping, Buffer.alloc(0))));
  const concat = vi.spyOn(Buffer, "concat");
  try {
    expect(read(pings, [pings.length])).toHaveLength(20_000);
    expect(concat).not.toHaveBeenCalled();
  } finally {
    concat.mockRestore();
  }
});
