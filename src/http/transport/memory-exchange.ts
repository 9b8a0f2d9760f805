/** One request inside the process as an Exchange, and `fetch` over it: the same handler chain without a socket. */

import { setMaxListeners } from "node:events";
import { createSpread } from "../../base/spread.ts";
import type { User } from "../../machinery/meta/user.ts";
import { tooLarge } from "../../machinery/status/status.ts";
import { type AnswerBody, type Exchange, type Handler, type ResponseHeaders, wholeBody } from "../contract/exchange.ts";
import type { MemoryFetch, MemoryFetchAs, MemoryFetchOptions } from "../contract/listener.ts";
import { HeaderTable } from "./header-table.ts";
import { heldWhileRead, toHeaders, wholeResponse } from "./memory-response.ts";

/** Requests of the process itself that begin in one turn of the event loop, and fewer if they take long. */
export const ownRequestsBegunMax = 64;
/** How much of the stream of a body is read: more than any limit of a server, so that it answers with 413. */
export const streamedBodyBytesMax = 16 * 1024 * 1024;
/** How many bytes of a streamed answer may wait for its reader. */
const streamBufferBytes = 65_536;

export function createMemoryFetch(handler: Handler, options: MemoryFetchOptions = {}): MemoryFetch {
  const { user, honoursCredentials = false, hold } = options;
  const fetchAs = createMemoryFetchAs(handler, { hold, honoursCredentials });
  return (input, init) => fetchAs(user, input, init);
}

export function createMemoryFetchAs(
  handler: Handler,
  { hold, honoursCredentials = false }: Omit<MemoryFetchOptions, "user"> = {},
): MemoryFetchAs {
  const fetch = fetchFrom(handler, honoursCredentials);
  if (hold === undefined) return fetch;
  return async (user, input, init) => {
    const release = hold();
    try {
      return heldWhileRead(await fetch(user, input, init), hold);
    } finally {
      release();
    }
  };
}

/** A program that sends one request after the other would never get to its timers: none of them waits for the event loop. */
function fetchFrom(handler: Handler, honoursCredentials: boolean): MemoryFetchAs {
  const spread = createSpread(ownRequestsBegunMax);
  return async (user, input, init) => {
    const request = await readRequest(input, init);
    const later = spread();
    if (later !== undefined) await later;
    request.signal?.throwIfAborted();
    const preset = honoursCredentials && hasCredential(request) ? undefined : user;
    return new Promise<Response>((resolve, reject) => {
      const exchange = new MemoryExchange(request, preset, resolve, reject);
      handler(exchange)?.catch(reject);
    });
  };
}

/** Names are at even places. */
function hasCredential({ headers }: MemoryRequest): boolean {
  return headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === "authorization");
}

interface MemoryRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly signal: AbortSignal | undefined;
}

const noBody = Buffer.alloc(0);

async function readRequest(input: string | URL | Request, init: RequestInit = {}): Promise<MemoryRequest> {
  const base = typeof input === "object" && "method" in input ? input : undefined;
  const headers: string[] = [];
  // A plain object is read directly: Headers would check and sort every name of every request.
  const given = init.headers ?? base?.headers;
  if (given !== undefined && Symbol.iterator in given)
    for (const [k, v] of given as Iterable<[string, string]>) headers.push(k, v);
  else if (given !== undefined) for (const [k, v] of Object.entries(given)) headers.push(k, String(v));
  const body = init.body ?? undefined;
  return {
    method: (init.method ?? base?.method ?? "GET").toUpperCase(),
    target: targetOf(base === undefined ? String(input) : base.url),
    headers,
    body:
      typeof body === "string"
        ? Buffer.from(body)
        : body instanceof Uint8Array
          ? Buffer.from(body.buffer, body.byteOffset, body.byteLength)
          : body !== undefined
            ? Buffer.from(await new Response(body).arrayBuffer())
            : base === undefined
              ? noBody
              : await readBody(base.body),
    signal: init.signal ?? base?.signal ?? undefined,
  };
}

/** A stream may come from the network: no more of it is read than makes the server refuse it. */
async function readBody(stream: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  if (stream === null) return noBody;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > streamedBodyBytesMax) break;
  }
  return Buffer.concat(chunks);
}

/** The path and query of a URL as text, so that nothing in it is resolved or decoded. */
function targetOf(url: string): string {
  if (url.startsWith("/")) return url;
  const authority = url.indexOf("://");
  const slash = authority < 0 ? -1 : url.indexOf("/", authority + 3);
  return slash < 0 ? "/" : url.slice(slash);
}

class MemoryExchange implements Exchange {
  readonly transport = "memory";
  readonly remoteAddress = "";
  readonly certificate = undefined;
  readonly method: string;
  readonly target: string;
  readonly presetUser: User | undefined;
  readonly #headers: HeaderTable;
  readonly #body: Buffer;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #finished: (() => void)[] = [];
  #fixedHeaders: readonly string[] = [];
  #abort: AbortController | undefined;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #onPull: (() => void) | undefined;
  #ended = false;
  status = 0;
  sentBytes = 0;
  gone = false;

  constructor(
    request: MemoryRequest,
    user: User | undefined,
    resolve: (response: Response) => void,
    reject: (reason: unknown) => void,
  ) {
    this.method = request.method;
    this.target = request.target;
    this.presetUser = user;
    this.#headers = new HeaderTable(request.headers);
    this.#body = request.body;
    this.#resolve = resolve;
    this.#reject = reject;
    const { signal } = request;
    if (signal !== undefined) {
      setMaxListeners(0, signal); // a caller may end many requests with one signal, and each removes its listener when it ends
      const leave = () => this.#leave(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      this.onFinish(() => signal.removeEventListener("abort", leave));
    }
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }
  headerValues(name: string): readonly string[] {
    return this.#headers.getAll(name);
  }
  headerNames(): readonly string[] {
    return this.#headers.names();
  }
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.gone) this.#abort.abort();
    return this.#abort.signal;
  }

  async readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer> {
    if (this.#body.length > bytesMax) throw tooLarge(`Request entity too large: limit is ${bytesMax}`);
    onBytes?.(this.#body.length);
    return this.#body;
  }
  async *body(): AsyncIterable<Buffer> {
    yield this.#body;
  }

  fixHeaders(headers: readonly string[]): void {
    this.#fixedHeaders = headers;
  }
  #allOf(headers: ResponseHeaders): ResponseHeaders {
    const fixed = this.#fixedHeaders;
    if (fixed.length === 0) return headers;
    const all = { ...headers };
    for (let at = 0; at < fixed.length; at += 2) all[fixed[at]!] = fixed[at + 1]!;
    return all;
  }

  get responded(): boolean {
    return this.status !== 0;
  }
  send(status: number, headers: ResponseHeaders, content?: AnswerBody): void {
    if (this.status !== 0) return;
    const body = content === undefined ? undefined : wholeBody(content);
    this.status = status;
    if (body !== undefined) this.sentBytes = Buffer.byteLength(body);
    this.#resolve(wholeResponse(this.method, status, this.#allOf(headers), body));
    this.#finish();
  }
  respondEvents(headers: ResponseHeaders): void {
    this.respond(200, headers);
  }
  respond(status: number, headers: ResponseHeaders): void {
    if (this.status !== 0) return;
    this.status = status;
    if (this.method === "HEAD") {
      this.#resolve(new Response(null, { status, headers: toHeaders(this.#allOf(headers)) }));
      return; // what is written is dropped, as on a socket
    }
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => {
          this.#onPull?.();
          this.#onPull = undefined;
        },
        cancel: (reason) => this.#leave(reason),
      },
      { highWaterMark: streamBufferBytes, size: (chunk) => chunk.byteLength },
    );
    this.#resolve(new Response(stream, { status, headers: toHeaders(this.#allOf(headers)) }));
  }
  write(chunk: Buffer): boolean {
    if (this.#ended || this.#stream === undefined) return false;
    this.sentBytes += chunk.length;
    this.#stream.enqueue(chunk);
    return (this.#stream.desiredSize ?? 0) > 0;
  }
  get bufferedBytes(): number {
    return this.#ended || this.#stream === undefined ? 0 : streamBufferBytes - (this.#stream.desiredSize ?? 0);
  }
  drained(): Promise<void> {
    if (this.#ended || this.#stream === undefined || (this.#stream.desiredSize ?? 1) > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const before = this.#onPull;
      this.#onPull = () => {
        before?.();
        resolve();
      };
    });
  }
  end(): void {
    if (this.#ended) return;
    this.#stream?.close();
    this.#finish();
  }
  closeAfter(): void {}
  destroy(): void {
    this.#leave(new Error("the connection was broken off"));
  }
  onFinish(callback: () => void): void {
    if (this.#ended) callback();
    else this.#finished.push(callback);
  }

  #leave(reason: unknown): void {
    if (this.#ended) return;
    this.gone = true;
    if (this.status === 0) this.#reject(reason);
    try {
      this.#stream?.error(reason);
    } catch {
      // The reader has cancelled the stream already.
    }
    this.#abort?.abort();
    this.#finish();
  }
  #finish(): void {
    this.#ended = true;
    this.#onPull?.();
    for (const callback of this.#finished.splice(0)) callback();
  }
}
