import { afterAll, beforeAll, expect, test } from "vitest";
import type { Node } from "../../api/core/v1/node.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
const podsPath = "/api/v1/namespaces/default/pods";
const json = async <T>(path: string) => (await (await session.server.fetch(path)).json()) as T; // what the server has there
const podNow = (name: string) => json<Pod>(`${podsPath}/${name}`);
const advance = (by: string) => session.server.clock.advance(by);

async function create(path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await session.server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}
const spec = (more: object = {}) => ({ containers: [{ name: "main", image: "i" }], ...more });

beforeAll(async () => {
  const controllers = ["nodelifecycle", "deployment", "replicaset"] as const;
  session = await openSession("ctl", { nodes: 2, clock: "virtual", controllers });
  await advance("2s");
});
afterAll(() => session[Symbol.asyncDispose]());

const taints = async (name: string) =>
  ((await json<Node>(`/api/v1/nodes/${name}`)).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort();
const isReady = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === "Ready")?.status;

test("a failed node is tainted, its pods are replaced elsewhere, and it comes back", async () => {
  const labels = { app: "web" };
  const tolerations = ["not-ready", "unreachable"].map((name) => ({
    key: `node.orch.io/${name}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 10,
  }));
  const template = { metadata: { labels }, spec: spec({ tolerations }) };
  await create("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "web" },
    spec: { replicas: 4, selector: { matchLabels: labels }, template },
  });
  await advance("5s");
  const nodesOf = async () =>
    (await json<{ items: Pod[] }>(`${podsPath}?labelSelector=app%3Dweb`)).items
      .filter((pod) => pod.metadata.deletionTimestamp == null && isReady(pod) === "True")
      .map((pod) => pod.spec?.nodeName)
      .sort();
  expect(await nodesOf()).toEqual(["node-0", "node-0", "node-1", "node-1"]);
  expect(await session.ok("simulate node fail node-1")).toBe("node/node-1 failed\n");
  await advance("2m");
  expect(await taints("node-1")).toEqual(["node.orch.io/unreachable:NoExecute", "node.orch.io/unreachable:NoSchedule"]);
  expect(await nodesOf()).toEqual(["node-0", "node-0", "node-0", "node-0"]);
  expect(await session.ok("simulate node recover node-1")).toBe("node/node-1 recovered\n");
  await advance("1m");
  expect(await taints("node-1")).toEqual([]);
  // The pods that were to leave are gone, now that their agent works again.
  expect((await json<{ items: Pod[] }>(podsPath)).items).toHaveLength(4);
});

test("a node that says that it is not ready, or is short of memory, is tainted for it", async () => {
  await session.ok("simulate node unready node-0");
  await session.ok("simulate node pressure node-1 --of=memory");
  await create(podsPath, { metadata: { name: "small" }, spec: spec({ nodeName: "node-1" }) });
  await advance("30s");
  expect(await taints("node-0")).toEqual(["node.orch.io/not-ready:NoExecute", "node.orch.io/not-ready:NoSchedule"]);
  expect(await taints("node-1")).toEqual(["node.orch.io/memory-pressure:NoSchedule"]);
  expect((await podNow("small")).status).toMatchObject({
    phase: "Failed",
    reason: "Evicted",
    message: "The node was low on resource: memory. ",
  });
  await session.ok("simulate node recover --all");
  await advance("30s");
  expect([await taints("node-0"), await taints("node-1")]).toEqual([[], []]);
});

test("a pod crashes once, loses its readiness and gets it back, and finishes", async () => {
  const annotations = { "simulation.orch.io/run-for": "1h" };
  await create(podsPath, { metadata: { name: "a", annotations }, spec: spec({ restartPolicy: "OnFailure" }) });
  await advance("2s");
  expect(await session.ok("simulate pod crash a --exit-code=9")).toBe("pod/a crashed\n");
  await advance("2m");
  expect((await podNow("a")).status?.containerStatuses?.[0]).toMatchObject({
    ready: true,
    restartCount: 1,
    lastState: { terminated: { exitCode: 9 } },
  });
  await session.ok("simulate pod unready a");
  await advance("1s");
  expect(isReady(await podNow("a"))).toBe("False");
  await session.ok("simulate pod recover a");
  await advance("1s");
  expect(isReady(await podNow("a"))).toBe("True");
  expect(await session.ok("simulate pod finish a")).toBe("pod/a finished\n");
  await advance("1s");
  expect((await podNow("a")).status?.phase).toBe("Succeeded");
  expect((await session.run("simulate pod crash a")).err).toContain('no container of pod "a" is running');
});

test("what cannot be simulated is refused", async () => {
  await create("/api/v1/nodes", { metadata: { name: "real" } });
  expect((await session.run("simulate node fail real")).err).toContain('node "real" is not simulated');
  expect((await session.run("simulate node fail")).err).toContain("USAGE: simulate node fail NAME");
  expect((await session.run("simulate node pressure node-0 --of=air")).err).toContain('not "air"');
  expect((await session.run("simulate pod crash a --exit-code=0")).err).toContain("must be from 1 to 255");
  expect((await session.run("simulate pod crash a -c none")).err).toContain('container "none" of pod "a"');
});
