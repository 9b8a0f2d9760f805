/**
 * Takes a URL apart without correcting it, as RFC 3986 reads it: `new URL` would find a host in "https:/host" and none of
 * the mistakes of "https://ho^st". A reference without a scheme is a URL too, with nothing but a path.
 */

export interface UrlParts {
  /** In lower case; "": none. */
  readonly scheme: string;
  /** With its port; "": none. */
  readonly host: string;
  readonly hasUser: boolean;
  /** As it is written; "" after a scheme that no slash follows. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  readonly fragment: string;
}

/** Undefined: this is not a URL. */
export function parseUrlParts(text: string): UrlParts | undefined {
  const [whole, fragment] = cut(text, "#");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters
  if (/[\u0000-\u001f\u007f]/.test(whole) || whole.startsWith(":") || !isEscaped(fragment)) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(whole)?.[1] ?? "";
  const [rest, query] = cut(scheme === "" ? whole : whole.slice(scheme.length + 1), "?");
  const parts = { scheme: scheme.toLowerCase(), host: "", hasUser: false, path: "", query, fragment };
  if (!rest.startsWith("/")) {
    // After a scheme this is opaque; without one, a colon in the first path segment would make it look like a scheme.
    if (scheme !== "") return parts;
    return cut(rest, "/")[0].includes(":") || !isEscaped(rest) ? undefined : { ...parts, path: rest };
  }
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"));
  if (!hasAuthority) return isEscaped(rest) ? { ...parts, path: rest } : undefined;
  const [authority, path] = cut(rest.slice(2), "/");
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  if (!isHost(host) || !isUser(authority.slice(0, Math.max(at, 0))) || !isEscaped(path)) return undefined;
  return { ...parts, host, hasUser: at >= 0, path: rest.slice(2 + authority.length) };
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Whether every percent sign begins an escaped byte. */
const isEscaped = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text);

const isUser = (text: string): boolean => /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text) && isEscaped(text);

/** Bytes beyond ASCII may be escaped; characters that a host cannot contain may not. */
function isHost(text: string): boolean {
  if (/[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.test(text) || !isEscaped(text)) return false;
  const end = text.startsWith("[") ? text.lastIndexOf("]") : 0;
  if (end < 0) return false;
  const port =
    end > 0 ? text.slice(end + 1) : text.slice(text.lastIndexOf(":") < 0 ? text.length : text.lastIndexOf(":"));
  return /^(?::[0-9]*)?$/.test(port) && !/%(?!25|[89a-f][0-9a-f])/i.test(text);
}
