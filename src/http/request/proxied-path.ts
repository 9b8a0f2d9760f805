/**
 * Splits the target of a proxied request, exactly as received, into the part that names the object and the path for the
 * backend.
 */

import { badRequest } from "../../machinery/status/status.ts";

export const proxySubresource = "proxy";

interface ProxiedPath {
  /** "/api/v1/nodes/n/proxy". */
  readonly prefix: string;
  /** "", "/" or "/a/b". */
  readonly path: string;
  /** "?" and what follows it, or "". */
  readonly query: string;
}

/** `segments` is how many segments follow the subresource. The bytes are not decoded, so the backend gets what was authorized. */
export function splitProxiedTarget(target: string, segments: number): ProxiedPath {
  const mark = target.indexOf("?");
  const whole = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark);
  if (/[^\x21-\x7e]|#/.test(query)) throw badRequest("the query contains a character that must be escaped");
  let at = whole.endsWith("/") ? whole.length - 1 : whole.length;
  for (let left = segments; left > 0; left--) at = whole.lastIndexOf("/", at - 1);
  return { prefix: whole.slice(0, at), path: whole.slice(at), query };
}
