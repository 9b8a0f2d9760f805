/** A server inside this process, for checks without a real one. */

import { Api } from "./api/api.ts";
import { type Discovery, loadDiscovery } from "./api/discovery.ts";
import type { Context } from "./context.ts";
import { CtlError } from "./errors.ts";

export interface Offline extends AsyncDisposable {
  readonly api: Api;
  /** Its discovery, which definitions extend. */
  discovery(): Promise<Discovery>;
}

export async function openOffline(
  context: Context,
  vocabulary: "orch" | "kubernetes",
  warn: (message: string) => void = () => {},
): Promise<Offline> {
  const { startServer, clock, signal } = context.environment;
  if (startServer === undefined) throw new CtlError("this program was built without a server; run it from the package");
  const server = await startServer(vocabulary);
  const api = new Api((path, init) => server.fetch(path, init), { warn, trace: undefined, clock, signal, server: "" });
  return {
    api,
    discovery: () => loadDiscovery(api, { cacheFile: undefined, fresh: true, clock }),
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
