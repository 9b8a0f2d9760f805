import { describe, expect, test } from "vitest";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { Job } from "../api/batch/v1/job.ts";
import { Lease } from "../api/coordination/v1/lease.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { controllers } from "../controllers/list.ts";
import { withControllers } from "../controllers/scenario.suite.ts";
import { scheduler } from "../scheduler/wire.ts";
import { nodeOptionsDefault } from "./node.ts";
import { createSimulatedNodes } from "./wire.ts";

const namespace = "default";
const named = (...names: string[]) => controllers.filter(({ name }) => names.includes(name));
const living = [
  ...named("deployment", "replicaset", "job", "nodelifecycle", "garbagecollector"),
  scheduler,
  createSimulatedNodes({ ...nodeOptionsDefault, count: 3 }),
];
const server = { disableAdmissionPlugins: ["ServiceAccount"] };
const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "i" }] },
};
const readyOf = ({ status }: { status?: { conditions?: readonly { type: string; status: string }[] } }) =>
  status?.conditions?.find(({ type }) => type === "Ready")?.status;

describe("simulated nodes", () => {
  test("register, send signs of life, and run a deployment to its end", async () => {
    await withControllers(
      living,
      async ({ create, untilAll, until, client }) => {
        await untilAll(Node, "", (nodes) => nodes.length === 3 && nodes.every((node) => readyOf(node) === "True"));
        const spec = { replicas: 4, selector: { matchLabels: { app: "web" } }, template };
        await create(Deployment, { metadata: { name: "web", namespace }, spec } as Deployment);
        await until(Deployment, { namespace, name: "web" }, ({ status }) => status?.readyReplicas === 4);
        const { items } = await client.of(Pod).list({ namespace });
        expect(items.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running", "Running"]);
        expect(new Set(items.map(({ status }) => status?.podIP)).size).toBe(4);
        expect(new Set(items.map((pod) => pod.spec?.nodeName)).size).toBe(3);
        await client.of(Deployment).delete({ namespace, name: "web" }, { propagationPolicy: "Background" });
        await untilAll(Pod, namespace, (pods) => pods.length === 0);
        await untilAll(Lease, "orch-node-lease", (leases) => leases.length === 3);
      },
      { server },
    );
  });

  test("run jobs to completion, and restart pods that crash", async () => {
    await withControllers(
      living,
      async ({ create, until }) => {
        const job = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };
        await create(Job, { metadata: { name: "j", namespace }, spec: job } as Job);
        const annotations = { "simulation.orch.io/crash-after": "100ms" };
        await create(Pod, { metadata: { name: "p", namespace, annotations }, spec: template.spec } as Pod);
        await until(Job, { namespace, name: "j" }, ({ status }) => status?.succeeded === 1);
        const crashed = await until(
          Pod,
          { namespace, name: "p" },
          ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
        );
        expect(crashed.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(1);
      },
      { server },
    );
  });
});
