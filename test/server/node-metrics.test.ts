import { describe, expect, test } from "vitest";
import { goldenLevels } from "../../src/machinery/schema/levels.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const metrics = "/apis/metrics.orch.io/v1beta1";
const json = async <T>(server: OrchServer, path: string): Promise<T> => (await (await server.fetch(path)).json()) as T;

interface Metrics {
  readonly metadata: { readonly name: string };
  readonly usage?: Record<string, string>;
  readonly containers?: { name: string; usage: Record<string, string> }[];
}

async function send(server: OrchServer, method: "POST" | "PATCH", path: string, body: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await server.fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

const template = (labels: object, annotations: object = {}) => ({
  metadata: { labels, annotations },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "200m", memory: "128Mi" } } }] },
});

test("a server without simulated nodes does not serve metrics", async () => {
  await using server = await createServer();
  expect((await server.fetch(`${metrics}/pods`)).status).toBe(404);
});

for (const emulatedVersion of goldenLevels)
  describe(`at level ${emulatedVersion}`, () => {
    test("pods and nodes have metrics, by namespace and selector, that change with an annotation", async () => {
      await using server = await createServer({ emulatedVersion, nodes: 2, clock: "virtual" });
      await server.clock.advance("1s");
      const pods = "/api/v1/namespaces/default/pods";
      for (const [name, usage] of [
        ["steady", "250m"],
        ["rising", "0s=100m, 10m=1100m"],
      ] as const) {
        const annotations = { "simulation.orch.io/cpu-usage": usage };
        const { spec } = template({});
        await send(server, "POST", pods, { metadata: { name, labels: { app: name }, annotations }, spec });
      }
      await server.clock.advance("5m");
      const usageOf = async (name: string) =>
        (await json<Metrics>(server, `${metrics}/namespaces/default/pods/${name}`)).containers;
      expect(await usageOf("steady")).toEqual([{ name: "c", usage: { cpu: "250m", memory: "64Mi" } }]);
      expect(Number.parseInt((await usageOf("rising"))?.[0]?.usage["cpu"] ?? "", 10)).toBeGreaterThan(590);
      await send(server, "PATCH", `${pods}/steady`, {
        metadata: { annotations: { "simulation.orch.io/cpu-usage": "90%" } },
      });
      await server.settled();
      expect((await usageOf("steady"))?.[0]?.usage["cpu"]).toBe("180m");
      const names = async (path: string) =>
        (await json<{ items: Metrics[] }>(server, path)).items.map(({ metadata }) => metadata.name);
      expect(await names(`${metrics}/pods?labelSelector=app%3Drising`)).toEqual(["rising"]);
      expect(await names(`${metrics}/namespaces/other/pods`)).toEqual([]);
      expect((await server.fetch(`${metrics}/namespaces/other/pods/steady`)).status).toBe(404);
      expect(await names(`${metrics}/nodes`)).toEqual(["node-0", "node-1"]);
      expect((await json<Metrics>(server, `${metrics}/nodes/node-0`)).usage?.["cpu"]).toMatch(/^\d+m$/);
    });

    test("an autoscaler follows a metric that changes while the pods run, up and down", async () => {
      const controllers = ["deployment", "replicaset", "horizontalpodautoscaling"] as const;
      await using server = await createServer({ emulatedVersion, controllers, nodes: 3, clock: "virtual" });
      await server.clock.advance("1s");
      const path = "/apis/apps/v1/namespaces/default/deployments";
      const labels = { app: "web" };
      await send(server, "POST", path, {
        metadata: { name: "web" },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: template(labels) },
      });
      await send(server, "POST", "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", {
        metadata: { name: "web" },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          minReplicas: 2,
          maxReplicas: 6,
          targetCPUUtilizationPercentage: 50,
        },
      });
      const replicas = async () => (await json<{ spec: { replicas: number } }>(server, `${path}/web`)).spec.replicas;
      await server.clock.advance("3m");
      expect(await replicas()).toBe(2);
      const use = (cpu: string) =>
        send(server, "PATCH", `${path}/web`, { metadata: { annotations: { "simulation.orch.io/cpu-usage": cpu } } });
      await use("100%");
      await server.clock.advance("5m");
      expect(await replicas()).toBe(6);
      await use("10%");
      await server.clock.advance("10m");
      expect(await replicas()).toBe(2);
      expect(await json<{ items: unknown[] }>(server, "/api/v1/namespaces/default/pods")).toMatchObject({
        items: { length: 2 },
      });
    });
  });
