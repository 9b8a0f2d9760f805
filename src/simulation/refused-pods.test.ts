import { describe, expect, test } from "vitest";
import type { Event } from "../api/core/v1/event.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { goldenLevels } from "../machinery/schema/levels.ts";
import { nodeOptionsDefault } from "./node.ts";
import { container, openSimulated, phaseText, podsPath, type Simulated } from "./simulated-server.suite.ts";

const onNode = (amounts: object = {}, ports: readonly object[] = []) => ({
  nodeName: "node-0",
  containers: [{ ...container, resources: { requests: amounts }, ports }],
});
const podsMax = Number(nodeOptionsDefault.pods);
const statusOf = async ({ pod }: Simulated, name: string) => {
  const { status } = await pod(name);
  return [status?.phase, status?.reason, status?.message];
};

describe.each(goldenLevels)("a pod that names a node of level %s", (emulatedVersion) => {
  const rejected = emulatedVersion === "1.21" ? "Pod" : "Pod was rejected:";
  const openOne = (more: object = {}) => openSimulated({ emulatedVersion, nodes: 1, ...more });

  test("is refused for want of cpu or memory, and the next that fits is taken", async () => {
    await using simulated = await openOne();
    const { createPod, advance } = simulated;
    await createPod("first", { spec: onNode({ cpu: "7500m", memory: "1Gi" }) });
    await advance("5s");
    await createPod("cpu", { spec: onNode({ cpu: "600m" }) });
    await createPod("memory", { spec: onNode({ memory: "32256Mi" }) });
    await advance("5s");
    await createPod("fits", { spec: onNode({ cpu: "500m" }) });
    await advance("5s");
    const too = (text: string) => `${rejected} Node didn't have enough resource: ${text}`;
    expect(await statusOf(simulated, "cpu")).toEqual([
      "Failed",
      "OutOfcpu",
      too("cpu, requested: 600, used: 7500, capacity: 8000"),
    ]);
    expect(await statusOf(simulated, "memory")).toEqual([
      "Failed",
      "OutOfmemory",
      too("memory, requested: 33822867456, used: 1073741824, capacity: 34359738368"),
    ]);
    expect(phaseText(await simulated.pod("fits"))).toBe("Running*");
  });

  test("is refused when the node has as many pods as it may, until one of them is over", async () => {
    await using simulated = await openOne();
    const { createPod, advance } = simulated;
    for (let at = 1; at < podsMax; at++) await createPod(`p${at}`, { spec: onNode() });
    await createPod("short", { spec: { ...onNode(), restartPolicy: "Never" }, annotations: { "run-for": "20s" } });
    await advance("5s");
    await createPod("surplus", { spec: onNode() });
    await advance("60s");
    await createPod("later", { spec: onNode() });
    await advance("5s");
    expect(await statusOf(simulated, "surplus")).toEqual([
      "Failed",
      "OutOfpods",
      `${rejected} Node didn't have enough resource: pods, requested: 1, used: ${podsMax}, capacity: ${podsMax}`,
    ]);
    expect(phaseText(await simulated.pod("short"))).toBe("Succeeded");
    expect(phaseText(await simulated.pod("later"))).toBe("Running*");
  });

  test("is refused when another has its port, and an Event says so", async () => {
    await using simulated = await openOne();
    const { createPod, advance, send } = simulated;
    const port = { containerPort: 80, hostPort: 8080 };
    await createPod("first", { spec: onNode({}, [port]) });
    await createPod("other", { spec: onNode({}, [{ ...port, protocol: "UDP" }]) });
    await advance("5s");
    await createPod("second", { spec: onNode({}, [port]) });
    await advance("5s");
    expect(await statusOf(simulated, "second")).toEqual([
      "Failed",
      "NodePorts",
      `${rejected} Predicate NodePorts failed`,
    ]);
    expect(phaseText(await simulated.pod("other"))).toBe("Running*");
    const { items } = await send<{ items: Event[] }>("GET", "/api/v1/namespaces/default/events");
    const about = items.filter(({ involvedObject }) => involvedObject.name === "second");
    expect(about.map(({ type, reason, message }) => [type, reason, message])).toContainEqual([
      "Warning",
      "NodePorts",
      "Predicate NodePorts failed",
    ]);
  });

  test("is replaced by its StatefulSet until the port is free", async () => {
    await using simulated = await openOne({ controllers: ["statefulset"] });
    const { createPod, advance, send } = simulated;
    const spec = onNode({}, [{ containerPort: 80, hostPort: 8080 }]);
    await createPod("holds", { spec });
    await advance("5s");
    const labels = { app: "s" };
    await send("POST", "/apis/apps/v1/namespaces/default/statefulsets", {
      metadata: { name: "s" },
      spec: { serviceName: "s", selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    await advance("8s"); // it comes again and again
    await send("DELETE", `${podsPath}/holds`);
    await advance("60s");
    expect(phaseText(await simulated.pod("s-0"))).toBe("Running*");
  });
});

test("an ephemeral container runs beside the others, and its logs can be read", async () => {
  await using simulated = await openSimulated({ nodes: 1, emulatedVersion: "1.35" });
  const { createPod, advance, send, server } = simulated;
  await createPod("p", { spec: onNode() });
  await advance("5s");
  const ephemeralContainers = [{ name: "debug", image: "busybox", targetContainerName: "main" }];
  await send<Pod>("PATCH", `${podsPath}/p/ephemeralcontainers`, { spec: { ephemeralContainers } });
  await advance("5s");
  const { status } = await simulated.pod("p");
  const [debug] = status?.ephemeralContainerStatuses ?? [];
  expect(debug).toMatchObject({ name: "debug", image: "busybox", ready: false, restartCount: 0 });
  expect(debug?.state?.running?.startedAt).toBeDefined();
  expect(phaseText(await simulated.pod("p"))).toBe("Running*");
  expect((await server.fetch(`${podsPath}/p/log?container=debug`)).status).toBe(200);
});
