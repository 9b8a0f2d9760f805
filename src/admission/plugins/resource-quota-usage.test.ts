/** What objects use of a quota. */

import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type Amounts, asks, pod, quota, worldOf, zeroOf } from "./resource-quota.suite.ts";

describe("usage", () => {
  const claim = (storage: string, storageClassName = "") => ({
    metadata: { name: "c" },
    spec: { storageClassName, resources: { requests: { storage } } },
  });
  const service = (type: string, ports: number) => ({
    metadata: { name: "s" },
    spec: { type, ports: Array.from({ length: ports }, (_, index) => ({ port: index + 1 })) },
  });
  const both = [asks({ cpu: "1" }), asks({ cpu: "500m" })];
  const rows: { why: string; resource: string; object: object; expected: Amounts }[] = [
    { why: "a pod, under both its names", resource: "pods", object: pod(), expected: { pods: "1", "count/pods": "1" } },
    {
      why: "requests are added up, under both their names",
      resource: "pods",
      object: pod({ containers: both }),
      expected: { cpu: "1500m", "requests.cpu": "1500m" },
    },
    {
      why: "limits add up",
      resource: "pods",
      object: pod({ containers: [asks({}, { memory: "1Gi" }), asks({}, { memory: "512Mi" })] }),
      expected: { "limits.memory": "1536Mi" },
    },
    {
      why: "the largest init container counts where it is more",
      resource: "pods",
      object: pod({ containers: both, initContainers: [asks({ cpu: "2" }), asks({ cpu: "3" })] }),
      expected: { "requests.cpu": "3" },
    },
    {
      why: "overhead comes on top",
      resource: "pods",
      object: pod({ containers: both, overhead: { cpu: "250m" } }),
      expected: { "requests.cpu": "1750m" },
    },
    {
      why: "extended resources, and huge pages",
      resource: "pods",
      object: pod({ containers: [asks({ "example.com/gpu": "2", "hugepages-2Mi": "4Mi" })] }),
      expected: { "requests.example.com/gpu": "2", "hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "4Mi" },
    },
    {
      why: "claims and their storage, also by class",
      resource: "persistentvolumeclaims",
      object: claim("1Gi", "gold"),
      expected: {
        "count/persistentvolumeclaims": "1",
        persistentvolumeclaims: "1",
        "requests.storage": "1Gi",
        "gold.storageclass.storage.orch.io/persistentvolumeclaims": "1",
        "gold.storageclass.storage.orch.io/requests.storage": "1Gi",
        "silver.storageclass.storage.orch.io/requests.storage": "0",
      },
    },
    {
      why: "storage in whole bytes",
      resource: "persistentvolumeclaims",
      object: claim("1500m"),
      expected: { "requests.storage": "2" },
    },
    {
      why: "node ports of a service",
      resource: "services",
      object: service("NodePort", 2),
      expected: { services: "1", "services.nodeports": "2", "services.loadbalancers": "0" },
    },
    {
      why: "a load balancer has node ports too",
      resource: "services",
      object: service("LoadBalancer", 3),
      expected: { "count/services": "1", "services.nodeports": "3", "services.loadbalancers": "1" },
    },
    {
      why: "objects of other groups, by resource and group",
      resource: "leases",
      object: { metadata: { name: "l" } },
      expected: { "count/leases.coordination.orch.io": "1", pods: "0" },
    },
    {
      why: "quotas themselves",
      resource: "resourcequotas",
      object: { metadata: { name: "r" }, spec: {} },
      expected: { resourcequotas: "1", "count/resourcequotas": "1" },
    },
  ];
  for (const { why, resource, object, expected } of rows) {
    test(why, async () => {
      const hard = Object.fromEntries(Object.keys(expected).map((name) => [name, "100Gi"]));
      const { admit, used } = worldOf([quota("q", hard, zeroOf(hard))]);
      await admit(resource, object);
      expect(used()).toEqual(expected);
    });
  }

  test("an update is charged for its increase; the controller credits what it frees", async () => {
    const hard = { services: "1", "services.loadbalancers": "1", "services.nodeports": "5" };
    const { admit, used } = worldOf([quota("q", hard, { ...zeroOf(hard), services: "1" })]);
    const [plain, balanced] = [service("ClusterIP", 2), service("LoadBalancer", 2)];
    await admit("services", balanced, { operation: "UPDATE", old: plain as ApiObject });
    expect(used()).toEqual({ services: "1", "services.loadbalancers": "1", "services.nodeports": "2" });
    await admit("services", plain, { operation: "UPDATE", old: balanced as ApiObject });
    expect(used()).toEqual({ services: "1", "services.loadbalancers": "1", "services.nodeports": "2" });
  });

  test("updates of pods, subresources and cluster-wide objects are not counted", () => {
    const { world, plugin } = worldOf([]);
    const object = pod() as ApiObject;
    expect(plugin.handles(world.request("pods", { object, namespace: "a", operation: "UPDATE" }))).toBe(false);
    expect(plugin.handles(world.request("pods", { object, namespace: "a", subresource: "binding" }))).toBe(false);
    expect(plugin.handles(world.request("nodes", { object }))).toBe(false);
  });
});

describe("usage at level 1.35", () => {
  const always = { restartPolicy: "Always" };
  const at135 = (hard: Amounts) => worldOf([quota("q", hard, zeroOf(hard))], {}, "1.35");
  const rows: { why: string; spec: object; expected: Amounts }[] = [
    {
      why: "an init container that keeps running is added to the others",
      spec: { containers: [asks({ cpu: "1" })], initContainers: [{ ...asks({ cpu: "2" }), ...always }] },
      expected: { "requests.cpu": "3" },
    },
    {
      why: "it is also added to the init containers after it, not to those before",
      spec: {
        containers: [asks({ cpu: "1" })],
        initContainers: [asks({ cpu: "4" }), { ...asks({ cpu: "2" }), ...always }, asks({ cpu: "3" })],
      },
      expected: { "requests.cpu": "5" },
    },
    {
      why: "what the pod states for itself counts instead of the sum",
      spec: {
        containers: [asks({ cpu: "1", "ephemeral-storage": "1Gi" })],
        resources: { requests: { cpu: "5" }, limits: { memory: "2Gi" } },
      },
      expected: { "requests.cpu": "5", "requests.ephemeral-storage": "1Gi", "limits.memory": "2Gi" },
    },
    {
      why: "overhead comes on top of limits that there are",
      spec: { containers: [asks({}, { cpu: "1" })], overhead: { cpu: "250m", "ephemeral-storage": "1Gi" } },
      expected: { "limits.cpu": "1250m", "limits.ephemeral-storage": "0", "requests.ephemeral-storage": "1Gi" },
    },
  ];
  for (const { why, spec, expected } of rows) {
    test(why, async () => {
      const hard = Object.fromEntries(Object.keys(expected).map((name) => [name, "100Gi"]));
      const { admit, used } = at135(hard);
      await admit("pods", pod(spec));
      expect(used()).toEqual(expected);
    });
  }

  test("claims for devices count by class; of alternatives the largest number counts, and all means as many as fit", async () => {
    const devices = (name: string) => `${name}.deviceclass.resource.orch.io/devices`;
    const hard = {
      "count/resourceclaims.resource.orch.io": "2",
      [devices("gpu")]: "9",
      [devices("nic")]: "99",
      [devices("tpu")]: "9",
    };
    const { admit, used } = at135(hard);
    const exactly = (deviceClassName: string, more: object) => ({
      deviceClassName,
      allocationMode: "ExactCount",
      ...more,
    });
    const claim = (requests: object[]) => ({ metadata: { name: "c" }, spec: { devices: { requests } } });
    await admit(
      "resourceclaims",
      claim([
        { name: "a", exactly: exactly("gpu", { count: 2 }) },
        { name: "b", exactly: { deviceClassName: "nic", allocationMode: "All" } },
        {
          name: "c",
          firstAvailable: [exactly("gpu", { count: 3 }), exactly("gpu", { count: 5 }), exactly("tpu", { count: 1 })],
        },
      ]),
    );
    expect(used()).toEqual({
      "count/resourceclaims.resource.orch.io": "1",
      [devices("gpu")]: "7",
      [devices("nic")]: "32",
      [devices("tpu")]: "1",
    });
    const more = claim([{ name: "a", exactly: exactly("gpu", { count: 3 }) }]);
    await expect(admit("resourceclaims", more)).rejects.toMatchObject({ code: 403 });
  });

  test("containers need not state what is limited if the pod does", async () => {
    const { admit } = at135({ "requests.cpu": "10", "limits.memory": "10Gi" });
    const own = pod({ resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } } });
    await expect(admit("pods", own)).resolves.not.toThrow();
    await expect(admit("pods", pod())).rejects.toThrow("must specify requests.cpu,limits.memory");
  });

  test("a resize is charged for its increase, and refused above the limit", async () => {
    const hard = { "requests.cpu": "4" };
    const { admit, used } = worldOf([quota("q", hard, { "requests.cpu": "1" })], {}, "1.35");
    const ofCpu = (cpu: string) => pod({ containers: [asks({ cpu })] }) as ApiObject;
    const resize = { operation: "UPDATE", subresource: "resize", old: ofCpu("1") } as const;
    await admit("pods", ofCpu("3"), resize);
    expect(used()).toEqual({ "requests.cpu": "3" });
    await expect(admit("pods", ofCpu("5"), resize)).rejects.toThrow("exceeded quota: q");
  });
});
