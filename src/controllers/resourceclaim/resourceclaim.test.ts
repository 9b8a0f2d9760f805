import { describe, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { carriedOut } from "../plan.suite.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { claimNamePrefix } from "./pod-claims.ts";
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
    const isRefusal = ({ reason }: Event) => reason === "FailedResourceClaimCreation";
    const events = await untilAll(Event, namespace, (all) => all.some(isRefusal));
    expect(events.find(isRefusal)?.message).toBe(
      'PodResourceClaim gpu: resource claim template "fast": resourceclaimtemplate.resource.orch.io "fast" not found',
    );
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

test("a claim that was deleted is made again, and a refusal is reported", () =>
  run(async ({ client, create, until, untilAll }) => {
    await create(ResourceClaimTemplate, template);
    await create(Pod, pod);
    const [first] = await untilAll(ResourceClaim, namespace, (all) => all.length === 1);
    await until(Pod, podRef, (each) => each.status?.resourceClaimStatuses?.length === 1);
    await client.of(ResourceClaim).delete({ namespace, name: first?.metadata.name ?? "" });
    const again = await until(Pod, podRef, ({ status }) => {
      const named = status?.resourceClaimStatuses?.[0]?.resourceClaimName;
      return named !== undefined && named !== first?.metadata.name;
    });
    expect(again.metadata.managedFields?.find(({ manager }) => manager === "ResourceClaimController")).toMatchObject({
      operation: "Apply",
      subresource: "status",
    });
  }));

test("a pod on a node holds the claim that is allocated for it, until it is deleted", () =>
  run(async ({ client, create, until, untilGone }) => {
    const ref = { namespace, name: "shared" };
    await create(ResourceClaim, { metadata: { ...ref }, spec: template.spec.spec });
    const resourceClaims = [{ name: "gpu", resourceClaimName: "shared" }];
    const { containers } = pod.spec ?? {};
    await create(Pod, {
      metadata: { ...podRef },
      spec: { nodeName: "n", containers: containers ?? [], resourceClaims },
    });
    const result = { request: "one", driver: "gpu.example.com", pool: "p", device: "d" };
    const status = { allocation: { devices: { results: [result] } } };
    await client.of(ResourceClaim).patch(ref, { metadata: { finalizers: [finalizer] } });
    await client.of(ResourceClaim).patch(ref, { status }, { subresource: "status" });
    const held = await until(ResourceClaim, ref, (each) => each.status?.reservedFor?.length === 1);
    expect(held.status?.reservedFor).toMatchObject([{ resource: "pods", name: "p" }]);
    await client.of(Pod).delete(podRef, { gracePeriodSeconds: 0 });
    await untilGone(Pod, podRef);
    const free = await until(ResourceClaim, ref, (each) => each.metadata.finalizers === undefined);
    expect(free.status).toEqual({});
  }));

const finalizer = "resource.orch.io/delete-protection";

describe("a claim", () => {
  const holder = (name: string) => ({ resource: "pods", name, uid: `uid-${name}` });
  const claim = (names: readonly string[], metadata: object = {}): ResourceClaim => ({
    metadata: { namespace, name: "shared", finalizers: [finalizer], ...metadata },
    spec: {},
    status: { allocation: { devices: { results: [] } }, reservedFor: names.map(holder) },
  });
  const podOf = (name: string): Pod | undefined => {
    if (name === "gone" || name === "new") return undefined;
    const isDeleted = name.startsWith("Deleted");
    return {
      metadata: { name, uid: `uid-${name}`, ...(isDeleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
      spec: { containers: [], ...(name === "DeletedOnNode" ? { nodeName: "n" } : {}) },
      status: isDeleted ? {} : { phase: name as "Running" }, // the names are phases
    };
  };
  /** The server has the pod "new", which the cache does not. */
  const planned = async (given: ResourceClaim) => {
    const answer = (request: string) =>
      request === `get pods ${namespace}/new` ? { metadata: { name: "new", uid: "uid-new" } } : undefined;
    const { log, sent } = await carriedOut(planClaim({ claim: given, podOf, finalizer }), answer);
    return { log: log.filter((line) => !line.startsWith("get ")), status: (sent[0] as ResourceClaim)?.status };
  };
  const released = ["updateStatus resourceclaims default/shared", "update resourceclaims default/shared"];

  test("stays with pods that run, or that only the server knows yet", async () => {
    expect((await planned(claim(["Running", "new", "DeletedOnNode"]))).log).toEqual([]);
  });
  test("leaves pods that have ended, are gone, or are deleted without a node", async () => {
    const { log, status } = await planned(claim(["Running", "gone", "Failed", "DeletedEarly"]));
    expect(log).toEqual(released.slice(0, 1));
    expect(status).toMatchObject({ allocation: {}, reservedFor: [holder("Running")] });
  });
  test("gives its devices back with its last holder", async () => {
    expect(await planned(claim(["gone"]))).toEqual({ log: released, status: {} });
  });
  test("stays allocated while it was never reserved, until it is deleted", async () => {
    expect((await planned(claim([]))).log).toEqual([]);
    const deleted = claim([], { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(await planned(deleted)).toEqual({ log: released, status: {} });
  });
});

test("names of generated claims keep a part of both names", () => {
  expect(claimNamePrefix("p", "gpu")).toBe("p-gpu-");
  expect(claimNamePrefix("a".repeat(52), "gpu")).toBe(`${"a".repeat(52)}-gpu-`);
  const long = claimNamePrefix("a".repeat(90), "b".repeat(30));
  expect(long).toBe(`${"a".repeat(42)}-${"b".repeat(14)}`);
});
