import { expect, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import type { Fetch } from "../../client/contract.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { garbageCollector } from "./wire.ts";

const run = (use: (scenario: Scenario) => Promise<void>) => withControllers([garbageCollector], use);
const at = (name: string, namespace = "default") => ({ namespace, name });
const owned = (by: ConfigMap, more: Partial<OwnerReference> = {}) => ({
  ownerReferences: [
    { apiVersion: "v1", kind: "ConfigMap", name: by.metadata.name ?? "", uid: by.metadata.uid ?? "", ...more },
  ],
});
const hold = { finalizers: ["example.com/hold"] };

test("dependents are deleted after an owner that was deleted in the background", () =>
  run(async ({ client, create, untilGone }) => {
    const parent = await create(ConfigMap, { metadata: at("parent") });
    await create(ConfigMap, { metadata: { ...at("a"), ...owned(parent) } });
    await client.of(ConfigMap).delete(at("parent"));
    await untilGone(ConfigMap, at("a"));
  }));

test("a dependent that comes after its owner is gone is deleted, though another one still refers to the owner", () =>
  run(async ({ client, create, until, untilGone }) => {
    const parent = await create(ConfigMap, { metadata: at("parent") });
    await create(ConfigMap, { metadata: { ...at("a"), ...owned(parent), ...hold } });
    await client.of(ConfigMap).delete(at("parent"));
    await until(ConfigMap, at("a"), ({ metadata }) => Boolean(metadata.deletionTimestamp));
    await create(ConfigMap, { metadata: { ...at("b"), ...owned(parent) } });
    await untilGone(ConfigMap, at("b"));
  }));

test("an owner that is deleted in the foreground waits for dependents that block it, and for no others", () =>
  run(async ({ client, create, until, untilGone }) => {
    const parent = await create(ConfigMap, { metadata: at("parent") });
    await create(ConfigMap, { metadata: { ...at("a"), ...owned(parent, { blockOwnerDeletion: true }), ...hold } });
    await create(ConfigMap, { metadata: { ...at("b"), ...owned(parent), ...hold } });
    await client.of(ConfigMap).delete(at("parent"), { propagationPolicy: "Foreground" });
    await until(ConfigMap, at("a"), ({ metadata }) => Boolean(metadata.deletionTimestamp));
    await client.of(ConfigMap).get(at("parent"));
    await client.of(ConfigMap).patch(at("a"), { metadata: { finalizers: null } });
    await untilGone(ConfigMap, at("parent"));
    await until(ConfigMap, at("b"), ({ metadata }) => Boolean(metadata.deletionTimestamp));
  }));

test("an owner that orphans its dependents is removed when they no longer refer to it", () =>
  run(async ({ client, create, untilGone }) => {
    const parent = await create(ConfigMap, { metadata: at("parent") });
    await create(ConfigMap, { metadata: { ...at("a"), ...owned(parent) } });
    await client.of(ConfigMap).delete(at("parent"), { propagationPolicy: "Orphan" });
    await untilGone(ConfigMap, at("parent"));
    expect((await client.of(ConfigMap).get(at("a"))).metadata.ownerReferences).toBeUndefined();
  }));

test("another uid under the owner's name is another object", () =>
  run(async ({ create, untilGone }) => {
    const parent = await create(ConfigMap, { metadata: at("parent") });
    await create(ConfigMap, { metadata: { ...at("a"), ...owned(parent, { uid: "1-2-3" }) } });
    await untilGone(ConfigMap, at("a"));
  }));

test("an owner in another namespace is not an owner, and an event reports it", () =>
  run(async ({ create, untilGone, untilAll }) => {
    await create(Namespace, { metadata: { name: "shop" } });
    const parent = await create(ConfigMap, { metadata: at("parent", "shop") });
    await create(ConfigMap, { metadata: { ...at("a"), ...owned(parent) } });
    await untilGone(ConfigMap, at("a"));
    await untilAll(Event, "default", (events) => events.some(({ reason }) => reason === "OwnerRefInvalidNamespace"));
  }));

test("of two owners one stays: the reference to the other is removed", () =>
  run(async ({ client, create, until }) => {
    const [one, two] = [
      await create(ConfigMap, { metadata: at("one") }),
      await create(ConfigMap, { metadata: at("two") }),
    ];
    const ownerReferences = [...owned(one).ownerReferences, ...owned(two).ownerReferences];
    await create(ConfigMap, { metadata: { ...at("a"), ownerReferences } });
    await client.of(ConfigMap).delete(at("one"));
    const left = await until(ConfigMap, at("a"), ({ metadata }) => metadata.ownerReferences?.length === 1);
    expect(left.metadata.ownerReferences?.[0]?.name).toBe("two");
  }));

const toys = { group: "example.com", version: "v1", resource: "toys", kind: "Toy", namespaced: true };
const definition = (): CustomResourceDefinition => ({
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-orch-preserve-unknown-fields": true } },
      },
    ],
  },
});

test("kinds that are defined at run time can be owners and dependents, also when they are deleted and defined again", () =>
  run(async ({ client, create, untilGone }) => {
    const resource = client.at(toys);
    const make = (metadata: ConfigMap["metadata"]) =>
      expect.poll(() => resource.create({ metadata }).catch(() => undefined), { interval: 20 }).toBeDefined();
    const ofToy = async (name: string) => {
      const { uid = "" } = (await resource.get(at(name))).metadata;
      return { ownerReferences: [{ apiVersion: "example.com/v1", kind: "Toy", name, uid }] };
    };
    const isGone = (name: string) =>
      expect
        .poll(() => resource.get(at(name)).then(String, (error: { reason?: string }) => error.reason), {
          timeout: 30_000,
        })
        .toBe("NotFound");

    await create(CustomResourceDefinition, definition());
    const parent = await create(ConfigMap, { metadata: at("parent") });
    await make(at("ball"));
    await create(ConfigMap, { metadata: { ...at("of-ball"), ...(await ofToy("ball")) } });
    await make({ ...at("of-parent"), ...owned(parent) });
    await client.of(ConfigMap).delete(at("parent"));
    await isGone("of-parent");
    await resource.delete(at("ball"));
    await untilGone(ConfigMap, at("of-ball"));

    // All toys are deleted with the definition, and then their dependents.
    await make(at("kite"));
    await create(ConfigMap, { metadata: { ...at("of-kite"), ...(await ofToy("kite")) } });
    await client.of(CustomResourceDefinition).delete({ name: "toys.example.com" });
    await untilGone(ConfigMap, at("of-kite"));
    await untilGone(CustomResourceDefinition, { name: "toys.example.com" });

    await create(CustomResourceDefinition, definition());
    await make(at("drum"));
    await create(ConfigMap, { metadata: { ...at("of-drum"), ...(await ofToy("drum")) } });
    await resource.delete(at("drum"));
    await untilGone(ConfigMap, at("of-drum"));
  }));

test("an owner that is deleted before its resource is read for the first time takes its dependents along", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  const late = (fetch: Fetch): Fetch => {
    return async (path, init) => {
      if (/\/toys(\?|$)/.test(path)) await released;
      const answer = await fetch(path, init);
      if (path.includes("/toys/ball")) asked++;
      return answer;
    };
  };
  await withControllers(
    [garbageCollector],
    async ({ client, create, untilGone }) => {
      const resource = client.at(toys);
      await create(CustomResourceDefinition, definition());
      const { uid = "" } = (await resource.create({ metadata: at("ball") })).metadata;
      const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Toy", name: "ball", uid }];
      await create(ConfigMap, { metadata: { ...at("of-ball"), ownerReferences } });
      await expect.poll(() => asked).toBeGreaterThan(0); // the owner is there
      await resource.delete(at("ball"));
      release();
      await untilGone(ConfigMap, at("of-ball"));
    },
    { controllerFetch: late },
  );
});

test("an owner of an undefined kind keeps its dependents until the kind is defined", () =>
  run(async ({ client, create, untilGone }) => {
    const uid = "11111111-1111-4111-8111-111111111111";
    const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Toy", name: "ghost", uid }];
    await create(ConfigMap, { metadata: { ...at("of-ghost"), ownerReferences } });
    const other = await create(ConfigMap, { metadata: at("other") });
    await create(ConfigMap, { metadata: { ...at("of-other"), ...owned(other) } });
    await client.of(ConfigMap).delete(at("other"));
    await untilGone(ConfigMap, at("of-other")); // by now the collector has processed the first as well
    await client.of(ConfigMap).get(at("of-ghost"));
    await create(CustomResourceDefinition, definition());
    await untilGone(ConfigMap, at("of-ghost"));
  }));

test("an answer of another kind about an owner is no proof that it is gone: nothing is deleted, and the server is asked again", async () => {
  let asked = 0;
  let isStrange = true;
  const strange = (fetch: Fetch): Fetch => {
    return async (path, init) => {
      if (!isStrange || !path.includes("/configmaps/ghost")) return await fetch(path, init);
      asked++;
      return Response.json({ kind: "Login", apiVersion: "portal/v1", metadata: { name: "ghost" } });
    };
  };
  await withControllers(
    [garbageCollector],
    async ({ client, create, untilGone }) => {
      const ghost: ConfigMap = { metadata: { ...at("ghost"), uid: "0f2c3c5e-0000-4000-8000-000000000000" } };
      await create(ConfigMap, { metadata: { ...at("a"), ...owned(ghost) } });
      await expect.poll(() => asked).toBeGreaterThan(2);
      expect((await client.of(ConfigMap).get(at("a"))).metadata.deletionTimestamp).toBeUndefined();
      isStrange = false;
      await untilGone(ConfigMap, at("a"));
    },
    { controllerFetch: strange },
  );
});
