/** A connection to a port of a simulated pod, answered as the port declares: from `port-forward`, or from a proxied request. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { Duplex, Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Pod } from "../../api/core/v1/pod.ts";
import { portAnswer } from "./answers.ts";
import type { PortTargets } from "./port-targets.ts";

export interface PortConnection {
  readonly port: number;
  readonly input: AsyncIterable<Buffer>;
  send(data: Uint8Array): Promise<void>;
  /** Says why it failed. */
  fail(message: string): Promise<void>;
  end(): Promise<void>;
}

export interface PortPod {
  readonly pod: Pod;
  /** Where its ports may forward to. */
  readonly targets: PortTargets;
}

/** Resolves when the connection has ended. */
export async function answerPort({ pod, targets }: PortPod, connection: PortConnection): Promise<void> {
  const { port, input } = connection;
  const failed = (why: string) =>
    connection.fail(
      `error forwarding port ${port} to pod ${pod.metadata.name ?? ""}, uid ${pod.metadata.uid ?? ""}: ${why}`,
    );
  const declared = portAnswer(pod, port);
  switch (declared.at) {
    case "refuse":
      await failed("connection refused");
      break;
    case "send":
      await connection.send(Buffer.from(declared.text));
      break;
    case "http":
      await answerHttp(connection, input, declared.body);
      break;
    case "forward": {
      const target = targets.find(declared.target);
      if ("refuse" in target) await failed(target.refuse);
      else await passOn(connection, target.dial).catch((error: Error) => failed(error.message));
      break;
    }
    case "echo":
      await echo(connection);
      break;
  }
  await connection.end();
}

/** What arrives is sent back; a request of HTTP gets an answer of HTTP. */
async function echo(connection: PortConnection): Promise<void> {
  const chunks = connection.input[Symbol.asyncIterator]();
  const { value: first, done } = await chunks.next();
  if (done === true) return;
  const all = (async function* () {
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  if (requestLine.test(first.subarray(0, requestLineBytesMax).toString("latin1")))
    return await answerHttp(connection, all, undefined);
  for await (const data of all) await connection.send(data);
}

const requestLineBytesMax = 8 * 1024;
const requestLine = /^[A-Z]{3,20} \S+ HTTP\/1\.[01]\r?\n/;

/** How much of the body of a request is sent back. */
export const echoedBytesMax = 64 * 1024;

/** What the requests of a connection are answered with; undefined: with what arrives. */
const bodies = new WeakMap<Duplex, string | undefined>();

/** It listens nowhere: connections are given to it. */
const server = createServer((request, response) => {
  answerRequest(request, response).catch(() => response.destroy());
});

// A client may end its side when it has asked, and still gets its answer.
Object.assign(server, { httpAllowHalfOpen: true });

async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let [kept, size] = [[] as Buffer[], 0];
  for await (const data of request as AsyncIterable<Buffer>) {
    if (size < echoedBytesMax) kept = [...kept, data.subarray(0, echoedBytesMax - size)];
    size += data.length;
  }
  const declared = bodies.get(request.socket);
  const body = declared ?? Buffer.concat([Buffer.from(`${request.method} ${request.url}\n`), ...kept]);
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

async function answerHttp(
  { send }: PortConnection,
  input: AsyncIterable<Buffer>,
  body: string | undefined,
): Promise<void> {
  const socket = Duplex.from({
    readable: Readable.from(input),
    writable: new Writable({
      write: (data: Buffer, _encoding, done) => void send(data).then(() => done(), done),
    }),
  });
  bodies.set(socket, body);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => socket.destroy());
  server.emit("connection", socket);
  await closed;
}

async function passOn(
  { input, send }: PortConnection,
  dial: { readonly host: string; readonly port: number },
): Promise<void> {
  const socket = connect(dial);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.on("error", () => socket.destroy());
  const sent = pipeline(Readable.from(input), socket).catch(() => void socket.destroy());
  for await (const data of socket as AsyncIterable<Buffer>) await send(data);
  await sent;
}
