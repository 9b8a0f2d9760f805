import { expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Event } from "../../api/core/v1/event.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { isPodReady } from "../parts/pods/state.ts";
import { replicaSetController } from "../replicaset/wire.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { templateOf } from "./deployment.suite.ts";
import { deploymentController } from "./wire.ts";

const namespace = "default";
const ref = { namespace, name: "d" };
const both = [replicaSetController, deploymentController];
const deployment = (replicas: number): Deployment => ({
  metadata: { ...ref },
  spec: { replicas, selector: { matchLabels: { app: "x" } }, template: templateOf("img:1") },
});

/** As a node would: every pod becomes ready. */
async function readyAll({ client, untilAll }: Scenario, count: number): Promise<void> {
  const pods = await untilAll(Pod, namespace, (all) => all.length >= count);
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  for (const pod of pods.filter((each) => !isPodReady(each))) {
    const name = pod.metadata.name ?? "";
    await client.of(Pod).patch({ namespace, name }, { status }, { subresource: "status" });
  }
}

test("a rollout completes, and the old set is kept without pods", () =>
  withControllers(both, async (scenario) => {
    await scenario.create(Deployment, deployment(1));
    await readyAll(scenario, 1);
    const isDone = ({ status }: Deployment) =>
      status?.conditions?.some(({ reason }) => reason === "NewReplicaSetAvailable") === true;
    const first = await scenario.until(Deployment, ref, isDone);
    expect(first.metadata.annotations).toEqual({ "deployment.orch.io/revision": "1" });
    const containers = [{ name: "c", image: "img:2" }];
    await scenario.client.of(Deployment).patch(ref, { spec: { template: { spec: { containers } } } });
    await readyAll(scenario, 2);
    const sets = await scenario.untilAll(
      ReplicaSet,
      namespace,
      (all) => all.length === 2 && all.filter(({ spec }) => spec?.replicas === 0).length === 1,
    );
    const last = await scenario.until(
      Deployment,
      ref,
      (each) => isDone(each) && each.status?.observedGeneration === 2 && each.status.replicas === 1,
    );
    expect(last.metadata.annotations).toEqual({ "deployment.orch.io/revision": "2" });
    expect(sets.map(({ metadata }) => metadata.annotations?.["deployment.orch.io/revision"]).sort()).toEqual([
      "1",
      "2",
    ]);
    const events = await scenario.untilAll(
      Event,
      namespace,
      (all) => all.filter(({ reason }) => reason === "ScalingReplicaSet").length === 3,
    );
    expect(events.some(({ source }) => source?.component === "deployment-controller")).toBe(true);
  }));

test("a name that another owner has is avoided with the collision count", () =>
  withControllers([deploymentController], async (scenario) => {
    await scenario.create(Deployment, deployment(1));
    const [set] = await scenario.untilAll(ReplicaSet, namespace, (all) => all.length === 1);
    const name = set?.metadata.name ?? "";
    await scenario.client.of(Deployment).delete(ref, { propagationPolicy: "Orphan" });
    await scenario.client
      .of(Deployment)
      .patch(ref, { metadata: { finalizers: null } })
      .catch(() => {});
    await scenario.untilGone(Deployment, ref);
    // Now owned by another: another template under the same name.
    const stranger = { app: "other" };
    await scenario.client.of(ReplicaSet).delete({ namespace, name });
    await scenario.create(ReplicaSet, {
      metadata: { name, namespace },
      spec: {
        selector: { matchLabels: stranger },
        template: { ...templateOf("img:9"), metadata: { labels: stranger } },
      },
    });
    await scenario.create(Deployment, deployment(1));
    const found = await scenario.until(Deployment, ref, ({ status }) => status?.collisionCount === 1);
    expect(found.metadata.name).toBe("d");
    await scenario.untilAll(ReplicaSet, namespace, (all) => all.length === 2);
  }));
