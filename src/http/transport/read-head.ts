/**
 * Reads the head of an ordinary request over HTTP/1.1. Whatever is unusual about a request, even if it is allowed, is left to Node's
 * parser, so that this code knows one form of each part and no leniency.
 */

import { HeaderTable, headerName } from "./header-table.ts";
import { isValidHost } from "./malformed.ts";

/** The headers of a request, and what they say about its body. */
interface Fields {
  readonly headers: HeaderTable;
  readonly bodyBytes: number;
}

export interface Head extends Fields {
  readonly method: string;
  readonly target: string;
}

/** Longer heads are unusual. They also arrive in several pieces. */
export const ordinaryHeadBytes = 16_384;
const headersMax = 100;
/** Larger bodies are unusual: if one is refused, its connection is closed, and Node's side of this server knows how. */
export const ordinaryBodyBytes = 65_536;

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const version = " HTTP/1.1\r\n";
const ordinaryTarget = /^\/[\x21-\x7e]*$/;
const printable = /^[\t\x20-\x7e]*$/;
const spaceAround = /^[\t ]+|[\t ]+$/g;
const digits = /^(?:0|[1-9][0-9]{0,4})$/;

/** Headers that change how a request is framed or who answers it. */
const unusual: ReadonlySet<string> = new Set([
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Reads the heads of one connection, on which most requests have the same headers as the one before. */
export class HeadReader {
  #text = "";
  #fields: Fields | undefined;

  /** `text`: up to and including the end of the last header's line. Undefined: the request is not an ordinary one. */
  read(text: string): Head | undefined {
    const afterMethod = text.indexOf(" ");
    const method = text.slice(0, afterMethod);
    if (!methods.has(method)) return undefined;
    const afterTarget = text.indexOf(version, afterMethod);
    if (afterTarget < 0) return undefined;
    const target = text.slice(afterMethod + 1, afterTarget);
    if (!ordinaryTarget.test(target)) return undefined;
    const rest = text.slice(afterTarget + version.length);
    if (rest !== this.#text) {
      this.#fields = readFields(rest);
      this.#text = rest;
    }
    if (this.#fields === undefined) return undefined;
    const { headers, bodyBytes } = this.#fields;
    return { method, target, headers, bodyBytes };
  }
}

function readFields(text: string): Fields | undefined {
  const raw: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\r\n", at);
    const colon = text.indexOf(":", at);
    if (colon < 0 || colon > end) return undefined;
    const name = text.slice(at, colon);
    const value = text.slice(colon + 1, end);
    if (!headerName.test(name) || !printable.test(value)) return undefined;
    raw.push(name, value.replace(spaceAround, ""));
    at = end + 2;
  }
  if (raw.length > 2 * headersMax) return undefined;
  const headers = new HeaderTable(raw);
  if (headers.names().some((name) => unusual.has(name)) || headers.getAll("host").length !== 1) return undefined;
  if (!isValidHost(headers.get("host") ?? "")) return undefined;
  const connection = headers.getAll("connection");
  if (connection.length > 1 || (connection[0] ?? "keep-alive").toLowerCase() !== "keep-alive") return undefined;
  const lengths = headers.getAll("content-length");
  const [length = "0"] = lengths;
  if (lengths.length > 1 || !digits.test(length) || Number(length) > ordinaryBodyBytes) return undefined;
  return { headers, bodyBytes: Number(length) };
}
