import { expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { DeviceClass } from "../../api/resource/v1/device-class.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { resourceClaimController } from "../../controllers/resourceclaim/wire.ts";
import { type Scenario, withControllers } from "../../controllers/scenario.suite.ts";
import { scheduler } from "../wire.ts";

const namespace = "default";
const driver = "gpu.example.com";
const finalizer = "resource.orch.io/delete-protection";

/** Two nodes, the second of which has as many devices. */
async function prepare({ create, client }: Scenario, count: number): Promise<void> {
  const amounts = { cpu: "4", memory: "8Gi", pods: "110" };
  for (const name of ["plain", "fast"]) {
    await create(Node, { metadata: { name }, status: { capacity: amounts, allocatable: amounts } });
    await client.of(Node).patch({ name }, { spec: { taints: null } });
  }
  const devices = Array.from({ length: count }, (_, at) => ({
    name: `gpu-${at}`,
    attributes: { model: { string: "x" } },
  }));
  const pool = { name: "fast", generation: 1, resourceSliceCount: 1 };
  await create(ResourceSlice, { metadata: { name: "fast" }, spec: { driver, pool, nodeName: "fast", devices } });
  const selectors = [{ cel: { expression: `device.driver == "${driver}"` } }];
  await create(DeviceClass, { metadata: { name: "gpu" }, spec: { selectors } });
  const spec = { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu" } }] } };
  await create(ResourceClaimTemplate, { metadata: { namespace, name: "gpu" }, spec: { spec } });
}

const podOf = (name: string, claim: object = { resourceClaimTemplateName: "gpu" }): Pod => ({
  metadata: { name, namespace },
  spec: { containers: [{ name: "c", image: "i" }], resourceClaims: [{ name: "gpu", ...claim }] },
});
const isPlaced = ({ spec }: Pod) => (spec?.nodeName ?? "") !== "";

for (const emulatedVersion of ["1.34", "1.35", "1.37"] as const) {
  const run = (use: (scenario: Scenario) => Promise<void>) =>
    withControllers([resourceClaimController, scheduler], use, {
      server: { emulatedVersion, disableAdmissionPlugins: ["ServiceAccount", "Priority"] },
    });

  test(`${emulatedVersion}: pods get devices and the nodes that have them, and wait until one is given back`, () =>
    run(async (scenario) => {
      const { client, create, until, untilAll } = scenario;
      await prepare(scenario, 2);
      for (const name of ["a", "b", "c"]) await create(Pod, podOf(name));
      const pods = await untilAll(Pod, namespace, (all) => all.filter(isPlaced).length === 2 && all.some(isRefused));
      expect(pods.filter(isPlaced).map(({ spec }) => spec?.nodeName)).toEqual(["fast", "fast"]);
      const waits = pods.find(isRefused);
      expect(waits?.status?.conditions).toMatchObject([
        { reason: "Unschedulable", message: "0/2 nodes are available: 2 cannot allocate all claims." },
      ]);
      const claims = await untilAll(ResourceClaim, namespace, (all) => all.filter(isReserved).length === 2);
      const held = claims.filter(isReserved);
      const results = held.map(({ status }) => status?.allocation?.devices?.results?.[0]?.device);
      expect(results.sort()).toEqual(["gpu-0", "gpu-1"]);
      expect(held[0]?.metadata.finalizers).toEqual([finalizer]);
      const first = pods.find(isPlaced);
      await client.of(Pod).delete({ namespace, name: first?.metadata.name ?? "" }, { gracePeriodSeconds: 0 });
      await until(Pod, { namespace, name: waits?.metadata.name ?? "" }, isPlaced);
    }));
}
const isRefused = ({ status }: Pod) => status?.conditions?.some(({ reason }) => reason === "Unschedulable") === true;
const isReserved = ({ status }: ResourceClaim) => (status?.reservedFor ?? []).length === 1;

const run = (use: (scenario: Scenario) => Promise<void>) =>
  withControllers([resourceClaimController, scheduler], use, {
    server: { emulatedVersion: "1.37", disableAdmissionPlugins: ["ServiceAccount", "Priority"] },
  });

test("pods that share a claim run where its device is", () =>
  run(async (scenario) => {
    const { create, until, untilAll } = scenario;
    await prepare(scenario, 1);
    const shared = { resourceClaimName: "shared" };
    for (const name of ["a", "b", "c"]) await create(Pod, podOf(name, shared));
    const isMissing = ({ message = "" }: Event) => message.includes('resourceclaim "shared" not found');
    await untilAll(Event, namespace, (all) => all.some(isMissing));
    const spec = { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu" } }] } };
    await create(ResourceClaim, { metadata: { namespace, name: "shared" }, spec });
    const pods = await untilAll(Pod, namespace, (all) => all.every(isPlaced));
    expect(new Set(pods.map((pod) => pod.spec?.nodeName))).toEqual(new Set(["fast"]));
    const isShared = ({ status }: ResourceClaim) => status?.reservedFor?.length === 3;
    const claim = await until(ResourceClaim, { namespace, name: "shared" }, isShared);
    expect(claim.status?.allocation?.devices?.results).toHaveLength(1);
  }));

test("many pods at once get a device each", () =>
  run(async (scenario) => {
    const { create, untilAll } = scenario;
    await prepare(scenario, 30);
    await Promise.all(Array.from({ length: 30 }, (_, at) => create(Pod, podOf(`p${at}`))));
    await untilAll(Pod, namespace, (all) => all.length === 30 && all.every(isPlaced));
    const claims = await untilAll(ResourceClaim, namespace, (all) => all.every(isReserved));
    const devices = claims.map(({ status }) => status?.allocation?.devices?.results?.[0]?.device);
    expect(new Set(devices).size).toBe(30);
  }));
