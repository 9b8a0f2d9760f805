import { describe, expect, test } from "vitest";
import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import { existsIn } from "../../base/release.ts";
import { finish } from "../../base/time-slice.ts";
import { orch } from "../../vocabulary/orch.ts";
import { features } from "../features.ts";
import { type PodParts, podOf } from "../parts/pods/pod.suite.ts";
import { createTriggerTimes } from "../parts/services/trigger-time.ts";
import { withControllers } from "../scenario.suite.ts";
import { endpointsCapacity, truncateSubsets } from "./capacity.ts";
import { desiredEndpoints, endpointKeys } from "./reconcile.ts";
import { endpointController } from "./wire.ts";

const keys = endpointKeys(orch);
/** As at level 1.21. */
const oldKeys = endpointKeys(orch, (feature) => existsIn("1.21", features[feature]));
const ready = "2021-05-01T00:00:00Z";
const serviceOf = (spec: Partial<Service["spec"]> = {}): Service => ({
  metadata: { name: "svc", namespace: "ns", creationTimestamp: ready },
  spec: { selector: { app: "x" }, clusterIP: "10.9.0.1", ports: [{ port: 80, targetPort: 8080 }], ...spec },
});
const plan = (service: Service, pods: readonly Pod[], current?: Endpoints, by = keys) =>
  finish(desiredEndpoints({ service, pods, current, triggerTime: undefined }, by));
const found = (service: Service, parts: PodParts, by = keys) => {
  const [subset] = plan(service, [podOf(parts)], undefined, by)?.subsets ?? [];
  return subset === undefined ? "nowhere" : subset.addresses ? "ready" : "not ready";
};

describe("the list that a pod is in", () => {
  const all = serviceOf({ publishNotReadyAddresses: true });
  const rows = [
    { why: "a ready pod is an address", service: serviceOf(), pod: { ip: "10.1.0.1", ready }, place: "ready" },
    {
      why: "a pod that is not ready is listed separately",
      service: serviceOf(),
      pod: { ip: "10.1.0.1" },
      place: "not ready",
    },
    { why: "a pod without an address is omitted", service: serviceOf(), pod: { ready }, place: "nowhere" },
    {
      why: "a terminating pod is omitted",
      service: serviceOf(),
      pod: { ip: "10.1.0.1", ready, deleting: true },
      place: "nowhere",
    },
    { why: "a service may publish all pods", service: all, pod: { ip: "10.1.0.1", deleting: true }, place: "ready" },
    {
      why: "the IP family of the service decides",
      service: serviceOf({ ipFamilies: ["IPv6"] }),
      pod: { ip: "10.1.0.1", ready },
      place: "nowhere",
    },
  ];
  for (const { why, service, pod, place } of rows) test(why, () => expect(found(service, pod)).toBe(place));
});

describe("pods that have ended", () => {
  const all = serviceOf({ publishNotReadyAddresses: true });
  const rows = [
    { why: "a failed pod is nowhere", phase: "Failed", service: serviceOf(), now: "nowhere", before: "not ready" },
    {
      why: "a succeeded pod is nowhere",
      phase: "Succeeded",
      service: serviceOf(),
      now: "nowhere",
      before: "not ready",
    },
    { why: "even if the service publishes all", phase: "Failed", service: all, now: "nowhere", before: "ready" },
    { why: "even if it still says that it is ready", phase: "Failed", ready, now: "nowhere", before: "ready" },
  ];
  for (const { why, service = serviceOf(), now, before, ...parts } of rows)
    test(`${why}; at 1.21 it is in the list of those that are ${before}`, () => {
      const pod = { ip: "10.1.0.1", ...parts };
      expect([found(service, pod), found(service, pod, oldKeys)]).toEqual([now, before]);
    });
});

test("an annotation publishes pods that are not ready, at 1.21 only", () => {
  const service = serviceOf();
  service.metadata.annotations = { "service.alpha.orch.io/tolerate-unready-endpoints": "true" };
  const pod = { ip: "10.1.0.1" };
  expect([found(service, pod), found(service, pod, oldKeys)]).toEqual(["not ready", "ready"]);
});

test("an address names the pod, the node and the host name", () => {
  const pod = podOf({ ip: "10.1.0.1", ready, node: "n" });
  const named = { ...pod, spec: { containers: [], ...pod.spec, hostname: "web-0", subdomain: "svc" } };
  expect(plan(serviceOf(), [named])?.subsets).toEqual([
    {
      addresses: [
        {
          ip: "10.1.0.1",
          nodeName: "n",
          hostname: "web-0",
          targetRef: { kind: "Pod", namespace: "ns", name: "p", uid: "uid-p", resourceVersion: "" },
        },
      ],
      ports: [{ port: 8080, protocol: "TCP" }],
    },
  ]);
});

test("a headless service without ports has addresses, and is marked", () => {
  const made = plan(serviceOf({ clusterIP: "None", ports: [] }), [podOf({ ip: "10.1.0.1", ready })]);
  expect(made?.metadata.labels).toEqual({ "service.orch.io/headless": "" });
  expect(made?.subsets?.[0]?.ports).toBeUndefined();
});

test("too many addresses for one object are marked by an annotation", () => {
  const pods = Array.from({ length: endpointsCapacity + 1 }, (_, index) =>
    podOf({ name: `p${index}`, ip: `10.1.${index >> 8}.${index & 255}`, ready }),
  );
  const made = plan(serviceOf(), pods);
  expect(made?.metadata.annotations).toEqual({ "endpoints.orch.io/over-capacity": "warning" });
  expect(made?.subsets?.[0]?.addresses).toHaveLength(endpointsCapacity + 1);
  const fewer = plan(serviceOf(), pods.slice(1), made);
  expect(fewer?.metadata.annotations).toEqual({});
});

test("since 1.22 addresses beyond the capacity are left out, and the annotation says so", () => {
  const truncating = endpointKeys(orch, (feature) => feature === "truncatedEndpoints");
  const pods = Array.from({ length: endpointsCapacity + 1 }, (_, index) =>
    podOf({ name: `p${index}`, ip: `10.1.${index >> 8}.${index & 255}`, ready }),
  );
  const made = plan(serviceOf(), pods, undefined, truncating);
  expect(made?.metadata.annotations).toEqual({ "endpoints.orch.io/over-capacity": "truncated" });
  expect(made?.subsets?.[0]?.addresses).toHaveLength(endpointsCapacity);
  expect(plan(serviceOf(), pods, made, truncating), "nothing changes any more").toBeUndefined();
  expect(plan(serviceOf(), pods.slice(1), made, truncating)?.metadata.annotations).toEqual({});
});

test("ready addresses are kept first, and each subset keeps its share", () => {
  const addresses = (count: number) => Array.from({ length: count }, () => ({ ip: "10.1.0.1" }));
  const kept = (...subsets: [ready: number, unready: number][]) =>
    truncateSubsets(
      subsets.map(([a, b]) => ({ addresses: addresses(a), notReadyAddresses: addresses(b), ports: [] })),
    ).map((subset) => [subset.addresses?.length ?? 0, subset.notReadyAddresses?.length ?? 0]);
  expect(kept([400, 100], [100, 400])).toEqual([
    [400, 100],
    [100, 400],
  ]);
  expect(kept([400, 300], [200, 900])).toEqual([
    [400, 100],
    [200, 300],
  ]);
  expect(kept([900, 10], [300, 10], [301, 10])).toEqual([
    [600, 0],
    [200, 0],
    [200, 0],
  ]);
});

test("a change of a pod that does not matter is not written", () => {
  const pod = podOf({ ip: "10.1.0.1", ready });
  const made = plan(serviceOf(), [pod]);
  const later = { ...pod, metadata: { ...pod.metadata, resourceVersion: "9", annotations: { a: "b" } } };
  expect(plan(serviceOf(), [later], made)).toBeUndefined();
});

test("the time of the earliest change is recorded once", () => {
  const times = createTriggerTimes();
  const later = podOf({ ready: "2021-05-01T01:00:00Z" });
  expect(times.take(serviceOf(), [])).toBe(ready);
  expect(times.take(serviceOf(), [later])).toBe("2021-05-01T01:00:00Z");
  expect(times.take(serviceOf(), [later])).toBeUndefined();
});

test("endpoints follow service and pods, are recreated when they are deleted, and are deleted with the service", () =>
  withControllers([endpointController], async ({ client, create, until, untilGone }) => {
    const namespace = "default";
    const ref = { namespace, name: "svc" };
    await create(Service, {
      metadata: { ...ref, labels: { team: "a" } },
      spec: { selector: { app: "x" }, ports: [{ port: 80 }] },
    });
    const empty = await until(Endpoints, ref, () => true);
    expect(empty.metadata.labels).toMatchObject({ team: "a" });
    const spec = { containers: [{ name: "c", image: "i" }] };
    await create(Pod, { metadata: { name: "p", namespace, labels: { app: "x" } }, spec });
    const status = { podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }], conditions: [{ type: "Ready", status: "True" }] };
    await client.of(Pod).patch({ namespace, name: "p" }, { status }, { subresource: "status" });
    const isReady = ({ subsets }: Endpoints) => subsets?.[0]?.addresses?.[0]?.ip === "10.1.0.1";
    await until(Endpoints, ref, isReady);
    await client.of(Endpoints).delete(ref);
    await until(Endpoints, ref, isReady);
    await client.of(Service).delete(ref);
    await untilGone(Endpoints, ref);
  }));
