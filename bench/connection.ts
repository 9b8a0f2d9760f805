/** One kept-alive HTTP/1.1 connection over TLS that sends prepared requests and counts bytes of answers, and little else. */

import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";

export interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** Kept only when it was asked for. */
  readonly body: Buffer | undefined;
}

/** A driver must cost less than what it drives, so this reads no more of an answer than where it ends. */
export class Connection {
  readonly #socket: TLSSocket;
  #rest: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void; keep: boolean } | undefined;
  #answer: { status: number; bytes: number; chunks: Buffer[]; state: BodyState } | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    const fail = (error?: Error) => this.#waiting?.reject(error ?? new Error("the server closed the connection"));
    socket.on("error", fail);
    socket.on("close", () => fail());
  }

  static async open(options: ConnectionOptions): Promise<Connection> {
    const socket = connect({ ...options, ALPNProtocols: ["http/1.1"] });
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
    });
    socket.setNoDelay(true);
    return new Connection(socket);
  }

  /** One request at a time. */
  request(bytes: Buffer, keep = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, keep };
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = Buffer.alloc(0);
    if (this.#answer === undefined) {
      const end = data.indexOf("\r\n\r\n");
      if (end < 0) {
        this.#rest = data;
        return;
      }
      const head = data.toString("latin1", 0, end);
      this.#answer = { status: Number(head.slice(9, 12)), bytes: 0, chunks: [], state: bodyState(head) };
      data = data.subarray(end + 4);
    }
    this.#readBody(data);
  }

  #readBody(data: Buffer): void {
    const answer = this.#answer!;
    const take = (part: Buffer) => {
      answer.bytes += part.length;
      if (this.#waiting?.keep) answer.chunks.push(part);
    };
    let rest = data;
    for (;;) {
      const { state } = answer;
      if (state.at === "length" || state.at === "chunk") {
        const part = rest.subarray(0, state.left);
        take(part);
        state.left -= part.length;
        rest = rest.subarray(part.length);
        if (state.left > 0) return;
        if (state.at === "length") {
          this.#finish();
          return;
        }
        answer.state = { at: "chunk-end" };
      } else if (state.at === "chunk-end") {
        if (rest.length < 2) {
          this.#rest = Buffer.from(rest);
          return;
        }
        rest = rest.subarray(2);
        answer.state = { at: "chunk-size" };
      } else {
        const end = rest.indexOf("\r\n");
        if (end < 0) {
          this.#rest = Buffer.from(rest);
          return;
        }
        const size = Number.parseInt(rest.toString("latin1", 0, end), 16);
        if (size === 0) {
          if (rest.length < end + 4) this.#rest = Buffer.from(rest);
          else this.#finish();
          return;
        }
        rest = rest.subarray(end + 2);
        answer.state = { at: "chunk", left: size };
      }
    }
  }

  #finish(): void {
    const { status, bytes, chunks } = this.#answer!;
    const waiting = this.#waiting;
    this.#answer = undefined;
    this.#waiting = undefined;
    waiting?.resolve({ status, bytes, body: waiting.keep ? Buffer.concat(chunks) : undefined });
  }
}

type BodyState =
  /** So many bytes of a body of known length are to come. */
  | { at: "length"; left: number }
  /** The line with the size of the next chunk comes. */
  | { at: "chunk-size" }
  /** So many bytes of a chunk are to come. */
  | { at: "chunk"; left: number }
  /** The line end behind a chunk comes. */
  | { at: "chunk-end" };

function bodyState(head: string): BodyState {
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return { at: "chunk-size" };
  return { at: "length", left: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) };
}

/** The bytes of a request. */
export function prepareRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): Buffer {
  const all = {
    host: "bench",
    accept: "application/json",
    ...(body === "" ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
