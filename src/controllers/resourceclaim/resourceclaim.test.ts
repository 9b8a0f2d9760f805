import { expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { planClaim } from "./reconcile.ts";
import { resourceClaimController } from "./wire.ts";

const namespace = "default";
const podRef = { namespace, name: "p" };
const pod: Pod = {
  metadata: podRef,
  spec: {
    containers: [{ name: "c", image: "i" }],
    resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "fast" }],
  },
};
const template: ResourceClaimTemplate = {
  metadata: { namespace, name: "fast" },
  spec: {
    metadata: { labels: { team: "a" } },
    spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu.example.com" } }] } },
  },
};
const run = (use: (scenario: Scenario) => Promise<void>) =>
  withControllers([resourceClaimController], use, { server: { emulatedVersion: "1.35" } });

test("a pod gets a claim from its template, which goes when the pod has ended", () =>
  run(async ({ client, create, until, untilAll }) => {
    await create(Pod, pod);
    await untilAll(Event, namespace, (all) => all.some(({ reason }) => reason === "FailedResourceClaimCreation"));
    await create(ResourceClaimTemplate, template);
    const [claim] = await untilAll(ResourceClaim, namespace, (all) => all.length === 1);
    expect(claim?.metadata).toMatchObject({
      generateName: "p-gpu-",
      labels: { team: "a" },
      annotations: { "resource.orch.io/pod-claim-name": "gpu" },
      ownerReferences: [{ kind: "Pod", name: "p", controller: true }],
    });
    const { status } = await until(Pod, podRef, (each) => (each.status?.resourceClaimStatuses ?? []).length > 0);
    expect(status?.resourceClaimStatuses).toEqual([{ name: "gpu", resourceClaimName: claim?.metadata.name }]);
    await client.of(Pod).patch(podRef, { status: { phase: "Succeeded" } }, { subresource: "status" });
    await untilAll(ResourceClaim, namespace, (all) => all.length === 0);
  }));

test("a claim that only ended pods hold gives its devices back", () => {
  const finalizer = "resource.orch.io/delete-protection";
  const holder = (name: string) => ({ resource: "pods", name, uid: `uid-${name}` });
  const claim = (...names: string[]): ResourceClaim => ({
    metadata: { namespace, name: "shared", finalizers: [finalizer] },
    spec: {},
    status: { allocation: { devices: { results: [] } }, reservedFor: names.map(holder) },
  });
  const podOf = (name: string): Pod | undefined =>
    name === "gone" ? undefined : { metadata: { name, uid: `uid-${name}` }, status: { phase: name } };
  const statusOf = (...names: string[]) => {
    const plan = planClaim({ claim: claim(...names), podOf, finalizer });
    const call = plan?.status?.call;
    return call?.verb === "updateStatus" ? (call.object as ResourceClaim).status : undefined; // what the plan writes
  };
  expect(statusOf("Running")).toBeUndefined();
  expect(statusOf("Running", "gone", "Failed")).toMatchObject({ allocation: {}, reservedFor: [holder("Running")] });
  expect(statusOf("gone")).toEqual({});
});
