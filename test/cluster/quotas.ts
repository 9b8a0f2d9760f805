/** Quotas: creations through all servers at once never take more than a quota has. */

import { call } from "./call.ts";
import { type Cluster, pause } from "./cluster.ts";
import type { Subject } from "./subject.ts";

const allowed = 5;
const attempts = 9;
/** Objects of a kind that no controller makes by itself. */
const counted = "count/leases.coordination.orch.io";
const restMs = 1_000;

export function quotas(cluster: Cluster): Subject {
  const namespaces: string[] = [];
  return {
    name: "quotas",
    async run(signal) {
      for (let round = 0; !signal.aborted; round += 1) {
        const namespace = `quota-${round}`;
        await cluster.insist("POST", "/api/v1/namespaces", { body: { metadata: { name: namespace } } });
        const quota = { metadata: { name: "few" }, spec: { hard: { [counted]: String(allowed) } } };
        const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
        await cluster.insist("POST", path, { body: quota });
        // A controller fills in what is used, as soon as one of them leads; until then nothing is allowed.
        while (!signal.aborted) {
          const { body } = await cluster.insist("GET", `${path}/few`);
          if (JSON.stringify(body.status ?? {}).includes('"used"')) break;
          await pause(100);
        }
        if (signal.aborted) return;
        namespaces.push(namespace);
        await Promise.all(Array.from({ length: attempts }, (_, number) => create(cluster, namespace, number)));
        await pause(restMs);
      }
    },
    async verify() {
      await cluster.record.catchUp();
      let most = 0;
      for (const namespace of namespaces) {
        const changes = cluster.record.under(`/coordination.orch.io/leases/${namespace}/`);
        most = Math.max(most, changes.length);
        if (changes.length > allowed) throw new Error(`${namespace} has ${changes.length} objects, ${allowed} allowed`);
      }
      if (most === 0) throw new Error("nothing was created");
      return `${namespaces.length} quotas of ${allowed}; at most ${most} of ${attempts} creations passed`;
    },
  };
}

async function create(cluster: Cluster, namespace: string, number: number): Promise<void> {
  const path = `/apis/coordination.orch.io/v1/namespaces/${namespace}/leases`;
  await call(await cluster.anyServer(), "POST", path, { body: { metadata: { name: `lease-${number}` } } });
}
