import fc from "fast-check";
import { expect, test } from "vitest";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Job } from "../api/batch/v1/job.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Endpoints } from "../api/core/v1/endpoints.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Node } from "../api/core/v1/node.ts";
import { PersistentVolume } from "../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { ResourceQuota } from "../api/core/v1/resource-quota.ts";
import { Service } from "../api/core/v1/service.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { EndpointSlice } from "../api/discovery/v1/endpoint-slice.ts";
import { PodDisruptionBudget } from "../api/policy/v1/pod-disruption-budget.ts";
import type { Log } from "../base/log.ts";
import { seededRandom } from "../base/seeded-random.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { allKinds, testEnvironment } from "../testing/all-kinds.ts";
import { goldenObject } from "../testing/golden.ts";
import { controllers } from "./list.ts";
import { withPoison } from "./poison.suite.ts";
import { type Scenario, withControllers } from "./scenario.suite.ts";

const samples = new Map<string, ApiObject>();
for (const kind of allKinds(testEnvironment())) {
  const object = goldenObject(kind);
  const { namespace: _, ...metadata } = object.metadata;
  const list = `${kind.kind}List`;
  if (!samples.has(list)) {
    samples.set(list, { ...object, metadata: kind.namespaced ? { ...metadata, namespace: "" } : metadata });
  }
}
const metadataSample = samples.get("ConfigMapList");
if (metadataSample !== undefined) samples.set("PartialObjectMetadataList", metadataSample);

const ref = (name: string) => ({ namespace: "shop", name });
const labels = { app: "good" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };

/** Valid objects of one namespace, each with the expected result of its controller. */
async function live({ client, create, until, untilAll, untilGone }: Scenario): Promise<void> {
  await create(Namespace, { metadata: { name: "shop" } });
  await create(Namespace, { metadata: { name: "gone" } });
  await create(Node, { metadata: { name: "n1" } });
  const isNotReady = { conditions: [{ type: "Ready", status: "False" }] };
  await client.of(Node).patch({ name: "n1" }, { status: isNotReady }, { subresource: "status" });
  const selector = { matchLabels: labels };
  await create(Deployment, { metadata: ref("web"), spec: { replicas: 3, selector, template } });
  await create(Service, { metadata: ref("web"), spec: { selector: labels, ports: [{ port: 80 }] } });
  await create(PodDisruptionBudget, { metadata: ref("web"), spec: { minAvailable: 1, selector } });
  await create(ResourceQuota, { metadata: ref("q"), spec: { hard: { pods: "100", "count/configmaps": "50" } } });
  const job = { metadata: {}, spec: { ...template.spec, restartPolicy: "Never" } };
  await create(Job, { metadata: ref("job"), spec: { template: job } });
  const other = { app: "stateful" };
  const stateful = { ...template, metadata: { labels: other } };
  await create(StatefulSet, {
    metadata: ref("db"),
    spec: { serviceName: "db", selector: { matchLabels: other }, template: stateful },
  });
  const capacity = { storage: "1Gi" };
  const accessModes = ["ReadWriteOnce"];
  await create(PersistentVolume, {
    metadata: { name: "pv" },
    spec: { capacity, accessModes, hostPath: { path: "/x" } },
  });
  const resources = { requests: capacity };
  await create(PersistentVolumeClaim, {
    metadata: ref("claim"),
    spec: { accessModes, resources, storageClassName: "" },
  });
  const owner = await create(ConfigMap, { metadata: ref("owner") });
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" }];
  await create(ConfigMap, { metadata: { ...ref("owned"), ownerReferences } });
  await client.of(ConfigMap).delete(ref("owner"));
  await client.of(Namespace).delete({ name: "gone" });

  const pods = await untilAll(Pod, "shop", (all) => all.filter(isOf(labels)).length === 3);
  for (const [at, { metadata }] of pods.filter(isOf(labels)).entries()) {
    const ip = `10.0.0.${at + 1}`;
    const conditions = [{ type: "Ready", status: "True" }];
    const status = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions };
    await client.of(Pod).patch(ref(metadata.name ?? ""), { status }, { subresource: "status" });
  }
  await until(Deployment, ref("web"), ({ status }) => status?.availableReplicas === 3);
  await until(Endpoints, ref("web"), ({ subsets }) => subsets?.[0]?.addresses?.length === 3);
  await untilAll(EndpointSlice, "shop", (all) => all.some(({ endpoints }) => endpoints?.length === 3));
  await until(PodDisruptionBudget, ref("web"), ({ status }) => status?.disruptionsAllowed === 2);
  await until(Job, ref("job"), ({ status }) => status?.active === 1);
  await until(StatefulSet, ref("db"), ({ status }) => status?.replicas === 1);
  await until(PersistentVolumeClaim, ref("claim"), ({ status }) => status?.phase === "Bound");
  await until(ServiceAccount, ref("default"), () => true);
  await until(Node, { name: "n1" }, ({ spec }) => (spec?.taints ?? []).some(({ key }) => key?.endsWith("/not-ready")));
  await until(ResourceQuota, ref("q"), ({ status }) => status?.used?.["count/configmaps"] !== undefined);
  await untilGone(ConfigMap, ref("owned"));
  await untilGone(Namespace, { name: "gone" });
}

const isOf =
  (wanted: Record<string, string>) =>
  ({ metadata, spec }: Pod) =>
    metadata.labels?.["app"] === wanted["app"] && spec?.containers !== undefined;

test("broken objects of every kind harm nothing but themselves (C36 in docs/security-rows.md)", {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = seededRandom(seed);
      const failures: string[] = [];
      const note = (message: string, facts?: unknown) => failures.push(`${message} ${JSON.stringify(facts)}`);
      const quiet = () => {};
      const log: Log = { debug: quiet, info: quiet, warn: note, error: note };
      await withControllers(controllers, live, {
        log,
        controllerFetch: (fetch) => withPoison(fetch, { random, samples, namespace: "shop", count: 4 }),
        settings: { nodeMonitorPeriodMs: 50, pvclaimbinderSyncPeriodMs: 200, horizontalPodAutoscalerSyncPeriodMs: 200 },
      });
      // A round visits all objects: if one of them ends it, the others are not visited.
      expect(failures.filter((line) => line.startsWith("a controller's round failed"))).toEqual([]);
      expect(failures.length).toBeGreaterThan(0);
    }),
    { numRuns: process.env["LONG_TESTS"] === undefined ? 1 : 3 },
  );
});
