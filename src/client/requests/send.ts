/** One request and its answer: JSON both ways, refusals as StatusErrors, retries when the server asks for them. */

import { type Clock, sleep } from "../../base/clock.ts";
import { atOnceBytesMax, beforeLongStep } from "../../base/time-slice.ts";
import type { Fetch, FetchResponse } from "../contract.ts";
import { type RequestQuery, withQuery } from "./address.ts";
import type { ObserveRequest } from "./metrics.ts";
import { readRefusal, UnexpectedAnswer } from "./refusals.ts";

export interface Sender {
  readonly codec: JsonCodec;
  /** The parsed body of the answer, which must be JSON. */
  json(path: string, request?: JsonRequest): Promise<unknown>;
  /** The same, with the status of the answer. */
  answer(path: string, request?: JsonRequest): Promise<{ readonly status: number; readonly body: unknown }>;
  /** The answer as it comes, for streams. Anything but success is a StatusError. */
  open(path: string, request?: JsonRequest): Promise<FetchResponse>;
}

export interface JsonRequest {
  readonly method?: string;
  readonly query?: RequestQuery | undefined;
  /** A text is sent as it is, any other value as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Which statuses are answers; default: those of success, 2xx. */
  readonly accepts?: ((status: number) => boolean) | undefined;
}

/** The name of a program and its version; a program that learns its version later gives a function. */
export type UserAgent = string | (() => string);

interface SenderOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Field managers are named after its part before the first slash. */
  readonly userAgent: UserAgent;
  /** Absent: requests are not counted. */
  readonly observe?: ObserveRequest | undefined;
  /** Called before each request with the headers that it will have, without credentials. */
  readonly beforeSend?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
  /** Called for each warning of the server, once for each text. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Default: JSON as the platform reads and writes it, where large integers lose digits. */
  readonly codec?: JsonCodec | undefined;
  /** Ends all requests. */
  readonly signal?: AbortSignal | undefined;
  /** How long an answer may take; streams have no such limit. Absent: none. */
  readonly requestTimeoutMs?: number | undefined;
  /** Whether a GET whose connection was reset is sent again, as clients in Go do. Default: false. */
  readonly retriesResets?: boolean | undefined;
}

export interface JsonCodec {
  parse(text: string): unknown;
  stringify(value: unknown): string;
}

/** How often a request is retried after a Retry-After of the server, or after its connection was reset. */
const requestRetriesMax = 10;
const resetWaitMs = 1_000;

export function createSender(options: SenderOptions): Sender {
  const { clock, warn } = options;
  const codec = options.codec ?? JSON;
  const ask = options.observe === undefined ? options.fetch : observed(options.fetch, clock, options.observe);
  const warned = new Set<string>();
  const open: Sender["open"] = async (path, request = {}) => {
    const target = request.query === undefined ? path : withQuery(path, request.query);
    const signal = eitherSignal(options.signal, request.signal);
    // Bodies and answers of controllers are whole objects.
    const turn = typeof request.body === "object" ? beforeLongStep() : undefined;
    if (turn !== undefined) await turn;
    const init = initOf(request, options, codec, signal);
    for (let tries = 0; ; tries++) {
      const response = await ask(target, init).catch((error: unknown) => {
        const isRepeatable = options.retriesResets === true && init.method === "GET" && tries < requestRetriesMax;
        if (!isRepeatable || !isReset(error) || signal?.aborted) throw error;
      });
      if (response === undefined) {
        await sleep(clock, resetWaitMs, signal);
        continue;
      }
      if (warn !== undefined) tellWarnings(response, warned, warn);
      if (request.accepts?.(response.status) ?? response.ok) return response;
      const error = await readRefusal(response);
      const waitMs = retryAfterMs(response);
      if (waitMs === undefined || tries >= requestRetriesMax) throw error;
      await sleep(clock, waitMs, signal);
    }
  };
  const whole = async (path: string, request: JsonRequest) => {
    const limit = timeLimit(request, path, options.requestTimeoutMs);
    try {
      const response = await open(path, limit.request);
      return { response, text: await response.text() };
    } catch (error) {
      // Node tells of an abort, and why in its cause.
      throw limit.request.signal?.reason?.name === "TimeoutError" ? limit.request.signal.reason : error;
    } finally {
      limit.end();
    }
  };
  const answer: Sender["answer"] = async (path, request = {}) => {
    const { response, text } = await whole(path, request);
    if (text.length > atOnceBytesMax) await beforeLongStep();
    try {
      return { status: response.status, body: codec.parse(text) };
    } catch (error) {
      throw new UnexpectedAnswer(`${request.method ?? "GET"} ${path}`, "JSON", text, error);
    }
  };
  return { codec, open, answer, json: async (path, request) => (await answer(path, request)).body };
}

function observed(fetch: Fetch, clock: Clock, observe: ObserveRequest): Fetch {
  return async (path, init) => {
    const beganMs = clock.monotonic();
    const note = (code: number | undefined) => observe(init?.method ?? "GET", path, code, clock.monotonic() - beganMs);
    try {
      const response = await fetch(path, init);
      note(response.status);
      return response;
    } catch (error) {
      note(undefined);
      throw error;
    }
  };
}

function initOf(
  request: JsonRequest,
  { userAgent, beforeSend }: SenderOptions,
  codec: JsonCodec,
  signal: AbortSignal | undefined,
): RequestInit {
  const { method, body, contentType, accept } = request;
  const headers = {
    accept: accept ?? "application/json",
    "user-agent": typeof userAgent === "string" ? userAgent : userAgent(),
    ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
    ...request.headers,
  };
  beforeSend?.(headers);
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : codec.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
}

/** What ends a request that takes too long, with an error that says which request it was. */
function timeLimit(request: JsonRequest, path: string, timeoutMs: number | undefined) {
  if (timeoutMs === undefined) return { request, end: () => undefined };
  const late = new AbortController();
  const about = `${request.method ?? (request.body === undefined ? "GET" : "POST")} ${path}`;
  const timer = setTimeout(
    () => late.abort(new DOMException(`${about} was not answered within ${timeoutMs} ms`, "TimeoutError")),
    timeoutMs,
  );
  return { request: { ...request, signal: eitherSignal(request.signal, late.signal) }, end: () => clearTimeout(timer) };
}

/** Node's code for a connection that the other side has ended, before or within the answer. */
const isReset = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

function eitherSignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** `299 - "text", 299 - "text"`. */
function tellWarnings(response: FetchResponse, warned: Set<string>, warn: (message: string) => void): void {
  const header = response.headers.get("warning") ?? "";
  for (const [, quoted = ""] of header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
    const message = quoted.replaceAll(/\\(.)/g, "$1");
    if (warned.has(message)) continue;
    warned.add(message);
    warn(message);
  }
}

/** As clients of v1.21: only 429 and server errors with Retry-After are retried. */
function retryAfterMs(response: FetchResponse): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

export { hasReason, ifThere, isNamespaceTerminating, statusError } from "./refusals.ts";
