/** An operator as docs/building.md describes it, written as a user of the package would. */

import {
  addFinalizer,
  type Client,
  conditionOf,
  controller,
  Deployment,
  defineResource,
  field,
  hasFinalizer,
  installResources,
  isDeleting,
  mergePatch,
  type RunningControllers,
  removeFinalizer,
  runControllers,
  type Static,
  setOwner,
  withCondition,
} from "orch/client";
import type { Container, Deployment as DeploymentObject } from "orch/types";

export const Cache = defineResource({
  group: "caches.example.org",
  version: "v1",
  kind: "Cache",
  resource: "caches",
  fields: {
    spec: field.object({
      size: field.int32().atLeast(1).atMost(5).doc("How many servers."),
      memory: field.optional(field.quantity()).default("64Mi"),
      policy: field.optional(field.oneOf(["lru", "lfu"])).default("lru"),
    }),
    status: field.optional(
      field.object({ ready: field.optional(field.int32()), conditions: field.optional(field.conditionList()) }),
    ),
  },
  columns: [{ name: "Size", type: "integer", path: ".spec.size" }],
});
export type Cache = Static<typeof Cache>;

const finalizer = "caches.example.org/clean-up";
export const cleaned: (string | undefined)[] = [];

const caches = controller({
  for: Cache,
  owns: [Deployment],
  workers: 3,
  async reconcile({ object: cache, client, events, requeueAfter, signal }) {
    const all = client.of(Cache);
    if (isDeleting(cache)) {
      if (!hasFinalizer(cache, finalizer)) return;
      cleaned.push(cache.metadata.name);
      await removeFinalizer(all, cache, finalizer);
      return;
    }
    await addFinalizer(all, cache, finalizer);
    const manager = { manager: "caches", force: true, signal };
    const made = await client.of(Deployment).apply(setOwner(deploymentOf(cache), cache), manager);
    const ready = made.status?.readyReplicas ?? 0;
    const isReady = ready === cache.spec.size;
    const wasReady = conditionOf(cache.status?.conditions, "Ready")?.status === "True";
    const conditions = withCondition(cache.status?.conditions ?? [], {
      type: "Ready",
      status: isReady ? "True" : "False",
      reason: "Counted",
      message: `${ready} of ${cache.spec.size}`,
    });
    await all.status.patch(cache, mergePatch(cache, { ...cache, status: { ...cache.status, ready, conditions } }));
    if (isReady && !wasReady) events.normal("Ready", "all servers are ready");
    if (!isReady) requeueAfter(30_000);
  },
});

function deploymentOf({ metadata: { name = "", namespace = "" }, spec }: Cache): DeploymentObject {
  const labels = { app: name };
  const limits = { memory: spec.memory ?? "64Mi" };
  const container: Container = {
    name: "cache",
    image: "example.org/cache",
    args: [`--policy=${spec.policy}`],
    resources: { limits },
  };
  return {
    metadata: { name, namespace },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

export async function run(client: Client): Promise<RunningControllers> {
  await installResources(client, [Cache]);
  const running = runControllers({ client, controllers: [caches], leaderElection: { name: "caches" } });
  await running.ready;
  return running;
}
