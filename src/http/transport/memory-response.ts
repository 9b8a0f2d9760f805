/** A whole answer as a Response whose headers and stream are made only if the caller reads them: most read the text alone. */

import type { ResponseHeaders } from "../contract/exchange.ts";
import { sendableStatus } from "./sendable-status.ts";

/** Status codes whose answers must not have a body (the Response constructor checks it). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

const utf8 = new TextDecoder();

/** `body` undefined: the answer has none. */
export function wholeResponse(
  method: string,
  status: number,
  headers: ResponseHeaders,
  body: Buffer | string | undefined,
): Response {
  const isShown = body !== undefined && method !== "HEAD" && !bodiless.has(status);
  if (isShown) {
    if (Object.getPrototypeOf(WholeResponse.prototype) === Object.prototype)
      Object.setPrototypeOf(WholeResponse.prototype, Response.prototype);
    return new WholeResponse(status, headers, body);
  }
  return new Response(null, { status: sendableStatus(status), headers: toHeaders(headers, body) });
}

/**
 * Not made by the constructor of Response, which converts and checks for longer than many requests take; `instanceof` finds it all the same.
 * Node loads Response when it is first named, which takes a tenth of a start: a server that only listens does not.
 */
class WholeResponse implements Response {
  readonly status: number;
  readonly ok: boolean;
  readonly statusText = "";
  readonly type = "default";
  readonly url = "";
  readonly redirected = false;
  readonly #given: ResponseHeaders;
  readonly #content: Buffer | string;
  #isRead = false;
  #headers: Headers | undefined;
  #streamed: Response | undefined;

  constructor(status: number, headers: ResponseHeaders, content: Buffer | string) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.#given = headers;
    this.#content = content;
  }

  get headers(): Headers {
    this.#headers ??= toHeaders(this.#given, this.#content);
    return this.#headers;
  }
  get body(): Response["body"] {
    return this.#asStream().body;
  }
  get bodyUsed(): boolean {
    return this.#isRead || this.#streamed?.bodyUsed === true;
  }

  async text(): Promise<string> {
    if (this.#isRead || this.#streamed !== undefined) return this.#asStream().text();
    this.#isRead = true;
    const content = this.#content;
    return typeof content === "string" ? content : utf8.decode(content);
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#asStream().arrayBuffer();
  }
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.arrayBuffer());
  }
  blob(): Promise<Blob> {
    return this.#asStream().blob();
  }
  formData(): Promise<FormData> {
    return this.#asStream().formData();
  }
  clone(): Response {
    return this.#asStream().clone();
  }

  /** Once the text has been read this is a Response that has been read, and refuses to be read again as any other does. */
  #asStream(): Response {
    if (this.#streamed === undefined) {
      const { status, headers } = this;
      this.#streamed = new Response(this.#content, { status: sendableStatus(status), headers });
      if (this.#isRead) void this.#streamed.text();
    }
    return this.#streamed;
  }
}

export function toHeaders(headers: ResponseHeaders, content?: Buffer | string): Headers {
  const all = new Headers();
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === "object") for (const one of value) all.append(name, one);
    else all.set(name, String(value));
  }
  if (content !== undefined) all.set("content-length", String(Buffer.byteLength(content)));
  return all;
}

/** Calls `hold` whenever a reader begins to wait for the next part of a streamed answer. */
export function heldWhileRead(response: Response, hold: () => () => void): Response {
  if (response instanceof WholeResponse || response.body === null) return response;
  const reader = response.body.getReader();
  const held = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const release = hold();
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } finally {
          release();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 }, // so that it is pulled only while a reader waits
  );
  const { status, headers } = response;
  return new Response(held, { status: sendableStatus(status), headers });
}
