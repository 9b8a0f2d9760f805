/** A server inside this process, for checks without a real one. */

import type { Context } from "./context.ts";
import type { LocalServerOptions } from "./environment.ts";
import { CtlError } from "./errors.ts";
import { Session } from "./server/session.ts";

export interface Offline extends AsyncDisposable {
  readonly session: Session;
}

export async function openOffline(
  context: Context,
  options: LocalServerOptions,
  warn: (message: string) => void = () => {},
): Promise<Offline> {
  const { startServer } = context.environment;
  if (startServer === undefined) throw new CtlError("this program was built without a server; run it from the package");
  const server = await startServer(options);
  const session = new Session({
    environment: { ...context.environment, fetch: (path, init) => server.fetch(path, init) },
    access: () => context.session.connection.access,
    requestTimeoutMs: () => 0,
    cacheFolder: "",
    isAggregated: false,
    warn,
    trace: undefined,
    traceHeaders: undefined,
  });
  return {
    session,
    async [Symbol.asyncDispose]() {
      await server.close();
    },
  };
}

/** The vocabulary of manifests, by their groups. */
export function vocabularyOfManifests(
  versions: readonly string[],
  fallback: "orch" | "kubernetes",
): "orch" | "kubernetes" {
  if (versions.some((version) => /\.k8s\.io\//.test(version))) return "kubernetes";
  return versions.some((version) => /\.orch\.io\//.test(version)) ? "orch" : fallback;
}
