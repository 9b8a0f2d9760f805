import { describe, expect, test } from "vitest";
import type { Attributes } from "../../authz/contract.ts";
import { createManualClock } from "../../base/clock.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld, type RequestOptions } from "../admission.suite.ts";
import { createAlwaysAdmit } from "./always-admit.ts";
import { createAlwaysDeny } from "./always-deny.ts";
import { createDenyServiceExternalIPs } from "./deny-service-external-ips.ts";
import { createEventRateLimit, eventBucketsMax } from "./event-rate-limit.ts";
import { createNamespaceAutoProvision } from "./namespace-auto-provision.ts";
import { createNamespaceExists } from "./namespace-exists.ts";
import { createOwnerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import { createPersistentVolumeLabel } from "./persistent-volume-label.ts";

const configMap: ApiObject = { metadata: { name: "c", namespace: "ns" } };

describe("AlwaysAdmit and AlwaysDeny", () => {
  test("the first accepts everything, the second nothing", async () => {
    const world = createWorld([]);
    expect(await world.admit(createAlwaysAdmit(), "configmaps", { object: configMap })).toEqual(configMap);
    for (const operation of ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const) {
      const admitted = world.admit(createAlwaysDeny(), "configmaps", { operation, object: configMap });
      await expect(admitted).rejects.toMatchObject({ reason: "Forbidden" });
    }
  });
});

describe("NamespaceAutoProvision and NamespaceExists", () => {
  test("the first object of a namespace creates it, a dry run and an update do not", async () => {
    const world = createWorld([]);
    const provision = createNamespaceAutoProvision(world.context);
    const exists = createNamespaceExists(world.context);
    const missing = { object: configMap, namespace: "ns" };
    for (const options of [
      { ...missing, dryRun: true },
      { ...missing, operation: "UPDATE" },
    ] as RequestOptions[]) {
      await world.admit(provision, "configmaps", options);
      await expect(world.admit(exists, "configmaps", options)).rejects.toMatchObject({ reason: "NotFound" });
    }
    await world.admit(provision, "configmaps", missing);
    await world.admit(exists, "configmaps", missing);
    await world.admit(provision, "configmaps", missing);
    expect([...world.context.registry.peekAll(world.request("namespaces", {}).kind)]).toHaveLength(1);
  });
});

describe("DenyServiceExternalIPs", () => {
  const world = createWorld([]);
  const service = (...externalIPs: string[]): ApiObject => ({ metadata: { name: "s" }, spec: { externalIPs } });
  const update = (old: ApiObject, object: ApiObject) =>
    world.admit(createDenyServiceExternalIPs(), "services", { operation: "UPDATE", old, object });

  test("no address can be added, by a create or by an update (C17 in docs/security-rows.md)", async () => {
    const create = world.admit(createDenyServiceExternalIPs(), "services", { object: service("8.8.8.8") });
    await expect(create).rejects.toThrow(/spec.externalIPs: may not be added to; 8.8.8.8 is new/);
    await expect(update(service("1.1.1.1"), service("1.1.1.1", "8.8.8.8"))).rejects.toThrow(/8.8.8.8/);
  });
  test("existing addresses may stay and be removed", async () => {
    await update(service("1.1.1.1", "1.1.1.2"), service("1.1.1.2"));
    await update(service("1.1.1.1"), service());
  });
});

describe("EventRateLimit", () => {
  const event = (name: string, component = "c"): ApiObject => ({
    metadata: { name: "e", namespace: "ns" },
    involvedObject: { kind: "Pod", name },
    source: { component },
  });
  const open = (...limits: object[]) => {
    const clock = createManualClock(0);
    const EventRateLimit = {
      apiVersion: "eventratelimit.admission.orch.io/v1alpha1",
      kind: "Configuration",
      limits,
    };
    const world = createWorld([], "orch", { configuration: { EventRateLimit }, clock });
    const plugin = createEventRateLimit(world.context);
    const admits = (object: ApiObject, more: RequestOptions = {}) =>
      world.admit(plugin, "events", { object, namespace: "ns", ...more }).then(
        () => true,
        ({ reason }) => (reason === "TooManyRequests" ? false : reason),
      );
    return { clock, admits };
  };
  const user = (name: string) => ({ user: { name, uid: "", groups: [], extra: new Map() } });

  test("a bucket is emptied by creates and updates, and fills with time", async () => {
    const { admits, clock } = open({ type: "Server", qps: 1, burst: 2 });
    expect(await admits(event("a"))).toBe(true);
    expect(await admits(event("a"), { operation: "UPDATE" })).toBe(true);
    expect(await admits(event("b"), { namespace: "other" })).toBe(false);
    expect(await admits(event("b"), { dryRun: true })).toBe(true);
    clock.advance(1_000);
    expect(await admits(event("b"))).toBe(true);
    expect(await admits(event("b"))).toBe(false);
  });
  const rows: [type: string, first: [ApiObject, RequestOptions?], other: [ApiObject, RequestOptions?]][] = [
    ["Namespace", [event("a")], [event("a"), { namespace: "other" }]],
    ["User", [event("a"), user("jane")], [event("a"), user("joe")]],
    ["SourceAndObject", [event("a")], [event("b")]],
    ["SourceAndObject", [event("a")], [event("a", "other")]],
  ];
  for (const [type, first, other] of rows) {
    test(`${type}: ${JSON.stringify(other)} has a bucket of its own`, async () => {
      const { admits } = open({ type, qps: 1, burst: 1 });
      expect([await admits(...first), await admits(...first), await admits(...other)]).toEqual([true, false, true]);
    });
  }
  test("the number of buckets is limited, and the least recently used one starts again", async () => {
    const { admits } = open({ type: "Namespace", qps: 1, burst: 1, cacheSize: 2 });
    for (const namespace of ["a", "b", "c"]) expect(await admits(event("x"), { namespace })).toBe(true);
    expect(await admits(event("x"), { namespace: "c" })).toBe(false);
    expect(await admits(event("x"), { namespace: "a" })).toBe(true);
    expect(eventBucketsMax).toBe(4096);
  });
  test("the plugin does not start without limits, or with limits that limit nothing", () => {
    expect(() => createEventRateLimit(createWorld([]).context)).toThrow(/EventRateLimit requires a configuration/);
    expect(() => open()).toThrow(/limits: must not be empty/);
    expect(() => open({ type: "Pod", qps: 1, burst: 1 })).toThrow(/limits\[0\].type: must be one of Server, Namespace/);
    expect(() => open({ type: "User", burst: 1 })).toThrow(/limits\[0\].qps: must be positive/);
    expect(() => open({ type: "User", qps: 1 })).toThrow(/limits\[0\].burst: must be positive/);
    expect(() => open({ type: "User", qps: 1, burst: 1, cacheSize: -1 })).toThrow(/cacheSize: must not be negative/);
  });
});

describe("OwnerReferencesPermissionEnforcement", () => {
  const owner = (name: string, blockOwnerDeletion?: boolean) => ({
    apiVersion: "v1",
    kind: "Pod",
    name,
    uid: `uid-${name}`,
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  });
  const owned = (...ownerReferences: ReturnType<typeof owner>[]): ApiObject => ({
    metadata: { name: "c", namespace: "ns", ownerReferences },
  });
  /** Whether the write is accepted, and which rights were checked. `may`: verbs that are allowed. */
  const check = async (may: string[], options: RequestOptions) => {
    const asked: string[] = [];
    const authorizer = ({ verb, resource, subresource, namespace, name }: Attributes) => {
      asked.push([verb, resource, subresource, namespace, name].filter((part) => part !== "").join(" "));
      return { outcome: may.includes(verb) ? ("allow" as const) : ("none" as const), reason: "" };
    };
    const world = createWorld([], "orch", { authorizer });
    const plugin = createOwnerReferencesPermissionEnforcement(world.context);
    const admitted = world.admit(plugin, "configmaps", { namespace: "ns", name: "c", ...options });
    return [
      await admitted.then(
        () => "passes",
        ({ reason }) => reason,
      ),
      ...asked,
    ];
  };
  const update = (old: ApiObject, object: ApiObject): RequestOptions => ({ operation: "UPDATE", old, object });

  test("changing owners requires the right to delete the object; a create requires nothing", async () => {
    expect(await check([], { object: owned(owner("a")) })).toEqual(["passes"]);
    expect(await check([], update(owned(owner("a")), owned()))).toEqual(["Forbidden", "delete configmaps ns c"]);
    expect(await check(["delete"], update(owned(), owned(owner("a"))))).toEqual(["passes", "delete configmaps ns c"]);
    expect(await check([], update(owned(owner("a")), owned(owner("a"))))).toEqual(["passes"]);
  });
  test("blocking an owner's deletion needs the right to update its finalizers, also on create", async () => {
    const question = "update pods finalizers ns a";
    expect(await check([], { object: owned(owner("a", true)) })).toEqual(["Forbidden", question]);
    expect(await check(["update"], { object: owned(owner("a", true)) })).toEqual(["passes", question]);
    const later = update(owned(owner("a", false)), owned(owner("a", true)));
    expect(await check(["delete"], later)).toEqual(["Forbidden", "delete configmaps ns c", question]);
    const unblocked = update(owned(owner("a", true)), owned(owner("a", false)));
    expect(await check(["delete"], unblocked)).toEqual(["passes", "delete configmaps ns c"]);
  });
  test("the deletion of an owner of a kind that is not served cannot be blocked", async () => {
    const stranger = { ...owner("a", true), apiVersion: "example.com/v1", kind: "Nope" };
    expect(await check(["update", "delete"], { object: owned(stranger) })).toEqual(["Forbidden"]);
  });
});

describe("PersistentVolumeLabel", () => {
  const world = createWorld([]);
  const plugin = createPersistentVolumeLabel(world.context);
  const admit = (metadata: object, spec: object) =>
    world.admit(plugin, "persistentvolumes", { object: { metadata: { name: "v", ...metadata }, spec } });
  const labels = { "topology.orch.io/zone": "b__a", "topology.orch.io/region": "r" };
  const annotations = { "pv.orch.io/provisioned-by": "example.com/p" };
  const requirements = [
    { key: "topology.orch.io/zone", operator: "In", values: ["a", "b"] },
    { key: "topology.orch.io/region", operator: "In", values: ["r"] },
  ];

  test("a provisioned volume is restricted to the nodes of its zone and region", async () => {
    const volume = await admit({ labels, annotations }, { cinder: { volumeID: "x" } });
    expect(volume?.["spec"]).toEqual({
      cinder: { volumeID: "x" },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: requirements }] } },
    });
  });
  test("an affinity that already names the zone is unchanged", async () => {
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: requirements.slice(0, 1) }] } };
    expect((await admit({ labels, annotations }, { nodeAffinity }))?.["spec"]).toEqual({ nodeAffinity });
  });
  test("a cloud volume whose zone is unknown is refused, any other is accepted", async () => {
    await expect(admit({ labels }, { awsElasticBlockStore: { volumeID: "x" } })).rejects.toThrow(/no cloud provider/);
    await admit({}, { awsElasticBlockStore: { volumeID: "placeholder-for-provisioning" } });
    await admit({ labels }, { hostPath: { path: "/x" } });
  });
});
