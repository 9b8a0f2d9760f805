import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
import type { Fetch } from "../../client/contract.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { conditionsAfter, isEmpty, type Pass } from "./reconcile.ts";
import { namespaceController } from "./wire.ts";

const nothing: Pass = {
  found: 0,
  discoveryFailures: [],
  deletionFailures: [],
  remaining: new Map(),
  finalizers: new Map(),
};
const held: Pass = { ...nothing, found: 1, remaining: new Map([["pods", 2]]), finalizers: new Map([["a.b/c", 1]]) };
const statuses = (pass: Pass) => conditionsAfter([], pass, 0).map(({ status, reason }) => `${status} ${reason}`);

test("a namespace is removed when a whole pass has found nothing", () => {
  expect(isEmpty(nothing)).toBe(true);
  expect(isEmpty({ ...nothing, found: 1 })).toBe(false);
  expect(isEmpty(held)).toBe(false);
  expect(isEmpty({ ...nothing, discoveryFailures: ["x/v1"] })).toBe(false);
});

test("conditions report what remains and which finalizers hold it", () => {
  expect(statuses(held)).toEqual([
    "False ResourcesDiscovered",
    "False ParsedGroupVersions",
    "False ContentDeleted",
    "True SomeResourcesRemain",
    "True SomeFinalizersRemain",
  ]);
  expect(statuses({ ...nothing, discoveryFailures: ["x/v1"], deletionFailures: ["pods: no"] }).slice(0, 3)).toEqual([
    "True DiscoveryFailed",
    "False ParsedGroupVersions",
    "True ContentDeletionFailed",
  ]);
});

test("unchanged conditions are kept, and times change only with the status", () => {
  const first = conditionsAfter([], held, 1000);
  expect(conditionsAfter(first, held, 2000)).toBe(first);
  const more = conditionsAfter(first, { ...held, remaining: new Map([["pods", 1]]) }, 2000);
  expect(more[3]).toMatchObject({ status: "True", lastTransitionTime: "1970-01-01T00:00:01Z" });
  expect(conditionsAfter(more, nothing, 3000)[3]).toMatchObject({
    status: "False",
    lastTransitionTime: "1970-01-01T00:00:03Z",
  });
});

const shop = { metadata: { name: "shop" } };
const pod = (more: Partial<Pod["spec"]> = {}): Pod =>
  ({ metadata: { namespace: "shop", name: "p" }, spec: { containers: [{ name: "c", image: "i" }], ...more } }) as Pod;
const run = (use: (scenario: Scenario) => Promise<void>) => withControllers([namespaceController], use);

test("a namespace with content is emptied and removed", () =>
  run(async ({ client, create, untilGone }) => {
    await create(Namespace, shop);
    await create(Pod, pod());
    await create(ConfigMap, { metadata: { namespace: "shop", name: "a" } });
    await client.of(Namespace).delete({ name: "shop" });
    await untilGone(Namespace, { name: "shop" });
    expect((await client.of(ConfigMap).list({ namespace: "shop" })).items).toEqual([]);
  }));

test("an object with a finalizer keeps its namespace, and a condition reports it", () =>
  run(async ({ client, create, until, untilGone }) => {
    await create(Namespace, shop);
    await create(ConfigMap, { metadata: { namespace: "shop", name: "held", finalizers: ["example.com/hold"] } });
    await client.of(Namespace).delete({ name: "shop" });
    const isHeld = ({ status }: Namespace) => status?.conditions?.[4]?.reason === "SomeFinalizersRemain";
    const { status } = await until(Namespace, { name: "shop" }, isHeld);
    expect(status?.conditions?.[3]?.message).toContain("configmaps has 1 objects");
    await client.of(ConfigMap).patch({ namespace: "shop", name: "held" }, { metadata: { finalizers: null } });
    await untilGone(Namespace, { name: "shop" });
  }));

test("network policies stay until the last pod is gone, other objects do not wait before 1.33 (C20 in docs/security-rows.md)", () =>
  withControllers(
    [namespaceController],
    async ({ client, create, until, untilGone }) => {
      await create(Namespace, shop);
      await create(Pod, pod({ nodeName: "n1", terminationGracePeriodSeconds: 30 }));
      await create(NetworkPolicy, { metadata: { namespace: "shop", name: "deny" }, spec: { podSelector: {} } });
      await create(ConfigMap, { metadata: { namespace: "shop", name: "a" } });
      await client.of(Namespace).delete({ name: "shop" });
      await until(Namespace, { name: "shop" }, ({ status }) => status?.conditions?.[3]?.status === "True");
      await untilGone(ConfigMap, { namespace: "shop", name: "a" });
      await client.of(NetworkPolicy).get({ namespace: "shop", name: "deny" });
      await client.of(Pod).delete({ namespace: "shop", name: "p" }, { gracePeriodSeconds: 0 });
      await untilGone(Namespace, { name: "shop" });
    },
    { server: { emulatedVersion: "1.21" } },
  ));

test("from level 1.33 nothing else is deleted while a pod is there", () =>
  withControllers(
    [namespaceController],
    async ({ client, create, until, untilGone }) => {
      await create(Namespace, shop);
      await create(Pod, pod({ nodeName: "n1", terminationGracePeriodSeconds: 30 }));
      await create(ConfigMap, { metadata: { namespace: "shop", name: "a" } });
      await client.of(Namespace).delete({ name: "shop" });
      const remains = ({ status }: Namespace) => status?.conditions?.[3]?.status === "True";
      const { status } = await until(Namespace, { name: "shop" }, remains);
      expect(status?.conditions?.[3]?.message).toContain("pods has 1 objects");
      expect(status?.conditions?.[3]?.message).not.toContain("configmaps");
      await client.of(ConfigMap).get({ namespace: "shop", name: "a" });
      await client.of(Pod).delete({ namespace: "shop", name: "p" }, { gracePeriodSeconds: 0 });
      await untilGone(Namespace, { name: "shop" });
    },
    { server: { emulatedVersion: "1.35" } },
  ));

test("a list of another kind is no proof that a namespace is empty: it stays until the server answers", async () => {
  let isStrange = true;
  const strange =
    (fetch: Fetch): Fetch =>
    async (path, init) => {
      if (!isStrange || !path.includes("/namespaces/shop/configmaps")) return await fetch(path, init);
      return Response.json({ kind: "Login", apiVersion: "portal/v1", metadata: {} });
    };
  await withControllers(
    [namespaceController],
    async ({ client, create, until, untilGone }) => {
      await create(Namespace, { metadata: { name: "shop" } });
      await create(ConfigMap, { metadata: { namespace: "shop", name: "a" } });
      await client.of(Namespace).delete({ name: "shop" });
      const failure = ({ status }: Namespace) =>
        status?.conditions?.some(({ reason }) => reason === "ContentDeletionFailed") ?? false;
      await until(Namespace, { name: "shop" }, failure);
      expect((await client.of(ConfigMap).get({ namespace: "shop", name: "a" })).metadata.name).toBe("a");
      isStrange = false;
      await untilGone(Namespace, { name: "shop" });
    },
    { controllerFetch: strange },
  );
});
