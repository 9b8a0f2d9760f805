/** Streams of a client of a server in this process. */

import { resolveAccess } from "../client/config/access.ts";
import { ConfigError, givenConfig, mergeConfigs } from "../client/config/file.ts";
import { openTransport, type Transport, type TransportOptions } from "../client/config/transport.ts";
import type { Upgrade } from "../client/streams/contract.ts";
import type { ConnectOptions, InProcessServer } from "./connect.ts";

/** Streams need a connection: the server begins to listen when the first one is opened. */
export function inProcessStreams(
  server: Pick<InProcessServer, "clientConfig">,
  { as, asGroups, token }: ConnectOptions,
  around: Omit<TransportOptions, "requestTimeoutMs">,
): { readonly upgrade: Upgrade; close(): void } {
  let opened: Promise<Transport> | undefined;
  const open = async (): Promise<Transport> => {
    if (server.clientConfig === undefined) throw new ConfigError("this server in the process has no port for streams");
    const { kubeconfig } = await server.clientConfig();
    const own = { ...(as ? { as } : {}), ...(asGroups ? { asGroups } : {}), ...(token ? { token } : {}) };
    const access = resolveAccess(mergeConfigs([givenConfig(kubeconfig)]), own);
    if (access === undefined) throw new ConfigError("the configuration of the server in the process names no server");
    // A certificate would win over the token.
    const { cert: _cert, key: _key, ...anonymous } = access.tls;
    return openTransport(token ? { ...access, tls: anonymous } : access, { ...around, requestTimeoutMs: 0 });
  };
  return {
    async upgrade(path, request) {
      opened ??= open();
      return (await opened).upgrade(path, request);
    },
    close: () => void opened?.then((transport) => transport.close()).catch(() => undefined),
  };
}
