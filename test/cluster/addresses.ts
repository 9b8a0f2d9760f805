/** Addresses and node ports of services: at no moment do two services have the same. */

import { call } from "./call.ts";
import { type Cluster, pause } from "./cluster.ts";
import type { Subject } from "./subject.ts";

const path = "/api/v1/namespaces/default/services";
const prefix = "/core/services/";
const clients = 3;
const restMs = 150;

export function addresses(cluster: Cluster): Subject {
  return {
    name: "addresses and node ports of services",
    async run(signal) {
      await Promise.all(Array.from({ length: clients }, (_, client) => use(cluster, client, signal)));
    },
    async verify() {
      await cluster.record.catchUp();
      const held = new Map<string, string>();
      const heldBy = new Map<string, string[]>();
      let writes = 0;
      for (const change of cluster.record.under(prefix)) {
        for (const item of heldBy.get(change.key) ?? []) held.delete(item);
        heldBy.delete(change.key);
        if (change.deleted) continue;
        const items = itemsOf(change.object().spec ?? {});
        for (const item of items) {
          const other = held.get(item);
          if (other !== undefined)
            throw new Error(`at ${change.revision} ${change.key} and ${other} both have ${item}`);
          held.set(item, change.key);
        }
        heldBy.set(change.key, items);
        writes += 1;
      }
      return `${writes} writes of services, no address and no port twice`;
    },
  };
}

async function use(cluster: Cluster, client: number, signal: AbortSignal): Promise<void> {
  const names: string[] = [];
  for (let number = 0; !signal.aborted; number += 1) {
    await pause(restMs * cluster.random());
    const server = await cluster.anyServer();
    if (names.length > 5 && cluster.random() < 0.6) {
      await call(server, "DELETE", `${path}/${names.shift()}`);
      continue;
    }
    const name = `service-${client}-${number}`;
    const spec = { type: "NodePort", ports: [{ port: 80 }] };
    const outcome = await call(server, "POST", path, { body: { metadata: { name }, spec } });
    if (outcome.kind === "lost" || outcome.status < 300) names.push(name);
  }
}

function itemsOf(spec: Readonly<Record<string, unknown>>): string[] {
  const { clusterIPs = [], ports = [] } = spec as { clusterIPs?: string[]; ports?: { nodePort?: number }[] };
  const nodePorts = ports.flatMap(({ nodePort }) => (nodePort === undefined ? [] : [`port ${nodePort}`]));
  return [...clusterIPs.filter((address) => address !== "None"), ...nodePorts];
}
