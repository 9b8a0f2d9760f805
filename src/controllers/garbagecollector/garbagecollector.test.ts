import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
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

test("dependents follow an owner that is deleted in the background", () =>
  run(async ({ client, create, untilGone }) => {
    const parent = await create(ConfigMap, { metadata: at("parent") });
    await create(ConfigMap, { metadata: { ...at("a"), ...owned(parent) } });
    await client.of(ConfigMap).delete(at("parent"));
    await untilGone(ConfigMap, at("a"));
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

test("an owner that leaves orphans goes when they have forgotten it", () =>
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

test("an owner in another namespace owns nothing here, and an event says so", () =>
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
