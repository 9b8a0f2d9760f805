/**
 * The only parser of request targets. Routing, authorization, audit and the handlers all use its result, so they
 * cannot disagree about which object a request is for.
 *
 *   GET  /api/v1/namespaces/a/pods            list    pods in a
 *   GET  /api/v1/namespaces/a/pods?watch=1    watch   pods in a
 *   PUT  /api/v1/namespaces/a/pods/p/status   update  pods/status p in a
 *   GET  /api/v1/namespaces/a                 get     namespaces a (its namespace is a as well)
 *   GET  /api/v1/proxy/namespaces/a/pods/p/x  proxy   pods p in a (no longer served, and still to be authorized)
 *   GET  /apis/apps/v1                        get     (no resource, path /apis/apps/v1)
 */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { parseFieldSelector } from "../../machinery/selectors/field-selector.ts";
import { badRequest, noSuchPath, type StatusError } from "../../machinery/status/status.ts";
import { emptyQuery, Query, queryFlag } from "./query.ts";

export const targetCharsMax = 16_384;

export interface RequestInfo {
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: Query;
  readonly isResource: boolean;
  /** get, list, watch, create, update, patch, delete, deletecollection, proxy; for other paths the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Whether the path names a namespace before the resource (false for /api/v1/namespaces/a itself). */
  readonly underNamespace: boolean;
  /** From the path, or from a field selector that allows one name only. */
  readonly name: string;
  /** Whether `name` comes from the path. */
  readonly named: boolean;
  /** The path has the deprecated prefix /watch/. */
  readonly watchPath: boolean;
  /** What follows the subresource (a proxied path); empty: nothing. */
  readonly rest: readonly string[];
  /** Why the target cannot be served; all other fields are empty then. */
  readonly problem: StatusError | undefined;
}

/** Segments that are subresources of a namespace rather than resources in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

const methodVerbs: ReadonlyMap<string, string> = new Map([
  ["GET", "get"],
  ["HEAD", "get"],
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** Targets of GET whose parts are remembered, since programs read the same few again and again. When there are more, all are forgotten. */
export const rememberedTargetsMax = 1_000;
const rememberedTargetCharsMax = 300;
const remembered = new Map<string, RequestInfo>();

export function parseRequestInfo(method: string, target: string): RequestInfo {
  if (method !== "GET") return parse(method, target);
  const known = remembered.get(target);
  if (known !== undefined) {
    if (checksCaches) checkAnswer("parsed targets", known, parse(method, target));
    return known;
  }
  const info = parse(method, target);
  // A query may hold a credential, or change with each request.
  const isShort = target.length <= rememberedTargetCharsMax && !target.includes("?");
  if (isShort && info.problem === undefined) {
    if (remembered.size >= rememberedTargetsMax) remembered.clear();
    remembered.set(target, info);
  }
  return info;
}

function parse(method: string, target: string): RequestInfo {
  if (target.length > targetCharsMax) return refused(badRequest("the request target is too long"));
  const mark = target.indexOf("?");
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 || mark === target.length - 1 ? emptyQuery : new Query(target.slice(mark + 1));

  const segments = splitPath(rawPath);
  if (!Array.isArray(segments)) return refused(segments);
  const path = rawPath.includes("%") ? `/${segments.join("/")}${rawPath.endsWith("/") ? "/" : ""}` : rawPath;

  const prefix = segments[0];
  const grouped = prefix === "apis";
  // The shortest resource paths are /api/v1/pods and /apis/apps/v1/deployments; all shorter ones are discovery.
  if (!(grouped ? segments.length >= 4 : prefix === "api" && segments.length >= 3)) {
    return plain(method === "HEAD" ? "get" : method.toLowerCase(), path, query);
  }
  return resourceInfo(method, path, query, segments);
}

function resourceInfo(method: string, path: string, query: Query, segments: readonly string[]): RequestInfo {
  const grouped = segments[0] === "apis";
  const group = grouped ? segments[1]! : "";
  const version = grouped ? segments[2]! : segments[1]!;
  let at = grouped ? 3 : 2;
  const watchPath = segments[at] === "watch";
  const proxyPath = segments[at] === "proxy";
  if (watchPath || proxyPath) at++;
  if (at >= segments.length) return refused(noSuchPath());

  let namespace = "";
  let underNamespace = false;
  if (segments[at] === "namespaces" && at + 1 < segments.length) {
    namespace = segments[at + 1]!;
    if (at + 2 < segments.length && !namespaceSubresources.has(segments[at + 2]!)) {
      underNamespace = true;
      at += 2;
    }
  }
  const resource = segments[at]!;
  let name = segments[at + 1] ?? "";
  const named = name !== "";
  let verb = watchPath ? "watch" : proxyPath ? "proxy" : (methodVerbs.get(method) ?? method.toLowerCase());
  if (!named) {
    if (verb === "get") verb = queryFlag(query.get("watch")) ? "watch" : "list";
    else if (verb === "delete") verb = "deletecollection";
    if (verb === "list" || verb === "watch") name = nameOfSelector(query.get("fieldSelector"));
  }
  const restAt = proxyPath ? at + 2 : at + 3;
  return {
    path,
    query,
    isResource: true,
    verb,
    group,
    version,
    resource,
    subresource: proxyPath ? "" : (segments[at + 2] ?? ""),
    namespace,
    underNamespace,
    name,
    named,
    watchPath,
    rest: segments.length > restAt ? segments.slice(restAt) : noSegments,
    problem: undefined,
  };
}

const noSegments: readonly string[] = [];

function plain(verb: string, path: string, query: Query): RequestInfo {
  return {
    path,
    query,
    isResource: false,
    verb,
    group: "",
    version: "",
    resource: "",
    subresource: "",
    namespace: "",
    underNamespace: false,
    name: "",
    named: false,
    watchPath: false,
    rest: noSegments,
    problem: undefined,
  };
}

function refused(problem: StatusError): RequestInfo {
  return { ...plain("", "", emptyQuery), problem };
}

/** The decoded segments, without one trailing slash; or what is wrong with the path. */
function splitPath(raw: string): string[] | StatusError {
  if (raw.charCodeAt(0) !== slash) return badRequest("the request target must be a path");
  const segments: string[] = [];
  let namesNothing = false;
  let escaped = false;
  let start = 1;
  for (let at = 1; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code === slash) {
      namesNothing ||= isEmptyOrDots(raw, start, at);
      segments.push(raw.slice(start, at));
      start = at + 1;
    } else if (code <= space || code > tilde || code === hash || code === backslash) {
      return badRequest("the path contains a character that must be escaped");
    } else if (code === percent) escaped = true;
  }
  if (start < raw.length) {
    namesNothing ||= isEmptyOrDots(raw, start, raw.length);
    segments.push(raw.slice(start));
  }
  // Segments are not resolved or collapsed: a path with empty or dot segments does not exist, as in the reference.
  if (namesNothing) return noSuchPath();
  return escaped ? decodeSegments(segments) : segments;
}

const slash = 0x2f;
const percent = 0x25;
/** Never unescaped in a path: controls and spaces, "#", "\\", and everything beyond the visible characters of ASCII. */
const space = 0x20;
const hash = 0x23;
const backslash = 0x5c;
const tilde = 0x7e;

function isEmptyOrDots(raw: string, start: number, end: number): boolean {
  const dots = end - start;
  if (dots > 2) return false;
  for (let at = start; at < end; at++) if (raw.charCodeAt(at) !== 0x2e) return false;
  return true;
}

function decodeSegments(segments: readonly string[]): string[] | StatusError {
  const all: string[] = [];
  for (const segment of segments) {
    const decoded = segment.includes("%") ? decodeSegment(segment) : segment;
    if (decoded === undefined) return badRequest("the path contains a broken or forbidden escape");
    if (decoded.includes("/")) return noSuchPath();
    all.push(decoded);
  }
  return all;
}

/** Undefined: a broken escape, invalid UTF-8, a control character, or an escaped dot segment. */
function decodeSegment(segment: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  if (/\p{Cc}/u.test(decoded)) return undefined;
  // "..%2f.." must not slip through as an ordinary segment either.
  for (const part of decoded.split("/")) if (part === "." || part === "..") return undefined;
  return decoded;
}

/** The only name that the selector matches, so that a right on one object is enough to list or watch it. */
function nameOfSelector(text: string | undefined): string {
  if (text === undefined || !text.includes("metadata.name")) return "";
  try {
    const names = parseFieldSelector(text).filter((r) => r.path === "metadata.name" && r.operator === "=");
    const name = names[0]?.value ?? "";
    if (names.some((other) => other.value !== name)) return "";
    return name === "." || name === ".." || name.includes("/") || name.includes("%") ? "" : name;
  } catch {
    // The handler refuses an invalid selector.
    return "";
  }
}
