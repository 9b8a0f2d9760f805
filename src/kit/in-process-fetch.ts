/** Requests to a server in this process: as its administrator, as the user of a token, or as a user whom one of them impersonates. */

import { ConfigError } from "../client/config/file.ts";
import { type Impersonation, impersonationHeaders } from "../client/config/impersonation.ts";
import { checkedToken } from "../client/config/token.ts";
import type { Fetch } from "../client/contract.ts";
import type { ConnectOptions } from "./connect.ts";

/** What names a connection, or a credential that needs one. */
const outside = [
  "kubeconfig",
  "context",
  "cluster",
  "user",
  "username",
  "password",
  "certificateAuthority",
  "clientCertificate",
  "clientKey",
  "insecureSkipTlsVerify",
  "tlsServerName",
] as const satisfies readonly (keyof ConnectOptions)[];

/** `what`: what the server is, for a message about an option that has no effect there. */
export function inProcessFetch(
  server: { readonly fetch: Fetch },
  options: ConnectOptions,
  what = "a server in this process",
): Fetch {
  for (const name of outside) {
    if (options[name] === undefined) continue;
    throw new ConfigError(
      `"${name}" has no effect on ${what}, which needs no credentials: use "as" and "asGroups" to act as a user, "token" to be one, ` +
        `or pass the URL of the server, as listen() returns it`,
    );
  }
  const { as, asGroups = [], token } = options;
  if (!as && asGroups.length > 0) throw new ConfigError('"asGroups" needs "as", the user whose groups they are');
  const identity = [
    ...(token ? [["authorization", `Bearer ${checkedToken(token, "the given token")}`] as [string, string]] : []),
    ...(as ? pairsOf({ user: as, groups: asGroups, extra: {} }) : []),
  ];
  if (identity.length === 0) return (path, init) => server.fetch(path, init);
  return (path, init) => server.fetch(path, { ...init, headers: [...entriesOf(init?.headers), ...identity] });
}

/** One pair for each value, because a group may contain a comma. */
function pairsOf(impersonation: Impersonation): [string, string][] {
  return Object.entries(impersonationHeaders(impersonation)).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}

export function entriesOf(given: RequestInit["headers"]): [string, string][] {
  if (given === undefined) return [];
  return Array.isArray(given) ? (given as [string, string][]) : [...new Headers(given)];
}
