/** HTTPS to one server as one user, in the form of `fetch`: kept connections, credentials added, nothing retried but a 401 of a plugin. */

import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { trusting, trustOf } from "../../base/trusting-agent.ts";
import type { Fetch } from "../contract.ts";
import type { Upgrade, Upgraded, UpgradeRequest } from "../streams/contract.ts";
import type { ClientAccess } from "./access.ts";
import { type PluginCredential, PluginCredentials, type PluginSurroundings } from "./exec-plugin.ts";
import { CredentialsError } from "./file.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { nodeHttp, nodeHttps } from "./node-http.ts";
import { headersOf, NodeResponse } from "./node-response.ts";
import { throughProxy } from "./proxy.ts";
import { checkedToken } from "./token.ts";

export interface Transport {
  readonly fetch: Fetch;
  /** A separate connection, with the same credentials; after a 401 it is retried with new ones. */
  readonly upgrade: Upgrade;
  /** Closes idle connections. */
  close(): void;
}

export interface TransportOptions extends PluginSurroundings {
  readonly userAgent: string;
  /** 0: no limit. Watches end with it as well. */
  readonly requestTimeoutMs: number;
}

export function openTransport(access: ClientAccess, options: TransportOptions): Transport {
  const plugin = access.exec === undefined ? undefined : new PluginCredentials(access.exec, options);
  const connections = new Connections(access);
  const outgoing = (given: RequestInit["headers"], credential: PluginCredential | undefined) => {
    const headers: OutgoingHeaders = { "user-agent": options.userAgent };
    for (const [name, value] of entriesOf(given))
      headers[name.toLowerCase()] = typeof value === "string" ? value : [...value];
    addIdentity(headers, access, credential);
    return headers;
  };
  // Waiting for a plugin counts as waiting for the answer.
  const withCredential = async <Answer>(
    given: AbortSignal | null | undefined,
    send: (credential: PluginCredential | undefined) => Promise<Answer>,
  ) => {
    const waiting = plugin === undefined ? undefined : waitingSignal(given, options.requestTimeoutMs);
    const credential = await plugin?.get(waiting).catch(tooLate);
    const answer = await send(credential);
    const isRefused = answer instanceof NodeResponse && answer.status === 401;
    if (!isRefused || plugin === undefined || credential === undefined) return answer;
    await plugin.refuse(credential);
    await answer.body?.cancel();
    return send(await plugin.get(waiting).catch(tooLate));
  };
  const timeoutMs = options.requestTimeoutMs;
  return {
    fetch: (path, init = {}) =>
      withCredential(init.signal, (credential) => {
        const headers = outgoing(init.headers, credential);
        return sendOnce(connections, { access, path, init, headers, credential, timeoutMs });
      }),
    upgrade: (path, request) =>
      withCredential(request.signal, (credential) => {
        const headers = outgoing(request.headers, credential);
        return upgradeOnce(connections, request, { access, path, init: {}, headers, credential, timeoutMs });
      }),
    close: () => connections.close(),
  };
}

function tooLate(error: unknown): never {
  if (!(error instanceof DOMException && error.name === "TimeoutError")) throw error;
  throw new CredentialsError("the credential plugin did not end within the request timeout", error);
}

function waitingSignal(given: AbortSignal | null | undefined, timeoutMs: number): AbortSignal | undefined {
  const timeout = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined;
  const signals = [given, timeout].filter((signal) => signal !== undefined && signal !== null);
  return signals.length === 0 ? undefined : AbortSignal.any(signals);
}

type OutgoingHeaders = Record<string, string | string[]>;

/** The platform's class would do this, but loading it takes longer than most requests. */
function entriesOf(given: RequestInit["headers"]): Iterable<readonly [string, string | readonly string[]]> {
  if (given === undefined) return [];
  // A pair of a list of pairs has a name and a value.
  return Symbol.iterator in given ? (given as Iterable<[string, string]>) : Object.entries(given);
}

/** One agent for each client certificate: a rotated one needs a new handshake. */
class Connections {
  readonly #access: ClientAccess;
  #agent: HttpAgent | HttpsAgent | undefined;
  #certificate = "";

  constructor(access: ClientAccess) {
    this.#access = access;
  }

  agent(credential: PluginCredential | undefined): HttpAgent | HttpsAgent {
    const certificate = credential?.certificate ?? "";
    if (this.#agent !== undefined && certificate === this.#certificate) return this.#agent;
    this.close();
    this.#certificate = certificate;
    const { tls, server, proxy } = this.#access;
    const isTls = !server.startsWith("http:");
    const plain = isTls
      ? new (nodeHttps().Agent)({
          keepAlive: true,
          rejectUnauthorized: tls.insecure !== true,
          ...trustOf(tls),
          ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key }),
          ...(credential === undefined || certificate === "" ? {} : { cert: certificate, key: credential.key }),
          ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
        })
      : // A tunnel is not a socket of Node, which is what it keeps.
        new (nodeHttp("http:").Agent)({ keepAlive: proxy === undefined });
    const placed = proxy === undefined ? plain : throughProxy(plain, proxy, isTls);
    this.#agent = isTls ? trusting(placed as HttpsAgent) : placed; // as it was made above
    return this.#agent;
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }
}

function addIdentity(headers: OutgoingHeaders, access: ClientAccess, credential: PluginCredential | undefined): void {
  const token = credential?.token
    ? checkedToken(credential.token, "what the credential plugin printed")
    : access.token?.();
  if (token) headers["authorization"] = `Bearer ${token}`;
  else if (access.basic !== undefined) {
    const { username, password } = access.basic;
    headers["authorization"] = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  }
  if (access.impersonate !== undefined) Object.assign(headers, impersonationHeaders(access.impersonate));
}

interface Sending {
  readonly access: ClientAccess;
  readonly path: string;
  readonly init: RequestInit;
  readonly headers: OutgoingHeaders;
  readonly credential: PluginCredential | undefined;
  readonly timeoutMs: number;
}

function sendOnce(connections: Connections, sending: Sending): Promise<NodeResponse> {
  const { access, path, init, headers, credential, timeoutMs } = sending;
  const target = new URL(access.server + path);
  const { request } = nodeHttp(target.protocol);
  const timeout = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined;
  const signals = [init.signal, timeout].filter((signal) => signal !== undefined && signal !== null);
  return new Promise((resolve, reject) => {
    const { body } = init;
    // Node sends the body of a DELETE without a length unless the header is set.
    if (typeof body === "string" || body instanceof Uint8Array)
      headers["content-length"] = String(Buffer.byteLength(body));
    const call = request(target, {
      method: init.method ?? "GET",
      headers,
      agent: connections.agent(credential),
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
    });
    call.on("error", reject);
    call.on("response", (answer) => {
      // Node would say of an answer that has begun only that it was aborted.
      const end = () => answer.destroy(late("ECONNRESET"));
      timeout?.addEventListener("abort", end, { once: true });
      answer.once("close", () => timeout?.removeEventListener("abort", end));
      resolve(new NodeResponse(answer));
    });
    if (body === undefined || body === null) call.end();
    else if (typeof body === "string" || body instanceof Uint8Array) call.end(body);
    else reject(new TypeError("a body must be a text or bytes"));
  });
}

/** With Node's codes: ABORT_ERR before an answer, ECONNRESET within it. */
const late = (code: "ABORT_ERR" | "ECONNRESET"): Error =>
  Object.assign(new Error("aborted", { cause: new DOMException("the request timed out", "TimeoutError") }), { code });

/** The timeout applies to the answer only: the stream after it has none. */
function upgradeOnce(
  connections: Connections,
  asked: UpgradeRequest,
  sending: Sending,
): Promise<Upgraded | NodeResponse> {
  const { access, path, headers, credential, timeoutMs } = sending;
  const target = new URL(access.server + path);
  const { request } = nodeHttp(target.protocol);
  return new Promise((resolve, reject) => {
    const call = request(target, {
      method: asked.method,
      headers,
      agent: connections.agent(credential),
    });
    const stop = () => call.destroy(new Error("the request was ended before the server answered"));
    const timer = timeoutMs > 0 ? setTimeout(() => call.destroy(late("ABORT_ERR")), timeoutMs) : undefined;
    const settled = () => {
      clearTimeout(timer);
      asked.signal?.removeEventListener("abort", stop);
    };
    if (asked.signal?.aborted) stop();
    asked.signal?.addEventListener("abort", stop, { once: true });
    call.on("error", (error) => {
      settled();
      reject(error);
    });
    call.on("response", (answer) => {
      settled();
      resolve(new NodeResponse(answer));
    });
    call.on("upgrade", (answer, socket, head) => {
      settled();
      // Another protocol has its own flow control.
      socket.setTimeout(0);
      socket.setNoDelay(true);
      resolve({ socket, head, headers: headersOf(answer) });
    });
    call.end();
  });
}
