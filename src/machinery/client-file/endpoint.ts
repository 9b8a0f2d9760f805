/** Client configurations as servers read them: the one service that the current context names. */

import type { ClientUser, Endpoint } from "../../base/callout.ts";
import { isObject } from "../json/json-value.ts";
import { isTokenText } from "./token.ts";

/**
 * The endpoint that a client configuration (decoded from YAML or JSON) names as current: a cluster entry for the service
 * and a user entry for us. Throws an Error that says what is missing, and never contains a secret. `readFile` gets paths as
 * they are written.
 */
export function parseEndpoint(configuration: unknown, readFile: (path: string) => string): Endpoint {
  const root = object(configuration, "the client configuration");
  const context = named(root, "contexts", "context", text(root, "current-context"));
  const cluster = named(root, "clusters", "cluster", text(context, "cluster"));
  const userName = text(context, "user");
  const user = userName === "" ? {} : named(root, "users", "user", userName);
  const url = text(cluster, "server");
  if (!URL.canParse(url)) throw new Error("the cluster entry must name a server by its URL");
  const ca = pem(cluster, "certificate-authority", readFile);
  const { headers, ...own } = parseClientUser(user, readFile);
  const serverName = text(cluster, "tls-server-name");
  return {
    url,
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...own,
      ...(serverName === "" ? {} : { serverName }),
      ...(cluster["insecure-skip-tls-verify"] === true ? { insecure: true } : {}),
    },
    headers,
  };
}

/** Reads the user entry of a client configuration. */
export function parseClientUser(entry: unknown, readFile: (path: string) => string): ClientUser {
  const user = object(entry, "the user entry");
  const cert = pem(user, "client-certificate", readFile);
  const key = pem(user, "client-key", readFile);
  if ((cert === undefined) !== (key === undefined))
    throw new Error("a client certificate needs its key, and a key its certificate");
  return {
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    headers: authorization(user, readFile),
  };
}

/** A text that is given in base64, or in a file. Undefined: there is none. */
function pem(from: Json, key: string, readFile: (path: string) => string): string | undefined {
  const data = text(from, `${key}-data`);
  if (data !== "") return Buffer.from(data, "base64").toString("utf8");
  const path = text(from, key);
  return path === "" ? undefined : readFile(path);
}

type Json = Readonly<Record<string, unknown>>;

function authorization(user: Json, readFile: (path: string) => string): Record<string, string> {
  const tokenFile = text(user, "tokenFile");
  const source = tokenFile === "" ? "the token of the configuration" : `the token file ${tokenFile}`;
  const token = tokenFile === "" ? text(user, "token") : readFile(tokenFile).trim();
  if (!isTokenText(token)) throw new Error(`${source} is not a token: it contains characters that a token cannot have`);
  if (token !== "") return { authorization: `Bearer ${token}` };
  const name = text(user, "username");
  if (name === "") return {};
  return { authorization: `Basic ${Buffer.from(`${name}:${text(user, "password")}`).toString("base64")}` };
}

/** The entry of a list `[{ name, [key]: {...} }]`. */
function named(root: Json, list: string, key: string, name: string): Json {
  const entries = root[list];
  const found = Array.isArray(entries) ? entries.filter(isObject).find((entry) => entry.name === name) : undefined;
  if (found === undefined) throw new Error(`the client configuration has no entry "${name}" in ${list}`);
  return object(found[key] ?? {}, `the entry "${name}" in ${list}`);
}

function object(value: unknown, what: string): Json {
  if (!isObject(value)) throw new Error(`${what} must be an object`);
  return value;
}

function text(from: Json, key: string): string {
  const value = Object.hasOwn(from, key) ? from[key] : "";
  return typeof value === "string" ? value : "";
}
