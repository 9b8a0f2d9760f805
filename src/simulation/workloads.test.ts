import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import type { Job } from "../api/batch/v1/job.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import type { AnyObject } from "../client/contract.ts";
import { openSession } from "../ctl/session.suite.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { goldenLevels } from "../machinery/schema/levels.ts";
import { container, openSimulated, phaseText, podsPath, type Simulated } from "./simulated-server.suite.ts";

const apps = "/apis/apps/v1/namespaces/default";
const labels = { app: "web" };
const selector = { matchLabels: labels };
const templateOf = (image = "i", more: object = {}) => ({
  metadata: { labels },
  spec: { containers: [{ ...container, image }], ...more },
});
const namesOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).sort();
const isLive = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp == null && status?.phase !== "Failed" && status?.phase !== "Succeeded";
const isAvailable = (pod: Pod) => isLive(pod) && phaseText(pod) === "Running*";

/** The long form has the numbers that people ask about; the short one is for every day. */
const isLong = process.env["LONG_TESTS"] === "1";
const [replicas, nodes] = isLong ? [2_000, 100] : [20, 4];
/** The tests of the controllers are about the default level at every run, so that this is about the newest. */
const levels = isLong ? goldenLevels : goldenLevels.slice(-1);

/** The sum over all objects at the path, first and after each event, until the returned function is called. */
async function watchSum<T extends AnyObject>(
  { server }: Pick<Simulated, "server">,
  path: string,
  countOf: (object: T) => number,
  see: (sum: number) => void,
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const list = (await (await server.fetch(path)).json()) as { items: T[]; metadata: { resourceVersion: string } };
  const known = new Map(list.items.map((one) => [one.metadata.name, countOf(one)]));
  let sum = [...known.values()].reduce((all, value) => all + value, 0);
  see(sum);
  const query = `?watch=true&resourceVersion=${list.metadata.resourceVersion}`;
  const { body } = await server.fetch(path + query, { signal: stop.signal });
  let rest = "";
  const reading = (async () => {
    for await (const chunk of body ?? []) {
      const lines = (rest + Buffer.from(chunk).toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { type, object } = JSON.parse(line) as { type: string; object: T };
        const { name } = object.metadata;
        const value = type === "DELETED" ? 0 : countOf(object);
        sum += value - (known.get(name) ?? 0);
        known.set(name, value);
        see(sum);
      }
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return async () => {
    stop.abort();
    await reading;
  };
}

describe.each(levels)("on simulated nodes of level %s", (emulatedVersion) => {
  test(`a Deployment of ${replicas} replicas keeps within its surge and its availability at every moment of a rollout`, async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes, controllers: ["deployment", "replicaset"] });
    const { send, advance } = simulated;
    const strategy = { rollingUpdate: { maxSurge: "20%", maxUnavailable: "10%" } };
    const spec = { replicas, selector, strategy, template: templateOf("one") };
    await send("POST", `${apps}/deployments`, { metadata: { name: "web" }, spec });
    await advance("30s");
    const seen = { mostWanted: 0, mostLive: 0, fewest: replicas, events: 0 };
    const one = (is: boolean) => (is ? 1 : 0);
    const stops = [
      await watchSum<ReplicaSet>(
        simulated,
        `${apps}/replicasets`,
        ({ spec }) => spec?.replicas ?? 0,
        (sum) => {
          seen.mostWanted = Math.max(seen.mostWanted, sum);
        },
      ),
      await watchSum<Pod>(
        simulated,
        podsPath,
        (pod) => one(isLive(pod)),
        (sum) => {
          seen.events++;
          seen.mostLive = Math.max(seen.mostLive, sum);
        },
      ),
      await watchSum<Pod>(
        simulated,
        podsPath,
        (pod) => one(isAvailable(pod)),
        (sum) => {
          seen.fewest = Math.min(seen.fewest, sum);
        },
      ),
    ];
    await send("PATCH", `${apps}/deployments/web`, { spec: { template: templateOf("two") } });
    await advance("2m");
    for (const stop of stops) await stop();
    const { status } = await send<{ status: object }>("GET", `${apps}/deployments/web`);
    expect(status).toMatchObject({ replicas, updatedReplicas: replicas, availableReplicas: replicas });
    const images = new Set((await simulated.pods()).map((pod) => pod.spec?.containers[0]?.image));
    expect([...images]).toEqual(["two"]);
    expect(seen.events).toBeGreaterThan(replicas * 3);
    expect([seen.mostWanted, seen.mostLive]).toEqual([replicas * 1.2, replicas * 1.2]);
    expect(seen.fewest).toBeGreaterThanOrEqual(replicas * 0.9);
    expect(seen.fewest).toBeLessThan(replicas);
  }, 600_000);

  test("a StatefulSet starts its pods one after the other, and replaces them from the last to the first", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 2, controllers: ["statefulset"] });
    const { send, advance } = simulated;
    const annotations = { "simulation.orch.io/start-after": "10s" };
    const template = { ...templateOf("one"), metadata: { labels, annotations } };
    const spec = { replicas: 3, serviceName: "db", selector, template };
    await send("POST", `${apps}/statefulsets`, { metadata: { name: "db" }, spec });
    const seen: (string | undefined)[][] = [];
    for (let times = 0; times < 3; times++) {
      await advance("9s");
      seen.push(namesOf(await simulated.pods()));
    }
    expect(seen).toEqual([["db-0"], ["db-0", "db-1"], ["db-0", "db-1", "db-2"]]);
    const next = { ...template, spec: templateOf("two").spec };
    await send("PATCH", `${apps}/statefulsets/db`, { spec: { template: next } });
    await advance("5s");
    const updated = async () =>
      (await simulated.pods())
        .filter((pod) => pod.spec?.containers[0]?.image === "two")
        .map((pod) => pod.metadata.name);
    expect(await updated()).toEqual(["db-2"]);
    await advance("1m");
    expect(await updated()).toEqual(["db-0", "db-1", "db-2"]);
    expect((await simulated.pods()).map(phaseText)).toEqual(["Running*", "Running*", "Running*"]);
  });

  test("a Job runs as many pods as it may at once until enough have succeeded, and fails after too many failures", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 1, controllers: ["job"] });
    const { send, advance } = simulated;
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const job = (name: string, spec: object, annotations = {}) => {
      const template = { metadata: { annotations }, spec: { containers: [container], restartPolicy: "Never" } };
      return send("POST", jobs, { metadata: { name }, spec: { template, ...spec } });
    };
    await job("six", { completions: 6, parallelism: 2 }, { "simulation.orch.io/run-for": "10s" });
    await job("bad", { backoffLimit: 1 }, { "simulation.orch.io/crash-after": "1s" });
    await advance("9s");
    const statusOf = async (name: string) => (await send<{ status: Job["status"] }>("GET", `${jobs}/${name}`)).status;
    const lastOf = async (name: string) => (await statusOf(name))?.conditions?.at(-1);
    expect(await statusOf("six")).toMatchObject({ active: 2 });
    await advance("5m");
    expect(await statusOf("six")).toMatchObject({ succeeded: 6 });
    expect(await lastOf("six")).toMatchObject({ type: "Complete", status: "True" });
    expect(await lastOf("bad")).toMatchObject({ type: "Failed", reason: "BackoffLimitExceeded" });
  });

  test("a DaemonSet has a pod on every node that it tolerates, also on one that comes later", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 3, controllers: ["daemonset"] });
    const { send, advance } = simulated;
    const taints = [{ key: "only", value: "others", effect: "NoSchedule" }];
    await send("PATCH", "/api/v1/nodes/node-2", { spec: { taints } });
    await send("POST", `${apps}/daemonsets`, {
      metadata: { name: "agent" },
      spec: { selector, template: templateOf() },
    });
    await advance("5s");
    const where = async () =>
      (await simulated.pods())
        .filter(isAvailable)
        .map((pod) => pod.spec?.nodeName)
        .sort();
    expect(await where()).toEqual(["node-0", "node-1"]);
    await send("PATCH", "/api/v1/nodes/node-2", { spec: { taints: null } });
    await advance("5s");
    expect(await where()).toEqual(["node-0", "node-1", "node-2"]);
  });

  test("a disruption budget allows as many evictions as ready pods are left, and refuses the next", async () => {
    await using simulated = await openSimulated({
      emulatedVersion,
      nodes: 2,
      controllers: ["replicaset", "disruption"],
    });
    const { send, advance, server } = simulated;
    await send("POST", `${apps}/replicasets`, {
      metadata: { name: "web" },
      spec: { replicas: 3, selector, template: templateOf() },
    });
    await send("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
      metadata: { name: "web" },
      spec: { minAvailable: 2, selector },
    });
    await advance("5s");
    const [first = "", second = ""] = namesOf(await simulated.pods());
    const evict = async (name: string) => {
      const body = JSON.stringify({
        apiVersion: "policy/v1beta1",
        kind: "Eviction",
        metadata: { name, namespace: "default" },
      });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      return (await server.fetch(`${podsPath}/${name}/eviction`, init)).status;
    };
    expect([await evict(first), await evict(second)]).toEqual([201, 429]);
    await advance("5s");
    const left = await simulated.pods();
    expect([left.length, left.every(isAvailable), namesOf(left).includes(first)]).toEqual([3, true, false]);
    expect(await evict(second)).toBe(201);
  });

  test("a drain waits for the budget of the pods that it evicts", async () => {
    const controllers = ["replicaset", "disruption", "nodelifecycle"] as const;
    await using session = await openSession("ctl", { emulatedVersion, nodes: 2, controllers });
    const { server } = session;
    const create = async (path: string, body: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      expect((await server.fetch(path, init)).status).toBe(201);
    };
    await create(`${apps}/replicasets`, {
      metadata: { name: "web" },
      spec: { replicas: 4, selector, template: templateOf() },
    });
    const budget = { metadata: { name: "web" }, spec: { minAvailable: 3, selector } };
    await create("/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget);
    await server.until(
      "poddisruptionbudgets",
      "web",
      ({ status }: ApiObject & { status?: { disruptionsAllowed?: number } }) => status?.disruptionsAllowed === 1,
      // The pods start in the time of the machine, on which others may work.
      { timeoutMs: 60_000 },
    );
    const nodesOfPods = async () => {
      const { items } = (await (await server.fetch(podsPath)).json()) as { items: Pod[] };
      return items.filter(isLive).map((pod) => pod.spec?.nodeName);
    };
    // Where the scheduler saw one node first, that node has three of the four.
    const isFirstBusy = (await nodesOfPods()).filter((node) => node === "node-0").length >= 2;
    const [drained, other] = isFirstBusy ? ["node-0", "node-1"] : ["node-1", "node-0"];
    let fewest = 4;
    const stop = await watchSum<Pod>(
      { server },
      podsPath,
      (pod) => (isAvailable(pod) ? 1 : 0),
      (sum) => {
        fewest = Math.min(fewest, sum);
      },
    );
    const { code, err } = await session.run(`drain ${drained} --timeout=60s`);
    await stop();
    expect(code).toBe(0);
    expect(fewest).toBeGreaterThanOrEqual(3);
    expect(err).toContain("it would violate the pod's disruption budget");
    // The drain does not wait for the scheduler to bind what replaces the last pod.
    await expect.poll(nodesOfPods).toEqual([other, other, other, other]);
  });
});
