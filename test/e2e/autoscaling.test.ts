import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { issueAuthority, issueServing } from "../../src/main/pki/issue.ts";
import type { Answer } from "../answer.ts";
import { type PlayedNodes, playNodes } from "./played-nodes.ts";
import { describeWith, kubectl } from "./programs.ts";
import { openUpSession, type UpSession } from "./up-session.ts";

/** What the metrics server says now: thousandths of a core of each pod, and values by the name of a custom or external metric. */
interface Measured {
  cpuMilli: number;
  values: Readonly<Record<string, string>>;
}

describeWith(kubectl, "autoscalers and a metrics server behind aggregation", () => {
  let session: UpSession;
  let nodes: PlayedNodes;
  let metrics: Server;
  let folder = "";
  const measured: Measured = { cpuMilli: 0, values: {} };
  const asked: { path: string; user: unknown; isProxy: boolean }[] = [];
  const authority = issueAuthority("metrics", systemClock);

  const ctl = (args: string | readonly string[], input = "") => session.ctl(args, { input });
  const apply = (object: object) => ctl("apply -f -", JSON.stringify(object));
  /** What is read again and again is read without a process. */
  const read = async (path: string): Promise<Answer["body"]> =>
    JSON.parse(await (await session.client.fetch(path)).text());
  const replicas = async (name: string): Promise<number> =>
    (await read(`/apis/apps/v1/namespaces/default/deployments/${name}`)).spec.replicas;
  const scaledTo = (name: string, count: number) => expect.poll(() => replicas(name), { interval: 100 }).toBe(count);

  async function answer(request: IncomingMessage): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? "", "https://metrics");
    const peer = (request.socket as TLSSocket).getPeerCertificate();
    asked.push({ path: pathname, user: request.headers["x-remote-user"], isProxy: peer.subject?.CN !== undefined });
    const [, , group = "", version = "", , namespace = "", ...rest] = pathname.split("/");
    const groupVersion = `${group}/${version}`;
    const timestamp = new Date().toISOString();
    if (namespace === "") return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [] };
    const pods = async () => {
      const selector = encodeURIComponent(searchParams.get("labelSelector") ?? "");
      const { items } = await read(`/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`);
      return (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    };
    if (group === "metrics.k8s.io") {
      const usage = { cpu: `${measured.cpuMilli}m`, memory: "10Mi" };
      const items = (await pods()).map((name) => ({
        metadata: { name, namespace },
        timestamp,
        window: "30s",
        containers: [{ name: "web", usage }],
      }));
      return { kind: "PodMetricsList", apiVersion: groupVersion, items };
    }
    const metric = rest.at(-1) ?? "";
    const value = measured.values[metric];
    if (value === undefined) return undefined;
    const about = version === "v1beta2" ? { metric: { name: metric } } : { metricName: metric };
    const described = rest[1] === "*" ? await pods() : [rest[1] ?? ""];
    const items = described.map((name) => ({ describedObject: { name, namespace }, ...about, timestamp, value }));
    return { kind: "MetricValueList", apiVersion: groupVersion, items };
  }

  async function register(group: string, version: string, versionPriority: number): Promise<void> {
    const name = `${version}.${group}`;
    await apply({
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name },
      spec: {
        group,
        version,
        groupPriorityMinimum: 100,
        versionPriority,
        caBundle: Buffer.from(authority.certificate).toString("base64"),
        service: { namespace: "default", name: "metrics", port: (metrics.address() as AddressInfo).port },
      },
    });
    await ctl(`wait --for=condition=Available apiservice/${name} --timeout=25s`);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-metrics-"));
    session = await openUpSession(
      "--horizontal-pod-autoscaler-sync-period=300ms",
      "--horizontal-pod-autoscaler-downscale-stabilization=0s",
      "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
      "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
    );
    nodes = playNodes(session.client);
    const hosts = ["metrics.default.svc", "localhost"];
    const { certificate, key } = issueServing(authority, { commonName: "metrics", hosts }, systemClock);
    const tls = { cert: certificate, key, requestCert: true, rejectUnauthorized: false };
    metrics = createServer(tls, (request, response) => {
      answer(request).then(
        (body) => {
          response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
          response.end(JSON.stringify(body ?? { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 }));
        },
        () => response.writeHead(500).end(),
      );
    });
    await new Promise<void>((listening) => metrics.listen(0, "127.0.0.1", listening));
    await ctl("create service externalname metrics --external-name=localhost");
    await ctl("create deployment web --image=x --replicas=2");
    await ctl("set resources deployment web --requests=cpu=100m");
    await ctl("rollout status deployment/web --timeout=25s");
  });
  afterAll(async () => {
    await nodes?.stop();
    await session?.close();
    metrics?.closeAllConnections();
    await new Promise((closed) => metrics?.close(closed));
    await rm(folder, { recursive: true, force: true });
  });

  const autoscaler = (metric: object) => ({
    apiVersion: "autoscaling/v2beta2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 8,
      metrics: [metric],
    },
  });

  test("scale by CPU utilization, as kubectl autoscale configures", async () => {
    await register("metrics.k8s.io", "v1beta1", 15);
    measured.cpuMilli = 100;
    await ctl("autoscale deployment web --min=1 --max=4 --cpu-percent=50");
    await scaledTo("web", 4);
    await expect.poll(() => ctl("get hpa web"), { interval: 250 }).toMatch(/web +Deployment\/web +100%\/50% +1 +4 +4 /);
    expect(asked.find(({ path }) => path.endsWith("/pods"))).toMatchObject({
      user: "system:kube-controller-manager",
      isProxy: true,
    });
    measured.cpuMilli = 10;
    await scaledTo("web", 1);
    const conditions =
      "get hpa web -o jsonpath={.metadata.annotations.autoscaling\\.alpha\\.kubernetes\\.io/conditions}";
    expect(await ctl(conditions)).toContain("ValidMetricFound");
    await ctl("delete hpa web");
  });

  test("scale by metrics of pods and of objects, in the served version of the custom metrics API", async () => {
    await register("custom.metrics.k8s.io", "v1beta1", 15);
    measured.values = { hits: "30" };
    await ctl("scale deployment web --replicas=2");
    await ctl("rollout status deployment/web --timeout=25s");
    const target = { type: "AverageValue", averageValue: "10" };
    await apply(autoscaler({ type: "Pods", pods: { metric: { name: "hits" }, target } }));
    await scaledTo("web", 8); // each pod has as many hits as before, so the maximum is reached
    expect(asked.some(({ path }) => path.startsWith("/apis/custom.metrics.k8s.io/v1beta1/"))).toBe(true);

    await register("custom.metrics.k8s.io", "v1beta2", 200);
    measured.values = { hits: "30", rate: "3" };
    await ctl("delete hpa web");
    const describedObject = { apiVersion: "v1", kind: "Service", name: "metrics" };
    const object = { metric: { name: "rate" }, describedObject, target: { type: "AverageValue", averageValue: "1" } };
    await apply(autoscaler({ type: "Object", object }));
    await scaledTo("web", 3);
    expect(asked.map(({ path }) => path)).toContain(
      "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/services/metrics/rate",
    );
    await ctl("delete hpa web");
  });

  test("scale by external metrics, and not at all when these are missing", async () => {
    await register("external.metrics.k8s.io", "v1beta1", 15);
    measured.values = { queue: "50" };
    const target = { type: "AverageValue", averageValue: "10" };
    await apply(autoscaler({ type: "External", external: { metric: { name: "queue" }, target } }));
    await scaledTo("web", 5);
    measured.values = {};
    const active = async () => {
      const { status } = await read("/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers/web");
      return status.conditions.find(({ type }: { type: string }) => type === "ScalingActive");
    };
    await expect.poll(active).toMatchObject({ status: "False", reason: "FailedGetExternalMetric" });
    expect(await replicas("web")).toBe(5);
  });
});
