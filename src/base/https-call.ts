/** One HTTPS request with a bounded answer: it follows no redirects, uses no proxies and has a deadline. */

import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { setMaxListeners } from "node:events";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { gunzip } from "node:zlib";
import { type TrustingAgent, trusting, trustOf } from "./trusting-agent.ts";

export interface TlsIdentity {
  /** PEM of the server's certificate, or of the authorities that may have issued it; absent: the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name its certificate must have, if it differs from the host. */
  readonly serverName?: string;
  /** Accept any certificate. */
  readonly insecure?: boolean;
}

interface CallOptions {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls: TlsIdentity;
  readonly timeoutMs: number;
  /** The limit for the answer as sent, and again for the decompressed answer. */
  readonly answerBytesMax: number;
  readonly signal?: AbortSignal;
  /** The agent whose connections are used and kept open. Default: a new connection, closed after the answer. */
  readonly agent?: TrustingAgent;
  /** Where to connect to, if it differs from the URL. */
  readonly dial?: Dial;
  /** Whether a connection to this address is allowed. The checked address is the one that is used. Default: all are. */
  readonly allows?: AddressCheck;
}

export interface Dial {
  /** A name or an IP address. */
  readonly host: string;
  readonly port: number;
}

/** All addresses of a name, as dns.lookup finds them. */
export type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type AddressCheck = (address: string, port: number) => AddressVerdict;

/** Whether the connection may be made; or why nothing is there, or what is used in its place. */
export type AddressVerdict =
  | boolean
  | { readonly refuse: string }
  | { readonly dial: Dial }
  /** Something in this process answers, without a network. */
  | { open(): Duplex };

export interface CallAnswer {
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly contentType: string;
  /** "": none. */
  readonly etag: string;
  readonly bytes: Buffer;
  /** The bytes as text. */
  readonly body: string;
}

/** A call that got no answer: `code` says why, and the message contains no part of the request. */
export class CallError extends Error {
  readonly code: "TIMEOUT" | "TOO_LARGE" | "UNREACHABLE" | "FORBIDDEN" | "UNREADABLE";
  constructor(code: CallError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "CallError";
    this.code = code;
  }
}

/** Resolves with any status, including redirects; rejects with CallError. */
export async function httpsCall(options: CallOptions): Promise<CallAnswer> {
  const { timeoutMs, signal } = options;
  // Combined signals would be kept, with their timers, as long as any one of them lives.
  const end = new AbortController();
  const leave = () => end.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end.abort();
  }, timeoutMs);
  timer.unref();
  if (signal !== undefined) {
    if (signal.aborted) leave();
    setMaxListeners(0, signal); // one request may make many calls, and each call removes its listener when it ends
    signal.addEventListener("abort", leave, { once: true });
  }
  try {
    return await sendOnce(options, end.signal);
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw isLate ? new CallError("TIMEOUT", `no answer within ${timeoutMs} ms`, error) : unreachable(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

/** The server may close an idle connection at the very moment it is reused; then another one is opened. */
async function sendOnce(options: CallOptions, signal: AbortSignal): Promise<CallAnswer> {
  try {
    return await send(options, signal);
  } catch (error) {
    if (!(error instanceof StaleConnection) || signal.aborted) throw error;
    return await send(options, signal);
  }
}

const unreachable = (cause: unknown) => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return new CallError("UNREACHABLE", `the call did not come through${code === "" ? "" : ` (${code})`}`, cause);
};

class StaleConnection extends Error {}

const defaultUserAgent = "orch";

function send(options: CallOptions, signal: AbortSignal): Promise<CallAnswer> {
  const { body, tls, answerBytesMax } = options;
  const target = new URL(options.url);
  const asked: Dial = options.dial ?? {
    host: target.hostname.replace(/^\[|\]$/g, ""),
    port: Number(target.port || (target.protocol === "http:" ? 80 : 443)),
  };
  const { allows } = options;
  const { host, port } = allows === undefined ? asked : checkedRoute(allows, asked).dial;
  const request = target.protocol === "http:" ? requestHttp : requestHttps;
  const parts: RequestOptions & { [option: string]: unknown } = {
    host,
    port,
    path: `${target.pathname}${target.search}`,
    method: options.method,
    headers: {
      host: target.host,
      "user-agent": defaultUserAgent,
      ...options.headers,
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    },
    signal,
    // Without an agent no connection outlives its request, so that closing a server leaves nothing behind.
    agent: options.agent ?? (target.protocol === "http:" ? false : trusting(new Agent())),
    rejectUnauthorized: tls.insecure !== true,
    ...(allows === undefined ? {} : { lookup: checkedLookup(allows, port) }),
    ...trustOf(tls),
    ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  };
  return new Promise((resolve, reject) => {
    const call = request(parts);
    let answered = false;
    call.on("error", (error) => {
      const stale = !answered && call.reusedSocket && "code" in error && error.code === "ECONNRESET";
      reject(stale ? new StaleConnection("", { cause: error }) : error);
    });
    call.on("response", (response) => {
      answered = true;
      readAnswer(response, answerBytesMax).then(resolve, (error: unknown) => {
        reject(error);
        call.destroy();
      });
    });
    call.end(body);
  });
}

async function readAnswer(response: IncomingMessage, bytesMax: number): Promise<CallAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  const bytes = await unpack(Buffer.concat(chunks), response.headers["content-encoding"] ?? "", bytesMax);
  return {
    status: response.statusCode ?? 0,
    contentType: (response.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase(),
    etag: response.headers.etag ?? "",
    bytes,
    get body() {
      return bytes.toString("utf8");
    },
  };
}

const tooLarge = (bytesMax: number) => new CallError("TOO_LARGE", `the answer is larger than ${bytesMax} bytes`);

/** We do not ask for compression, but a proxy in between may compress the answer. */
function unpack(bytes: Buffer, encoding: string, bytesMax: number): Promise<Buffer> {
  if (encoding === "" || encoding === "identity") return Promise.resolve(bytes);
  if (encoding !== "gzip")
    return Promise.reject(new CallError("UNREADABLE", "the answer is compressed in an unknown way"));
  return new Promise((resolve, reject) =>
    gunzip(bytes, { maxOutputLength: bytesMax }, (error, unpacked) => {
      if (error === null) resolve(unpacked);
      else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") reject(tooLarge(bytesMax));
      else reject(new CallError("UNREADABLE", "the answer is compressed, and broken", error));
    }),
  );
}

/** What an operator of the server can do about it; the proxy, which has a flag of its own, has words of its own. */
const forbiddenAddress = (host: string, port: number) =>
  new CallError(
    "FORBIDDEN",
    `address not allowed: this server does not connect to ${host} port ${port}; one on this machine or on its link needs a server with --webhook-local-targets=allow (and for workspaces --workspace-local-targets=allow), and its own port is never called`,
  );

/** Where a connection to this address leads. A name leads to itself: its addresses are checked when it is resolved. */
export function checkedRoute(allows: AddressCheck, dial: Dial): { readonly dial: Dial; readonly open?: () => Duplex } {
  const verdict = isIP(dial.host) === 0 || allows(dial.host, dial.port);
  if (verdict === true) return { dial };
  if (verdict === false) throw forbiddenAddress(dial.host, dial.port);
  if ("refuse" in verdict) throw new CallError("UNREACHABLE", verdict.refuse);
  return "dial" in verdict ? verdict : { dial, open: () => verdict.open() };
}

/** Returns only addresses that passed the check, so that a name cannot resolve differently between check and use. */
export function checkedLookup(allows: AddressCheck, port: number, resolve: ResolveName = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "", 0);
      const allowed = found.filter(({ address }) => allows(address, port) === true);
      const [first] = allowed;
      if (first === undefined) return callback(forbiddenAddress(hostname, port), "", 0);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
