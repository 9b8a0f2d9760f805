/** URLs and their parts. */

import { parseUrlParts, type UrlParts } from "../../base/url-parts.ts";
import { hasFormat } from "../../machinery/json-schema/formats.ts";
import { bool, listOf, mapOf, objectType, string } from "../types/types.ts";
import { ArrayList, EntryMap, EvaluationError, Opaque, type Value } from "../values/values.ts";
import { declare, type FunctionDeclaration, member, nominal, overload, traversal } from "./declaration.ts";

const urlType = objectType("URL");

const workOfUrl = 100;

class Url extends Opaque {
  readonly type = urlType;
  readonly parts: UrlParts;
  readonly #text: string;
  constructor(text: string, parts: UrlParts) {
    super();
    this.#text = text;
    this.parts = parts;
  }
  equals(other: Value): boolean {
    return other instanceof Url && other.#text === this.#text;
  }
}

/** A host and a fragment with nothing between them: a request line has no fragment, and "#" is not part of a host. */
const isFragmentOfHost = /^[^/?#]*\/\/[^/?#]*#/;

/** A URL with a scheme, or a path from the root. */
function parseUrl(text: string): Url | undefined {
  const parts = hasFormat(text, "uri") && !isFragmentOfHost.test(text) ? parseUrlParts(text) : undefined;
  return parts && new Url(text, parts);
}

/** Without the port, and without the brackets of an IPv6 address. */
function hostname(host: string): string {
  const end = host.startsWith("[") ? host.indexOf("]") : -1;
  if (end > 0) return host.slice(1, end);
  const colon = host.lastIndexOf(":");
  return colon < 0 ? host : host.slice(0, colon);
}

const port = (host: string): string => /:([0-9]*)$/.exec(host.slice(host.lastIndexOf("]") + 1))?.[1] ?? "";

/** As it is written if that is a valid encoding, otherwise encoded again. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path;
  return [...Buffer.from(unescaped(path) ?? path)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** All values of each name; pairs that are not encoded correctly are left out. */
function queryOf(query: string): EntryMap {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = unescaped((equals < 0 ? pair : pair.slice(0, equals)).replaceAll("+", " "));
    const value = unescaped((equals < 0 ? "" : pair.slice(equals + 1)).replaceAll("+", " "));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  const map = new EntryMap();
  for (const [name, list] of values) map.set(name, new ArrayList(list));
  return map;
}

const part = (name: string, read: (parts: UrlParts) => string): FunctionDeclaration =>
  declare(
    name,
    "1.23",
    member([urlType], string, ([url]) => read((url as Url).parts), nominal),
  );

const parsing = traversal(0, 1, true);

export const urls: readonly FunctionDeclaration[] = [
  declare(
    "url",
    "1.23",
    overload(
      [string],
      urlType,
      ([text], meter) =>
        meter.work(workOfUrl) ??
        parseUrl(text as string) ??
        new EvaluationError("URL parse error during conversion from string"),
      {
        ...parsing,
        estimate: (call) => {
          const { cost, size } = parsing.estimate!(call);
          return { cost, size: call.has("opaqueEquality") ? size : undefined };
        },
      },
    ),
  ),
  declare(
    "isURL",
    "1.23",
    overload([string], bool, ([text], meter) => meter.work(workOfUrl) ?? parseUrl(text as string) !== undefined),
  ),
  part("getScheme", ({ scheme }) => scheme),
  part("getHost", ({ host }) => host),
  part("getHostname", ({ host }) => hostname(host)),
  part("getPort", ({ host }) => port(host)),
  part("getEscapedPath", ({ path }) => escapedPath(path)),
  declare(
    "getQuery",
    "1.23",
    member([urlType], mapOf(string, listOf(string)), ([url]) => queryOf((url as Url).parts.query), nominal),
  ),
];
