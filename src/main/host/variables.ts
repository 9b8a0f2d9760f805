/** The variables that a container of a Deployment would have, for a program on this machine. */

import { hostname } from "node:os";
import type { Client } from "../../kit/contract.ts";
import { ConfigMap, type Deployment, Secret } from "../../kit/kinds.ts";
import { environmentOf } from "../../simulation/containers/environment.ts";

/** The variables that the container sets, with what they refer to. Throws an Error if something that it needs is missing. */
export async function variablesOf(
  client: Client,
  deployment: Deployment,
  containerName: string,
): Promise<Record<string, string>> {
  const { namespace = "", name = "" } = deployment.metadata;
  const template = deployment.spec?.template;
  const containers = template?.spec?.containers ?? [];
  const container = containers.find((one) => containerName === "" || one.name === containerName);
  if (container === undefined) {
    const known = containers.map((one) => one.name).join(", ");
    throw new Error(`deployment ${namespace}/${name} has no container "${containerName}"; it has ${known}`);
  }
  const [maps, secrets] = [new Map<string, ConfigMap>(), new Map<string, Secret>()];
  for await (const map of client.of(ConfigMap).list({ namespace })) maps.set(map.metadata.name ?? "", map);
  for await (const secret of client.of(Secret).list({ namespace })) secrets.set(secret.metadata.name ?? "", secret);
  const pod = {
    metadata: { ...template?.metadata, namespace, name: `${name}-host` },
    spec: { serviceAccountName: "default", ...template?.spec, containers, nodeName: hostname() },
    status: { podIP: "127.0.0.1", hostIP: "127.0.0.1" },
  };
  const found = environmentOf(pod, container, {
    configMap: (one) => maps.get(one),
    secret: (one) => secrets.get(one),
    services: new Map(),
    node: {},
  });
  // PATH, HOME and HOSTNAME are those of this machine, unless the container sets them.
  const own = new Set((container.env ?? []).map((one) => one.name));
  return Object.fromEntries([...found].filter(([key]) => own.has(key) || !["PATH", "HOME", "HOSTNAME"].includes(key)));
}
