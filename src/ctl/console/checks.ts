/** What a request to the console must have before it is forwarded with the user's credentials. */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The page sends the secret of its link in this header: no other page can, because nothing allows it across origins. */
const secretHeader = "x-console-secret";

export interface RequestRefusal {
  readonly status: number;
  readonly message: string;
}

/** Whether a request names this console. A page of another host whose name leads to the loopback address names that host. */
export function refuseForeign(headers: IncomingHttpHeaders, port: number): RequestRefusal | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? ""))
    return { status: 403, message: "the Host header does not name this console" };
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return { status: 403, message: "the request comes from a page of another origin" };
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return { status: 403, message: "the request comes from a page of another site" };
  return undefined;
}

export function refuseWithoutSecret(headers: IncomingHttpHeaders, secret: string): RequestRefusal | undefined {
  const given = headers[secretHeader];
  if (typeof given === "string" && timingSafeEqual(digest(given), digest(secret))) return undefined;
  return { status: 401, message: "open the link that the command has printed" };
}

/** What the page offers as the protocol of its WebSocket, and what is chosen. */
export const streamProtocol = "stream.console";
/** A page cannot add headers to a WebSocket. What it offers as a further protocol is in no address and in no log. */
const secretProtocol = "secret.";

/** Whether a WebSocket comes from the page of this console: browsers always name the origin of one. */
export function refuseSocket(
  headers: IncomingHttpHeaders,
  { port, secret }: { readonly port: number; readonly secret: string },
): RequestRefusal | undefined {
  if (headers.origin === undefined) return { status: 403, message: "the request names no origin" };
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const given = offered.find((one) => one.startsWith(secretProtocol))?.slice(secretProtocol.length);
  const asHeaders = given === undefined ? {} : { [secretHeader]: given };
  const isWebSocket = headers.upgrade?.toLowerCase() === "websocket" && headers["sec-websocket-version"] === "13";
  const isOurs = offered.includes(streamProtocol) && typeof headers["sec-websocket-key"] === "string";
  return (
    refuseForeign(headers, port) ??
    refuseWithoutSecret(asHeaders, secret) ??
    (isWebSocket && isOurs ? undefined : { status: 400, message: `only WebSockets of ${streamProtocol} are taken` })
  );
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** `target`: the path and query for the server. */
export function refuseTarget(method: string, target: string, isReadOnly: boolean): RequestRefusal | undefined {
  const segments = segmentsOf(target);
  if (segments === undefined) return { status: 400, message: "the path is not one that a server can have" };
  if (connects(segments))
    return { status: 403, message: "connections to pods, services and nodes are not forwarded as requests" };
  if (!methods.has(method)) return { status: 405, message: `the console does not forward ${method}` };
  if (isReadOnly && method !== "GET" && !isReview(method, segments))
    return { status: 403, message: "the console was started with --read-only" };
  return undefined;
}

const asHeader = "x-console-as";

/** The user that a read is tried as, by the rights that the user has to act as others. Undefined: none is named. */
export function readAs(
  headers: IncomingHttpHeaders,
  method: string,
  { mayTryAs }: { readonly mayTryAs: boolean },
): string | RequestRefusal | undefined {
  const given = headers[asHeader];
  if (given === undefined) return undefined;
  if (typeof given !== "string" || !/^[\x21-\x7e]{1,256}$/.test(given))
    return { status: 400, message: `${asHeader} must be one name of a user, in ASCII` };
  if (method !== "GET") return { status: 403, message: "only reads are tried as another user" };
  if (!mayTryAs) return { status: 403, message: "the console itself acts as another user (--as)" };
  return given;
}

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Undefined: a segment that two programs could read differently. */
function segmentsOf(target: string): readonly string[] | undefined {
  const path = target.split("?", 1)[0] ?? "";
  if (!path.startsWith("/") || path.includes("\\") || path.includes("#")) return undefined;
  try {
    const segments = path.slice(1).split("/").map(decodeURIComponent);
    const isPlain = (segment: string, at: number) =>
      !/[/\\%?#]/.test(segment) &&
      segment !== "." &&
      segment !== ".." &&
      (segment !== "" || at === segments.length - 1);
    return segments.every(isPlain) ? segments : undefined;
  } catch {
    return undefined;
  }
}

/** A GET of these can do anything, so that they have no place behind a page, least of all a read-only one. */
const connecting: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"]);

function connects(segments: readonly string[]): boolean {
  if (segments[0] !== "api") return false;
  const rest = segments[2] === "namespaces" && segments.length > 5 ? segments.slice(4) : segments.slice(2);
  // "proxy" before the resource is the older form of the same.
  return connecting.has(rest[2] ?? "") || rest[0] === "proxy";
}

/** Questions about access are written as objects, but nothing is stored. */
const reviews: ReadonlySet<string> = new Set([
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "subjectaccessreviews",
  "localsubjectaccessreviews",
]);

function isReview(method: string, segments: readonly string[]): boolean {
  const [root, group = "", , ...rest] = segments;
  const isAccess = root === "apis" && group.startsWith("authorization.");
  const isPlain = rest.length === 1 || (rest.length === 3 && rest[0] === "namespaces");
  return method === "POST" && isAccess && isPlain && reviews.has(rest.at(-1) ?? "");
}
