import { describe, expect, test } from "vitest";
import { Event } from "../api/core/v1/event.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { PodDisruptionBudget } from "../api/policy/v1/pod-disruption-budget.ts";
import { type Scenario, withControllers } from "../controllers/scenario.suite.ts";
import { scheduler } from "./wire.ts";

const namespace = "default";
const server = { disableAdmissionPlugins: ["ServiceAccount", "Priority"] };

async function addNode({ create, client }: Scenario, name: string, cpu = "4"): Promise<void> {
  const amounts = { cpu, memory: "8Gi", pods: "110" };
  await create(Node, { metadata: { name }, status: { capacity: amounts, allocatable: amounts } });
  // A new node is not ready until its agent says so.
  await client.of(Node).patch({ name }, { spec: { taints: null } });
}

const podOf = (name: string, cpu: string, more: object = {}): Pod => ({
  metadata: { name, namespace },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }], ...more } as NonNullable<
    Pod["spec"]
  >,
});

const scheduled = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === "PodScheduled");

describe("the scheduler", () => {
  test("binds pods to nodes that have room, and says so", async () => {
    await withControllers(
      [scheduler],
      async (scenario) => {
        await addNode(scenario, "small", "1");
        await addNode(scenario, "large", "4");
        await scenario.create(Pod, podOf("p", "2"));
        const bound = await scenario.until(Pod, { namespace, name: "p" }, ({ spec }) => (spec?.nodeName ?? "") !== "");
        expect(bound.spec?.nodeName).toBe("large");
        expect(scheduled(bound)?.status).toBe("True");
        await scenario.untilAll(Event, namespace, (events) =>
          events.some(
            ({ reason, message }) => reason === "Scheduled" && message === "Successfully assigned default/p to large",
          ),
        );
      },
      { server },
    );
  });

  test("says why a pod has no node, and binds it when one comes", async () => {
    await withControllers(
      [scheduler],
      async (scenario) => {
        await addNode(scenario, "small", "1");
        await scenario.create(Pod, podOf("p", "2"));
        const waiting = await scenario.until(
          Pod,
          { namespace, name: "p" },
          (pod) => scheduled(pod)?.status === "False",
        );
        expect(scheduled(waiting)).toMatchObject({
          reason: "Unschedulable",
          message: "0/1 nodes are available: 1 Insufficient cpu.",
        });
        await addNode(scenario, "large");
        await scenario.until(Pod, { namespace, name: "p" }, ({ spec }) => spec?.nodeName === "large");
      },
      { server },
    );
  });

  test("lets an important pod take the place of others", async () => {
    await withControllers(
      [scheduler],
      async (scenario) => {
        await addNode(scenario, "n", "2");
        await scenario.create(Pod, podOf("low", "2", { priority: 1 }));
        await scenario.until(Pod, { namespace, name: "low" }, ({ spec }) => spec?.nodeName === "n");
        await scenario.create(Pod, podOf("high", "1", { priority: 1_000 }));
        await scenario.until(Pod, { namespace, name: "low" }, ({ metadata }) => metadata.deletionTimestamp != null);
        // The agent of the node ends the pod.
        await scenario.client.of(Pod).delete({ namespace, name: "low" }, { gracePeriodSeconds: 0 });
        await scenario.until(Pod, { namespace, name: "high" }, ({ spec }) => spec?.nodeName === "n");
      },
      { server },
    );
  });

  test("spares pods whose disruption budget is spent where others can go", async () => {
    await withControllers(
      [scheduler],
      async (scenario) => {
        await addNode(scenario, "n", "2");
        const bound = (name: string) => scenario.until(Pod, { namespace, name }, ({ spec }) => spec?.nodeName === "n");
        const spared = podOf("spared", "1", { priority: 1 });
        // It allows nothing as long as nobody counts its pods.
        const budget = { spec: { minAvailable: 1, selector: { matchLabels: { app: "spared" } } } };
        await scenario.create(PodDisruptionBudget, { metadata: { name: "b", namespace }, ...budget });
        await scenario.create(Pod, { ...spared, metadata: { ...spared.metadata, labels: { app: "spared" } } });
        await scenario.create(Pod, podOf("other", "1", { priority: 2 }));
        await Promise.all([bound("spared"), bound("other")]);
        await scenario.create(Pod, podOf("high", "1", { priority: 1_000 }));
        await scenario.until(Pod, { namespace, name: "other" }, ({ metadata }) => metadata.deletionTimestamp != null);
        const { metadata } = await scenario.client.of(Pod).get({ namespace, name: "spared" });
        expect(metadata.deletionTimestamp).toBeUndefined();
      },
      { server },
    );
  });

  test("binds a hundred pods to ten nodes, none of them overloaded", async () => {
    await withControllers(
      [scheduler],
      async (scenario) => {
        await Promise.all(Array.from({ length: 10 }, (_, at) => addNode(scenario, `n${at}`, "2")));
        await Promise.all(Array.from({ length: 100 }, (_, at) => scenario.create(Pod, podOf(`p${at}`, "200m"))));
        const pods = await scenario.untilAll(
          Pod,
          namespace,
          (all) => all.length === 100 && all.every(({ spec }) => (spec?.nodeName ?? "") !== ""),
        );
        const counts = new Map<string, number>();
        for (const { spec } of pods) counts.set(spec?.nodeName ?? "", (counts.get(spec?.nodeName ?? "") ?? 0) + 1);
        expect(Math.max(...counts.values())).toBe(10);
      },
      { server },
    );
  });
});
