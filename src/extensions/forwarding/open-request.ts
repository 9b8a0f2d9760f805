/** Opens a request to another server, at an address that is checked when the connection is made. */

import { type ClientRequest, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import {
  type AddressCheck,
  CallError,
  checkedLookup,
  checkedRoute,
  type Dial,
  type ResolveName,
  type TlsIdentity,
} from "../../base/https-call.ts";
import { type TrustingAgent, trusting, trustOf } from "../../base/trusting-agent.ts";

/** How long a connection to a backend may take, TLS included. */
export const connectTimeoutMsMax = 30_000;
/** How long a forwarded connection may be silent in both directions; long polls and shells are silent for hours. */
export const silenceMsMax = 4 * 3_600_000;
/** All headers of a backend's answer. */
export const answerHeaderBytesMax = 65_536;

export interface Destination {
  readonly scheme: "http" | "https";
  /** The path with its query, exactly as the other server gets it. */
  readonly path: string;
  /** The Host header. */
  readonly host: string;
  readonly dial: Dial;
  readonly tls: TlsIdentity;
  /** Checks the address of the connection. */
  readonly allows: AddressCheck;
  /** Default: the resolver of the system. */
  readonly resolve?: ResolveName | undefined;
  /** Keeps connections open for later requests. `false`: each request opens a connection. */
  readonly agent: TrustingAgent | false;
  /** Default: `connectTimeoutMsMax`. */
  readonly connectTimeoutMs?: number | undefined;
}

export function openRequest(destination: Destination, method: string, headers: OutgoingHttpHeaders): ClientRequest {
  const { scheme, path, host, tls, allows, agent, connectTimeoutMs = connectTimeoutMsMax } = destination;
  const { dial, open } = checkedRoute(allows, destination.dial);
  const { host: address, port } = destination.dial;
  if (open !== undefined && scheme === "https")
    throw new CallError("UNREACHABLE", `nothing speaks TLS at ${address} port ${port}, because its pod is simulated`);
  const serverName = tls.serverName ?? address;
  const request = (scheme === "http" ? requestHttp : requestHttps)({
    host: dial.host,
    port: dial.port,
    path,
    method,
    headers: { ...headers, host },
    // With a connection of its own it has no agent.
    ...(open === undefined
      ? { agent: agent === false && scheme === "https" ? trusting(new Agent()) : agent }
      : { createConnection: open }),
    lookup: checkedLookup(allows, dial.port, destination.resolve),
    maxHeaderSize: answerHeaderBytesMax,
    timeout: silenceMsMax,
    ...(scheme === "http"
      ? {}
      : {
          rejectUnauthorized: tls.insecure !== true,
          ...trustOf(tls),
          ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key }),
          // A server name is never an address (RFC 6066); the certificate is compared with the address then.
          servername: isIP(serverName) === 0 ? serverName : "",
        }),
  });
  request.once("timeout", () => request.destroy(new Error("the connection was silent for too long")));
  request.once("socket", (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      request.destroy(new Error(`${dial.host}:${dial.port} did not accept the connection in time`));
    }, connectTimeoutMs);
    timer.unref();
    const stop = () => clearTimeout(timer);
    socket.once(scheme === "http" ? "connect" : "secureConnect", stop).once("close", stop);
  });
  return request;
}
