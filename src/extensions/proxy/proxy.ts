/** Forwards requests to pods, services and nodes: for their subresource `proxy`, and to the agents of nodes on behalf of pods. */

import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type AddressCheck, CallError, type Dial, type ResolveName, type TlsIdentity } from "../../base/https-call.ts";
import type { Log } from "../../base/log.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { BackendProxy, ProxiedRequest, RequestFacts } from "../../http/contract/routes.ts";
import { badRequest, StatusError, serviceUnavailable, tooManyRequests } from "../../machinery/status/status.ts";
import type { Backend } from "../../registry/contract/action.ts";
import { forward } from "../forwarding/forward.ts";
import { clientHeaders } from "../forwarding/headers.ts";
import type { Destination } from "../forwarding/open-request.ts";
import { forwardUpgrade } from "../forwarding/upgrade.ts";
import { callAgent } from "./call-agent.ts";
import { shapeAnswer } from "./shape-answer.ts";

/** Proxied requests at once, and to one address and port: one slow backend must not use up the limit of all others. */
export const proxiedMax = 1_000;
export const proxiedPerBackendMax = 250;
/** Proxied requests of one user at once, executed commands and followed logs included: fewer than a backend takes, so that others reach it too. */
export const proxiedPerUserMax = 200;

export interface ProxyOptions {
  /** Whether a connection to this address is allowed. */
  readonly allows: AddressCheck;
  /** Default: the resolver of the system. */
  readonly resolve?: ResolveName | undefined;
  /** Authorities (PEM) of the certificates of pods and services. Absent: those of the system. */
  readonly ca?: string | undefined;
  /** Accept every certificate, as v1.21 does. */
  readonly anyCertificate?: boolean | undefined;
  readonly nodeAgents?: NodeAgentsTls | undefined;
  /** Aborts when the server stops. */
  readonly ending: AbortSignal;
  readonly log: Log;
}

interface NodeAgentsTls {
  /** Authorities (PEM) of the certificates of node agents. Absent: those of the system. */
  readonly ca?: string | undefined;
  /** The certificate by which node agents recognize this server. */
  readonly identity?: { readonly cert: string; readonly key: string } | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** Agents of nodes that run in this process. Absent: there are none. */
  readonly own?: OwnAgents | undefined;
}

/** Agents in the process of the server. Their nodes have addresses that no network has. */
interface OwnAgents {
  /** Whether the node with this name or address is here. */
  has(host: string): boolean;
  /** Where the agent of the node with this address listens, and how both sides know each other; undefined: it is not here. */
  find(host: string): Promise<OwnAgent> | undefined;
}

interface OwnAgent {
  readonly dial: Dial;
  readonly tls: TlsIdentity;
  /** Opens a connection within the process, for requests that are not streams. */
  open(): Duplex;
}

export function createProxy(options: ProxyOptions): BackendProxy {
  const { ending, log } = options;
  const ofBackends = new Shares(proxiedPerBackendMax);
  const ofUsers = new Shares(proxiedPerUserMax);
  let total = 0;
  return {
    async handle(exchange, facts, to) {
      const { backend } = to;
      const key = `${backend.host} ${backend.port}`;
      const { name } = facts.user;
      if (ofUsers.isFull(name))
        throw tooManyRequests(
          `user "${name}" has ${proxiedPerUserMax} proxied requests and streams of pods in progress, more are not allowed`,
          1,
        );
      if (total >= proxiedMax || ofBackends.isFull(key))
        throw tooManyRequests("too many proxied requests are in progress, please try again later", 1);
      total++;
      ofBackends.add(key, 1);
      ofUsers.add(name, 1);
      try {
        const destination = await destinationOf(options, exchange, to);
        if (backend.agentCall === undefined) await pass(exchange, facts, to, destination, ending);
        else await callAgent(exchange, facts, { agentCall: backend.agentCall, destination, ending });
      } catch (error) {
        if (exchange.gone || exchange.responded) return;
        const status = statusOf(error);
        const { host, port } = backend;
        log.info("a proxied request failed", { host, port, reason: status.message, auditId: facts.auditId });
        throw status;
      } finally {
        total--;
        ofBackends.add(key, -1);
        ofUsers.add(name, -1);
      }
    },
  };
}

/** How many requests are in progress for each key. */
class Shares {
  readonly #counts = new Map<string, number>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  isFull(key: string): boolean {
    return (this.#counts.get(key) ?? 0) >= this.#max;
  }

  add(key: string, change: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

async function pass(
  exchange: Exchange,
  facts: RequestFacts,
  { backend, prefix, path, query }: ProxiedRequest,
  destination: Destination,
  ending: AbortSignal,
): Promise<void> {
  const headers = { ...clientHeaders(exchange, facts), "x-forwarded-uri": `${prefix}${path}` };
  const { upgrade } = exchange;
  if (upgrade !== undefined) return await forwardUpgrade(exchange, upgrade, { destination, headers, ending });
  if (path === "" && (exchange.method === "GET" || exchange.method === "HEAD")) {
    // Relative links of the page would be resolved against the wrong folder otherwise.
    return exchange.send(301, { "audit-id": facts.auditId, location: `${prefix}/${query}` });
  }
  const host = backend.host.includes(":") ? `[${backend.host}]` : backend.host;
  const links = { prefix, requestHost: destination.host, backendHost: `${host}:${backend.port}` };
  await forward(exchange, {
    destination,
    headers,
    shape: (_, given) => shapeAnswer(given, facts.auditId, links),
  });
}

async function destinationOf(
  options: ProxyOptions,
  exchange: Exchange,
  { backend, path, query }: ProxiedRequest,
): Promise<Destination> {
  const { host, port } = backend;
  const agents = options.nodeAgents?.own;
  const own = backend.isNodeAgent ? await agents?.find(host) : undefined;
  // Its name means no machine, or another one. Addresses are looked at when the connection is made.
  if (!backend.isNodeAgent && isIP(host) === 0 && agents?.has(host))
    throw new CallError("UNREACHABLE", `${host} is a simulated node, and only its agent answers`);
  const isText = own !== undefined && backend.agentCall?.answer === "text";
  return {
    scheme: isText ? "http" : backend.scheme,
    path: backend.agentCall?.target ?? `${path === "" ? "/" : path}${query}`,
    // As in v1.21 the backend sees the name under which the client knows this server.
    host: exchange.header("host") ?? exchange.header(":authority") ?? `${host}:${port}`,
    dial: own?.dial ?? { host, port },
    tls: own?.tls ?? tlsOf(options, backend),
    // The object may have changed since it was read, or while its name was resolved.
    allows(address, dialled) {
      if (!backend.isCurrent()) return false;
      if (isText) return { open: () => own.open() };
      return own !== undefined || options.allows(address, dialled);
    },
    resolve: options.resolve,
    agent: false,
    connectTimeoutMs: backend.isNodeAgent ? options.nodeAgents?.connectTimeoutMs : undefined,
  };
}

function tlsOf({ ca, anyCertificate, nodeAgents }: ProxyOptions, backend: Backend): TlsIdentity {
  const authority = backend.isNodeAgent ? nodeAgents?.ca : ca;
  return {
    serverName: backend.serverName,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(backend.anyCertificate || anyCertificate === true ? { insecure: true } : {}),
    ...(backend.isNodeAgent ? nodeAgents?.identity : {}),
  };
}

/** Codes of Node for a certificate that is not accepted. */
const certificateProblem = /^(CERT_|ERR_TLS_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** The reference's words, and what an operator of the server can do about it. */
const notAllowed =
  "address not allowed: one on this machine or on its link needs a server with --proxy-local-targets=allow (a workspace reaches none)";

function statusOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof CallError && error.code === "FORBIDDEN") return badRequest(notAllowed, error);
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const told = `error trying to reach service: ${message}`;
  if (certificateProblem.test(code)) return new StatusError(undefined, told, { code: 502, cause: error });
  return serviceUnavailable(told, error);
}
