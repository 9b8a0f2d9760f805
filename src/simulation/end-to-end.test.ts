import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import type { Job } from "../api/batch/v1/job.ts";
import type { Event } from "../api/core/v1/event.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import type { ResourceQuota } from "../api/core/v1/resource-quota.ts";
import type { EndpointSlice } from "../api/discovery/v1/endpoint-slice.ts";
import { goldenLevels } from "../machinery/schema/levels.ts";
import { container, openSimulated, phaseText, podsPath } from "./simulated-server.suite.ts";

const apps = "/apis/apps/v1/namespaces/default";
const batch = "/apis/batch/v1/namespaces/default/jobs";
const core = "/api/v1/namespaces/default";
const labels = { app: "web" };
const selector = { matchLabels: labels };
const templateOf = (image = "i", more: object = {}) => ({
  metadata: { labels },
  spec: { containers: [{ ...container, image }], ...more },
});
const nodeOf = ({ spec }: Pod) => spec?.nodeName;
const imageOf = ({ spec }: Pod) => spec?.containers[0]?.image;

describe.each(goldenLevels)("on simulated nodes of level %s", (emulatedVersion) => {
  test("a Deployment that is changed during its rollout gives up the unfinished version and ends with the newest", async () => {
    await using simulated = await openSimulated({
      emulatedVersion,
      nodes: 2,
      controllers: ["deployment", "replicaset"],
    });
    const { send, advance, pods } = simulated;
    const change = (image: string, startAfter: string) => {
      const metadata = { annotations: { "simulation.orch.io/start-after": startAfter } };
      const template = { metadata, spec: { containers: [{ ...container, image }] } };
      return send("PATCH", `${apps}/deployments/web`, { spec: { template } });
    };
    const spec = { replicas: 4, selector, template: templateOf("one") };
    await send("POST", `${apps}/deployments`, { metadata: { name: "web" }, spec });
    await advance("10s");
    await change("two", "5m");
    await advance("10s");
    expect((await pods()).filter((pod) => imageOf(pod) === "two").map(phaseText)).toEqual(["Pending", "Pending"]);
    await change("three", "1s");
    await advance("60s");
    expect((await pods()).map((pod) => `${imageOf(pod)} ${phaseText(pod)}`)).toEqual(Array(4).fill("three Running*"));
    const { items } = await send<{ items: ReplicaSet[] }>("GET", `${apps}/replicasets`);
    expect(items.map((one) => one.spec?.replicas).sort()).toEqual([0, 0, 4]);
  });

  test.runIf(emulatedVersion === "1.35")(
    "an indexed Job completes each index, also one whose first pod fails",
    async () => {
      await using simulated = await openSimulated({ nodes: 2, controllers: ["job"], emulatedVersion });
      const { send, advance, pods } = simulated;
      const spec = { completions: 3, parallelism: 3, completionMode: "Indexed", backoffLimit: 3 };
      const template = { spec: { restartPolicy: "Never", containers: [container] } };
      await send("POST", batch, { metadata: { name: "j" }, spec: { ...spec, template } });
      await advance("500ms");
      const one = (await pods()).find(({ metadata }) => metadata.name?.startsWith("j-1-"));
      await send("PATCH", `${podsPath}/${one?.metadata.name}`, {
        metadata: { annotations: { "simulation.orch.io/exit": '{"main": {"restarts": 0, "exitCode": 3}}' } },
      });
      await advance("60s");
      const { status } = await send<Job>("GET", `${batch}/j`);
      expect(status).toMatchObject({ succeeded: 3, failed: 1, completedIndexes: "0-2" });
      const ended = (await pods())
        .map(({ metadata, status }) => `${metadata.name?.slice(0, 3)} ${status?.phase}`)
        .sort();
      expect(ended).toEqual(["j-0 Succeeded", "j-1 Failed", "j-1 Succeeded", "j-2 Succeeded"]);
    },
  );

  test("a DaemonSet is updated node by node", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 4, controllers: ["daemonset"] });
    const { send, advance, pods } = simulated;
    await send("POST", `${apps}/daemonsets`, {
      metadata: { name: "d" },
      spec: { selector, template: templateOf("one") },
    });
    await advance("10s");
    const before = await pods();
    expect(new Set(before.map(nodeOf)).size).toBe(4);
    await send("PATCH", `${apps}/daemonsets/d`, { spec: { template: templateOf("two") } });
    let fewest = 4;
    for (let second = 0; second < 60; second++) {
      await advance("1s");
      fewest = Math.min(fewest, (await pods()).filter((pod) => phaseText(pod) === "Running*").length);
    }
    expect(fewest).toBeGreaterThanOrEqual(3);
    expect((await pods()).map((pod) => `${imageOf(pod)} ${phaseText(pod)}`)).toEqual(Array(4).fill("two Running*"));
  });

  test("a quota counts pods until they have ended, and refuses more", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 1, controllers: ["resourcequota"] });
    const { send, advance, createPod } = simulated;
    await send("POST", `${core}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { pods: "2" } } });
    await advance("5s");
    const used = async () => (await send<ResourceQuota>("GET", `${core}/resourcequotas/q`)).status?.used?.["pods"];
    await createPod("a", { spec: { restartPolicy: "Never" }, annotations: { "run-for": "10s" } });
    await createPod("b");
    await expect(createPod("c")).rejects.toThrow("exceeded quota");
    await advance("5s");
    expect(await used()).toBe("2");
    await advance("30s");
    expect(await used()).toBe("1");
    await createPod("c");
  });

  test("a Service has the addresses of its ready pods, and loses those that are not", async () => {
    await using simulated = await openSimulated({
      emulatedVersion,
      nodes: 2,
      controllers: ["endpointslice", "endpoint"],
    });
    const { send, advance, createPod, pod } = simulated;
    await send("POST", `${core}/services`, {
      metadata: { name: "web" },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    await createPod("a", { labels });
    await createPod("b", { labels, annotations: { "never-ready": "true" } });
    await advance("5s");
    const slices = "/apis/discovery.orch.io/v1/namespaces/default/endpointslices";
    const told = async () =>
      (await send<{ items: EndpointSlice[] }>("GET", slices)).items
        .flatMap(({ endpoints }) => endpoints ?? [])
        .map(({ addresses, conditions }) => `${addresses?.[0]} ${conditions?.ready}`)
        .sort();
    const [a, b] = [(await pod("a")).status?.podIP, (await pod("b")).status?.podIP];
    expect(await told()).toEqual([`${a} true`, `${b} false`].sort());
    const annotations = { "simulation.orch.io/never-ready": "true" };
    await send("PATCH", `${podsPath}/a`, { metadata: { annotations } });
    await advance("5s");
    expect(await told()).toEqual([`${a} false`, `${b} false`].sort());
  });

  test.runIf(emulatedVersion === "1.35")("a Job with a sidecar ends with its own container", async () => {
    await using simulated = await openSimulated({ nodes: 1, controllers: ["job"], emulatedVersion });
    const { send, advance, pods } = simulated;
    const sidecar = { name: "log", image: "i", restartPolicy: "Always" };
    const podSpec = { restartPolicy: "Never", initContainers: [sidecar], containers: [container] };
    await send("POST", batch, { metadata: { name: "j" }, spec: { template: { spec: podSpec } } });
    await advance("700ms");
    const [running] = await pods();
    expect(running?.status?.initContainerStatuses?.[0]).toMatchObject({ started: true, state: { running: {} } });
    await advance("30s");
    const [ended] = await pods();
    expect(ended?.status?.phase).toBe("Succeeded");
    expect(ended?.status?.initContainerStatuses?.[0]?.state?.terminated).toBeDefined();
    expect((await send<Job>("GET", `${batch}/j`)).status).toMatchObject({ succeeded: 1 });
  });

  test("an important pod takes the place of the least important one, which stops within its grace period", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 1 });
    const { send, advance, createPod, pod, pods } = simulated;
    const classes = "/apis/scheduling.orch.io/v1/priorityclasses";
    for (const [name, value] of [
      ["low", 1],
      ["high", 100],
    ] as const)
      await send("POST", classes, { metadata: { name }, value });
    const of = (priorityClassName: string) => ({
      priorityClassName,
      containers: [{ ...container, resources: { requests: { cpu: "4" } } }],
    });
    await createPod("first", { spec: of("low"), annotations: { "stop-after": "10s" } });
    await createPod("second", { spec: of("high") });
    await advance("5s");
    await createPod("third", { spec: of("high") });
    await advance("3s");
    const first = await pod("first");
    expect(first.metadata.deletionTimestamp).toBeDefined();
    const disruption = first.status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason;
    expect(disruption).toBe(emulatedVersion === "1.21" ? undefined : "PreemptionByScheduler");
    expect((await pod("third")).status?.nominatedNodeName).toBe("node-0");
    await advance("30s");
    expect((await pods()).map((one) => `${one.metadata.name} ${phaseText(one)}`)).toEqual([
      "second Running*",
      "third Running*",
    ]);
    const { items } = await send<{ items: Event[] }>("GET", `${core}/events`);
    expect(items.find(({ reason }) => reason === "Preempted")?.message).toContain("third");
  });

  test("a taint with NoExecute evicts pods at once, after the time that they tolerate it, or never", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 1 });
    const { send, advance, createPod, pods } = simulated;
    const toleration = { key: "k", operator: "Exists", effect: "NoExecute" };
    await createPod("at-once");
    await createPod("later", { spec: { tolerations: [{ ...toleration, tolerationSeconds: 20 }] } });
    await createPod("never", { spec: { tolerations: [toleration] } });
    await advance("5s");
    await send("PATCH", "/api/v1/nodes/node-0", { spec: { taints: [{ key: "k", value: "v", effect: "NoExecute" }] } });
    const names = async () => (await pods()).map(({ metadata }) => metadata.name).sort();
    await advance("10s");
    expect(await names()).toEqual(["later", "never"]);
    await advance("15s");
    expect(await names()).toEqual(["never"]);
  });
});
