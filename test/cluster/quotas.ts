/** Quotas: creations through all servers at once never take more than a quota has. */

import { call } from "./call.ts";
import { type Cluster, pause } from "./cluster.ts";
import type { Subject } from "./subject.ts";

const allowed = 5;
const attempts = 9;
/** Objects of a kind that no controller creates. */
const counted = "count/leases.coordination.orch.io";
const restMs = 1_000;

export function quotas(cluster: Cluster): Subject {
  const namespaces: string[] = [];
  return {
    name: "quotas",
    async run(signal) {
      while (!signal.aborted) {
        const namespace = `quota-${namespaces.length}`;
        if (await makeQuota(cluster, namespace, signal)) {
          namespaces.push(namespace);
          await createAtOnce(cluster, namespace);
        }
        await pause(restMs);
      }
    },
    async verify() {
      // Once more with everything whole: then as many pass as are allowed.
      await makeQuota(cluster, "quota-last");
      await createAtOnce(cluster, "quota-last");
      await cluster.record.catchUp();
      const madeIn = (namespace: string) => cluster.record.under(`/coordination.orch.io/leases/${namespace}/`).length;
      for (const namespace of [...namespaces, "quota-last"]) {
        if (madeIn(namespace) > allowed) {
          throw new Error(`${namespace} has ${madeIn(namespace)} objects, ${allowed} are allowed`);
        }
      }
      if (madeIn("quota-last") === 0) throw new Error("nothing was created");
      const passed = namespaces.reduce((sum, namespace) => sum + madeIn(namespace), 0);
      return `${namespaces.length + 1} quotas of ${allowed}, ${passed} of ${namespaces.length * attempts} creations passed in trouble`;
    },
  };
}

/** Resolves when the quota has a status: a controller fills it in as soon as one leads, and until then nothing is allowed. */
async function makeQuota(cluster: Cluster, namespace: string, signal?: AbortSignal): Promise<boolean> {
  await cluster.insist("POST", "/api/v1/namespaces", { body: { metadata: { name: namespace } } });
  const quota = { metadata: { name: "few" }, spec: { hard: { [counted]: String(allowed) } } };
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  await cluster.insist("POST", path, { body: quota });
  while (signal?.aborted !== true) {
    const { body } = await cluster.insist("GET", `${path}/few`);
    if (JSON.stringify(body.status ?? {}).includes('"used"')) return true;
    await pause(100);
  }
  return false;
}

async function createAtOnce(cluster: Cluster, namespace: string): Promise<void> {
  await Promise.all(Array.from({ length: attempts }, (_, number) => create(cluster, namespace, number)));
}

async function create(cluster: Cluster, namespace: string, number: number): Promise<void> {
  const path = `/apis/coordination.orch.io/v1/namespaces/${namespace}/leases`;
  await call(await cluster.anyServer(), "POST", path, { body: { metadata: { name: `lease-${number}` } } });
}
