/** Puts the path of a proxied object in front of links that its pages mean for their own server, as v1.21 does. */

import { posix } from "node:path";

export interface LinkContext {
  /** "/api/v1/namespaces/a/services/web/proxy". */
  readonly prefix: string;
  /** The Host header of the client: links to it stay on this server. */
  readonly requestHost: string;
  /** "10.0.0.5:80": links to it are links to the backend itself. */
  readonly backendHost: string;
}

/** Links to other servers, relative links and texts that are not URLs are unchanged. */
export function rewriteUrl(url: string, { prefix, requestHost, backendHost }: LinkContext): string {
  const parts = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s.exec(url);
  if (parts === null) return url;
  const [, scheme = "", authority = "", path = "", rest = ""] = parts;
  const isOther = authority !== "" && authority !== backendHost && authority !== requestHost;
  if (isOther || !path.startsWith("/")) return url;
  // A link with this server's own name keeps it; one with the backend's address loses it, because clients cannot reach it.
  const origin = authority === requestHost && authority !== "" ? `${scheme}//${authority}` : "";
  if (path === prefix || path.startsWith(`${prefix}/`)) return `${origin}${path}${rest}`;
  return `${origin}${safePrefix(prefix)}${posix.normalize(path)}${rest}`;
}

/** The prefix comes from a request, and is written into pages. */
const safePrefix = (prefix: string) =>
  prefix.replace(/["'<>`]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
