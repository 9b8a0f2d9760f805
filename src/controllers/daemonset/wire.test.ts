import { expect, test } from "vitest";
import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { nodeOf } from "./pod.ts";
import { daemonSetController } from "./wire.ts";

const namespace = "default";
const ref = { namespace, name: "ds" };
const labels = { app: "d" };
const set: DaemonSet = {
  metadata: { ...ref },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "img:1" }] } },
  },
};
/** New nodes are tainted until they are known to be ready. */
async function addNode({ client, create }: Scenario, name: string): Promise<void> {
  await create(Node, { metadata: { name } });
  await client.of(Node).patch({ name }, { spec: { taints: null } });
}
const makeReady = ({ client }: Scenario, pod: Pod | undefined) =>
  client
    .of(Pod)
    .patch(
      { namespace, name: pod?.metadata.name ?? "" },
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
      { subresource: "status" },
    );

test("every node gets a pod, including later nodes, and an update replaces them one by one", () =>
  withControllers([daemonSetController], async (scenario) => {
    const { client, create, until, untilAll } = scenario;
    await addNode(scenario, "a");
    await create(DaemonSet, set);
    await untilAll(Pod, namespace, (all) => all.length === 1);
    await addNode(scenario, "b");
    const pods = await untilAll(Pod, namespace, (all) => all.length === 2);
    expect(pods.map(nodeOf).sort()).toEqual(["a", "b"]);
    for (const pod of pods) await makeReady(scenario, pod);
    await until(DaemonSet, ref, ({ status }) => status?.numberAvailable === 2);

    const containers = [{ name: "c", image: "img:2" }];
    await client.of(DaemonSet).patch(ref, { spec: { template: { spec: { containers } } } });
    const isNew = ({ spec }: Pod) => spec?.containers?.[0]?.image === "img:2";
    const mixed = await untilAll(Pod, namespace, (all) => all.length === 2 && all.some(isNew));
    expect(mixed.filter(isNew)).toHaveLength(1);
    await makeReady(scenario, mixed.find(isNew));
    await untilAll(Pod, namespace, (all) => all.length === 2 && all.every(isNew));
    await untilAll(ControllerRevision, namespace, (all) => all.length === 2);
    const done = await until(DaemonSet, ref, ({ status }) => status?.updatedNumberScheduled === 2);
    expect(done.status?.observedGeneration).toBe(2);
  }));

test("with a surge the new pod of a node exists before the old one is deleted", () =>
  withControllers(
    [daemonSetController],
    async (scenario) => {
      const { client, create, untilAll } = scenario;
      await addNode(scenario, "a");
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      await create(DaemonSet, { ...set, spec: { ...set.spec, updateStrategy } as NonNullable<DaemonSet["spec"]> });
      const [old] = await untilAll(Pod, namespace, (all) => all.length === 1);
      await makeReady(scenario, old);
      const containers = [{ name: "c", image: "img:2" }];
      await client.of(DaemonSet).patch(ref, { spec: { template: { spec: { containers } } } });
      const both = await untilAll(Pod, namespace, (all) => all.length === 2);
      await makeReady(
        scenario,
        both.find(({ metadata }) => metadata.uid !== old?.metadata.uid),
      );
      await untilAll(Pod, namespace, (all) => all.length === 1 && all[0]?.metadata.uid !== old?.metadata.uid);
    },
    levelDefault === "1.21" ? { featureGates: { DaemonSetUpdateSurge: true } } : {}, // later releases have it without a gate
  ));
