/** An answer of `node:http` in the form of a fetch's Response. The platform's own class would load all of fetch: 30 ms of CPU. */

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FetchResponse, ReceivedHeaders } from "../contract.ts";

/** What is read of one answer that is not a stream. A text of the platform cannot be much longer. */
export const answerBytesMax = 500 * 1024 * 1024;
/** What is read of an answer that is not a success. */
export const refusalBytesMax = 4 * 1024 * 1024;

const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export class NodeResponse implements FetchResponse {
  readonly status: number;
  readonly headers: ReceivedHeaders;
  readonly #answer: IncomingMessage;
  #body: ReadableStream<Uint8Array> | undefined;

  constructor(answer: IncomingMessage) {
    this.#answer = answer;
    this.status = answer.statusCode ?? 500;
    this.headers = headersOf(answer);
    if (bodiless.has(this.status)) answer.resume();
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (bodiless.has(this.status)) return null;
    this.#body ??= Readable.toWeb(this.#answer) as ReadableStream<Uint8Array>; // chunks of a connection are bytes
    return this.#body;
  }

  async text(): Promise<string> {
    if (bodiless.has(this.status)) return "";
    const bytesMax = this.ok ? answerBytesMax : refusalBytesMax;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.#answer) {
      chunks.push(chunk as Uint8Array); // as above
      bytes += (chunk as Uint8Array).byteLength;
      // Leaving the loop closes the connection.
      if (bytes > bytesMax) throw new Error(`the answer of the server has more than ${bytesMax} bytes`);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

export function headersOf({ headers }: Pick<IncomingMessage, "headers">): ReceivedHeaders {
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
    },
    has: (name) => headers[name.toLowerCase()] !== undefined,
  };
}
