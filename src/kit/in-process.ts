/** A client of a server in this process: as its administrator, or as a user whom it impersonates. */

import { ConfigError } from "../client/config/file.ts";
import { type Impersonation, impersonationHeaders } from "../client/config/impersonation.ts";
import type { Fetch } from "../client/contract.ts";
import type { ConnectOptions } from "./connect.ts";

/** What names credentials or a connection: there is neither in the process. */
const outside = [
  "kubeconfig",
  "context",
  "cluster",
  "user",
  "token",
  "username",
  "password",
  "certificateAuthority",
  "clientCertificate",
  "clientKey",
  "insecureSkipTlsVerify",
  "tlsServerName",
] as const satisfies readonly (keyof ConnectOptions)[];

export function inProcessFetch(server: { readonly fetch: Fetch }, options: ConnectOptions): Fetch {
  for (const name of outside) {
    if (options[name] === undefined) continue;
    throw new ConfigError(
      `"${name}" has no effect on a server in this process, which needs no credentials: use "as" and "asGroups" to act as a user, ` +
        `or pass the URL of the server, as listen() returns it`,
    );
  }
  const { as, asGroups = [] } = options;
  if (!as) {
    if (asGroups.length > 0) throw new ConfigError('"asGroups" needs "as", the user whose groups they are');
    return (path, init) => server.fetch(path, init);
  }
  const identity = pairsOf({ user: as, groups: asGroups, extra: {} });
  return (path, init) => server.fetch(path, { ...init, headers: [...entriesOf(init?.headers), ...identity] });
}

/** One pair for each value, because a group may contain a comma. */
function pairsOf(impersonation: Impersonation): [string, string][] {
  return Object.entries(impersonationHeaders(impersonation)).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}

function entriesOf(given: RequestInit["headers"]): [string, string][] {
  if (given === undefined) return [];
  return Array.isArray(given) ? (given as [string, string][]) : [...new Headers(given)];
}
