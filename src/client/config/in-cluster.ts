/** The configuration of a program that runs inside a cluster: an address from the environment, a token from a mounted folder. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyConfig, type Located, type MergedConfig } from "./file.ts";

/** Where service account tokens are mounted, in the names of both vocabularies. */
const folders = ["/var/run/secrets/orch.io/serviceaccount", "/var/run/secrets/kubernetes.io/serviceaccount"];

/** Undefined: this process does not run inside a cluster. */
export function inClusterConfig(
  env: Readonly<Record<string, string | undefined>>,
  mounts: readonly string[] = folders,
): MergedConfig | undefined {
  const host = env["ORCH_SERVICE_HOST"] ?? env["KUBERNETES_SERVICE_HOST"];
  const port = env["ORCH_SERVICE_PORT"] ?? env["KUBERNETES_SERVICE_PORT"];
  const folder = mounts.find((path) => existsSync(join(path, "token")));
  if (!host || !port || folder === undefined) return undefined;
  const entry = (value: Located["value"]): ReadonlyMap<string, Located> =>
    new Map([["in-cluster", { value, file: undefined }]]);
  const authority = join(folder, "ca.crt");
  return {
    ...emptyConfig,
    clusters: entry({
      server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
      ...(existsSync(authority) ? { "certificate-authority": authority } : {}),
    }),
    users: entry({ tokenFile: join(folder, "token") }),
    contexts: entry({ cluster: "in-cluster", user: "in-cluster", namespace: namespaceOf(folder) }),
    currentContext: "in-cluster",
  };
}

function namespaceOf(folder: string): string {
  try {
    return readFileSync(join(folder, "namespace"), "utf8").trim();
  } catch {
    return "";
  }
}
