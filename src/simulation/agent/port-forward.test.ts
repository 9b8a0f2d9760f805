import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { controlFrame, frameTypes, synStreamFrame } from "../../client/streams/spdy-frames.ts";
import { acceptPortForward } from "./port-forward.ts";
import { PortTargets } from "./port-targets.ts";
import { streamsMax } from "./spdy-session.ts";

/** A client that has asked for SPDY, with the bytes that it sends. */
function openClient(frames: Iterable<Buffer>): { readonly socket: Duplex; sent(): number } {
  let sent = 0;
  const source = frames[Symbol.iterator]();
  const socket = new Duplex({
    read() {
      const { value, done } = source.next();
      if (done === true) return;
      sent++;
      this.push(value);
    },
    write: (_chunk, _encoding, done) => done(),
  });
  const request = new IncomingMessage(new Socket());
  request.headers = { upgrade: "SPDY/3.1", "x-stream-protocol-version": "portforward.k8s.io" };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } } as const;
  const of = { pod, targets: new PortTargets([]) };
  expect(acceptPortForward(request, socket, Buffer.alloc(0), { of, ports: [] })).toBe(true);
  return { socket, sent: () => sent };
}

function* resetStreams(): Generator<Buffer> {
  for (let id = 1; id < 100_000; id += 2) {
    yield synStreamFrame(id, { streamtype: "data", port: "80", requestid: `r${id}` }, { isFirst: id === 1 });
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(id);
    yield controlFrame(frameTypes.rstStream, payload);
  }
}

test("a client that opens streams without end and resets each is closed", async () => {
  const { socket, sent } = openClient(resetStreams());
  await expect.poll(() => socket.destroyed).toBe(true);
  // What was read ahead counts as sent.
  expect(sent()).toBeLessThan(20 * streamsMax);
});

/** Pairs that answer each other at once, all with the numbers of the first. */
function* sameStreams(): Generator<Buffer> {
  for (let at = 0; at < 100_000; at++)
    for (const streamtype of ["error", "data"])
      yield synStreamFrame(
        1,
        { streamtype, port: "80", requestid: `r${at}` },
        { isFirst: at === 0 && streamtype === "error" },
      );
}

test("a client that opens one stream again and again is closed: nothing could end those that it hides", async () => {
  const { socket, sent } = openClient(sameStreams());
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(sent()).toBeLessThan(20 * streamsMax);
});
