/** How requests reach a server: over a connection that a configuration describes, or without one in the same process. */

import { homedir } from "node:os";
import type { Clock } from "../base/clock.ts";
import { type AccessOverrides, type ClientAccess, resolveAccess } from "../client/config/access.ts";
import { ConfigError, givenConfig, mergeConfigs } from "../client/config/file.ts";
import { inClusterConfig } from "../client/config/in-cluster.ts";
import { configPaths, loadConfigFiles } from "../client/config/load.ts";
import { isConfigText } from "../client/config/shown.ts";
import { openTransport } from "../client/config/transport.ts";
import type { Fetch } from "../client/contract.ts";
import type { Upgrade } from "../client/streams/contract.ts";
import type { ConnectOptions } from "./connect.ts";
import { inProcessFetch } from "./in-process-fetch.ts";
import { inProcessStreams } from "./in-process-streams.ts";
import { type InWorkspace, splitAcross } from "./in-workspace.ts";

/** Where a program runs: what names its configuration. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Where the account of a pod is mounted. Default: where clusters mount it. */
  readonly mounts?: readonly string[];
  /** Whether a person could answer a question of a credential plugin. */
  readonly isInteractive: boolean;
}

/** Those of this process. */
export const ownSurroundings = (): Surroundings => ({
  env: process.env,
  home: homedir(),
  isInteractive: process.stdin.isTTY === true,
});

export interface Opened {
  readonly fetch: Fetch;
  /** Present where the objects of all workspaces are read: requests to one of them, or to the root. */
  readonly inWorkspace?: InWorkspace | undefined;
  readonly upgrade: Upgrade;
  readonly namespace: string;
  close(): void;
}

export interface Opening {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly around: Surroundings;
}

export function openFetch(options: ConnectOptions, { around, ...own }: Opening): Opened {
  const { server, namespace } = options;
  if (typeof server === "object") {
    const fetch = inProcessFetch(server, options);
    const streams = inProcessStreams(server, options, { ...own, env: around.env, isInteractive: false });
    return { fetch, ...streams, namespace: namespace || "default" };
  }
  const access = readAccess(options, server, around);
  const { env, isInteractive } = around;
  const across = splitAcross(access.server);
  const reached = across === undefined ? access : { ...access, server: across.root };
  const transport = openTransport(reached, { ...own, env, isInteractive, requestTimeoutMs: 0 });
  const { upgrade, close } = transport;
  const fetch: Fetch = (path, init) =>
    transport.fetch(path, init).catch((error: unknown) => explain(error, access.server));
  const opened = { upgrade, namespace: access.namespace, close };
  if (across === undefined) return { ...opened, fetch };
  const below =
    (place: string): Fetch =>
    (path, init) =>
      fetch(place + path, init);
  return { ...opened, fetch: below(across.path), inWorkspace: (name) => below(`/clusters/${name}`) };
}

function readAccess(
  { kubeconfig, ...overrides }: ConnectOptions,
  server: string | undefined,
  { env, home, mounts }: Surroundings,
): ClientAccess {
  const given = { ...overrides, ...(server === undefined ? {} : { server }) } as AccessOverrides; // its further members are not read
  const isContent = typeof kubeconfig === "object" || (kubeconfig !== undefined && isConfigText(kubeconfig));
  const paths = configPaths({ explicit: isContent ? undefined : kubeconfig, env, home });
  const access = resolveAccess(mergeConfigs(isContent ? [givenConfig(kubeconfig)] : loadConfigFiles(paths)), given);
  if (access !== undefined) return access;
  if (isContent) throw new ConfigError('the given configuration names no server: has it a "current-context"?');
  const inside = inClusterConfig(env, mounts);
  const insideAccess = inside && resolveAccess(inside, given);
  if (insideAccess !== undefined) return insideAccess;
  throw new ConfigError(
    `no server is configured: pass "server" or "kubeconfig", set KUBECONFIG, or write one of ${paths.paths.join(", ")}`,
  );
}

/** Why the certificate of a server is not accepted, by the codes of Node, and what a program can do about it. */
const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "is signed by an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "is signed by an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is signed by an authority that is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is signed by an authority that is not trusted",
  CERT_SIGNATURE_FAILURE: "was not signed by the given authority",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for other names",
};
const waysOut: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "renew it",
  CERT_NOT_YET_VALID: "look at the clocks of both machines",
  ERR_TLS_CERT_ALTNAME_INVALID: 'connect to one of its names, or give one as "tlsServerName"',
};

/** Node names neither the server nor what its caller can do. */
function explain(error: unknown, server: string): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const problem = certificateProblems[code];
  if (problem === undefined) throw error;
  const way =
    waysOut[code] ??
    'give its authority as "certificateAuthority", or use the configuration of the server, as "kubeconfig", which has it';
  throw Object.assign(new ConfigError(`the certificate of ${server} ${problem}: ${way}`), { cause: error, code });
}
