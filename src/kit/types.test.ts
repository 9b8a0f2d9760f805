/** What the type checker knows: of objects that were read, of patches, of the calls that a kind has. */

import { expect, expectTypeOf, test } from "vitest";
import { allControllers } from "../main/all-controllers.ts";
import type { CreateServerOptions, OrchServer } from "../main/library/options.ts";
import { controllerNames } from "../testkit/controller-choice.ts";
import {
  type AnyObject,
  type ChangeEvent,
  type Client,
  ConfigMap,
  controller,
  Deployment,
  defineResource,
  field,
  type JsonOperation,
  type KindTraits,
  type Namespaced,
  Node,
  Pod,
  type Resource,
  type Sent,
  type ServedKind,
  ServiceAccount,
  type Static,
  type Stored,
  SubjectAccessReview,
  type WatchEvent,
  type WrittenObject,
} from "./orch-client.ts";

/** Compiled, never called. */
const check = (_body: (client: Client) => unknown): void => undefined;

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  fields: {
    spec: field.object({ size: field.int32().default(1) }),
    status: field.optional(field.object({ seen: field.optional(field.int32()) })),
  },
  scale: { spec: ".spec.size", status: ".status.seen" },
});
type Widget = Static<typeof Widget>;
const Zone = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Zone",
  resource: "zones",
  scope: "Cluster",
  fields: { spec: field.object({ name: field.string() }) },
});

test("an object that was read has its name, uid, version and time, and a namespace where its kind has", () => {
  check(async (client) => {
    const map = await client.of(ConfigMap).get("a");
    expectTypeOf(map.metadata.name).toEqualTypeOf<string>();
    expectTypeOf(map.metadata.namespace).toEqualTypeOf<string>();
    expectTypeOf(map.metadata.uid).toEqualTypeOf<string>();
    expectTypeOf(map.metadata.resourceVersion).toEqualTypeOf<string>();
    expectTypeOf(map.metadata.creationTimestamp).toEqualTypeOf<string>();
    expectTypeOf(map.apiVersion).toEqualTypeOf<string>();
    expectTypeOf((await client.of(Node).get("n")).metadata.namespace).toEqualTypeOf<string | undefined>();
    expectTypeOf((await client.of(Zone).get("n")).metadata.namespace).toEqualTypeOf<string | undefined>();
    expectTypeOf(
      (await client.of(Widget).create({ metadata: {}, spec: { size: 1 } })).metadata.uid,
    ).toEqualTypeOf<string>();
    for await (const pod of client.of(Pod).list()) expectTypeOf(pod.metadata.name).toEqualTypeOf<string>();
    expectTypeOf((await client.of(Pod).list().all()).items[0]?.metadata.uid).toEqualTypeOf<string | undefined>();
    expectTypeOf(client.informers().of(Pod).get("a")?.metadata.namespace).toEqualTypeOf<string | undefined>();
    // A review is answered and not kept.
    const review = await client.of(SubjectAccessReview).create({ metadata: {}, spec: {} });
    expectTypeOf(review.metadata.uid).toEqualTypeOf<string | undefined>();
    // What was read can be written, and is an object of its kind.
    await client.of(ConfigMap).update({ ...map, data: { a: "1" } });
    const plain: ConfigMap = map;
    const bare: Stored<ConfigMap> = map;
    return [plain, bare];
  });
  controller({
    for: Widget,
    when: (widget, old) => widget.metadata.uid === old?.metadata.uid,
    async reconcile({ object: widget }) {
      expectTypeOf(widget.metadata.namespace).toEqualTypeOf<string>();
      expectTypeOf(widget.spec.size).toEqualTypeOf<number>();
    },
  });
});

test("an event of a watch has an object, and a bookmark less", () => {
  check(async (client) => {
    for await (const event of client.of(ConfigMap).watch()) {
      expectTypeOf(event).toEqualTypeOf<ChangeEvent<Stored<ConfigMap, Namespaced>>>();
      expectTypeOf(event.object.metadata.name).toEqualTypeOf<string>();
    }
    for await (const event of client.of(ConfigMap).watch({ bookmarks: true })) {
      expectTypeOf(event).toEqualTypeOf<WatchEvent<Stored<ConfigMap, Namespaced>>>();
      if (event.type === "BOOKMARK") {
        // @ts-expect-error a bookmark has no name
        event.object.metadata.name;
        expectTypeOf(event.object.metadata.resourceVersion).toEqualTypeOf<string>();
      } else expectTypeOf(event.object.data).toEqualTypeOf<Record<string, string> | undefined>();
    }
  });
});

test("a patch is checked by its type", () => {
  check(async (client) => {
    const deployments = client.of(Deployment);
    await deployments.patch("a", { spec: { replicas: 3, paused: null } });
    await deployments.patch("a", { metadata: { labels: { old: null } } }, { type: "merge" });
    // @ts-expect-error a member that a Deployment does not have
    await deployments.patch("a", { spec: { replica: 3 } });
    // @ts-expect-error a number is wanted
    await deployments.patch("a", { spec: { replicas: "3" } });
    const steps: JsonOperation[] = [{ op: "replace", path: "/spec/replicas", value: 3 }];
    await deployments.patch("a", steps, { type: "json" });
    // @ts-expect-error operations are of the type "json"
    await deployments.patch("a", steps);
    // @ts-expect-error a value is missing
    await deployments.patch("a", [{ op: "add", path: "/spec" }], { type: "json" });
    const containers = [{ name: "web", image: "web:2" }];
    await deployments.patch("a", { spec: { template: { spec: { containers } } } }, { type: "strategic" });
    const volumes = [{ name: "old", $patch: "delete" as const }];
    await deployments.patch("a", { spec: { template: { spec: { volumes } } } }, { type: "strategic" });
    await deployments.status.patch("a", { status: { readyReplicas: 1 } });
    await client.object({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }).patch({ spec: { any: 1 } });
  });
});

test("a kind has the calls of its paths alone", () => {
  check((client) => {
    const maps = client.of(ConfigMap);
    return [
      // @ts-expect-error a ConfigMap has no scale
      maps.scale,
      // @ts-expect-error and no status
      maps.status,
      // @ts-expect-error only pods have logs
      maps.logs,
      // @ts-expect-error only service accounts have tokens
      maps.token,
      // @ts-expect-error a CronJob scales nothing, and neither does a Pod
      client.of(Pod).scale,
      // @ts-expect-error a Zone was declared without a status
      client.of(Zone).status,
      client.of(Pod).logs,
      client.of(Pod).evict,
      client.of(Pod).status,
      client.of(Deployment).scale,
      client.of(ServiceAccount).token,
      client.of(Widget).scale,
      client.of(Widget).status,
    ];
  });
  const takesMaps = (_maps: Resource<ConfigMap>) => undefined;
  check((client) => takesMaps(client.of(ConfigMap)));
});

test("the type of a declared kind is a plain object", () => {
  expectTypeOf<Widget["spec"]>().toEqualTypeOf<{ size: number }>();
  expectTypeOf<Widget["status"]>().toEqualTypeOf<{ seen?: number } | undefined>();
});

test("a member with a default is there when it was read, and may be left out when it is sent", () => {
  const fields = {
    spec: field.object({
      size: field.int32().default(1),
      color: field.optional(field.oneOf(["red", "blue"])).default("red"),
      parts: field.list(field.object({ name: field.string(), count: field.int32().default(1) })),
      limits: field.optional(field.map(field.quantity())),
      anything: field.optional(field.json()),
    }),
  };
  const Lamp = defineResource({ group: "example.com", version: "v1", kind: "Lamp", resource: "lamps", fields });
  expectTypeOf<Static<typeof Lamp>["spec"]>().toEqualTypeOf<{
    size: number;
    color: "red" | "blue";
    parts: { name: string; count: number }[];
    limits?: Record<string, string>;
    anything?: unknown;
  }>();
  expectTypeOf<WrittenObject<typeof fields>["spec"]>().toEqualTypeOf<{
    size?: number;
    color?: "red" | "blue";
    parts: { name: string; count?: number }[];
    limits?: Record<string, string>;
    anything?: unknown;
  }>();
  const sent: Sent<typeof Lamp> = { metadata: { name: "a" }, spec: { parts: [{ name: "b" }] } };
  expectTypeOf<Sent<typeof ConfigMap>>().toEqualTypeOf<ConfigMap>();
  check(async (client) => {
    const lamps = client.of(Lamp);
    const made = await lamps.create(sent);
    expectTypeOf(made.spec.color).toEqualTypeOf<"red" | "blue">();
    expectTypeOf(made.spec.parts).toEqualTypeOf<{ name: string; count: number }[]>();
    await lamps.update(made);
    await lamps.update({ metadata: { name: "a" }, spec: { size: 1, parts: [] } });
    await lamps.apply({ metadata: { name: "a" }, spec: { size: 2 } }, { manager: "test" });
    // @ts-expect-error one of the two colors
    await lamps.create({ metadata: { name: "a" }, spec: { color: "green", parts: [] } });
    // @ts-expect-error there is no default for the parts
    await lamps.create({ metadata: { name: "a" }, spec: {} });
    // @ts-expect-error a name is misspelled
    await lamps.create({ metadata: { name: "a" }, spec: { parts: [], sizes: 1 } });
    // Functions over any kind send what they are given.
    const copy = async <T extends AnyObject, K extends KindTraits>(kind: ServedKind<T, K>, name: string) => {
      const { metadata, ...rest } = await client.of(kind).get(name);
      return client.of(kind).create({ ...rest, metadata: { name: `${metadata.name}-copy` } } as AnyObject as T);
    };
    await copy(Lamp, "a");
  });
  // Without defaults there is one type.
  expectTypeOf<Parameters<Resource<ConfigMap>["create"]>[0]>().toEqualTypeOf<ConfigMap>();
});

test("verbs, controllers and phases are unions of words", () => {
  expectTypeOf<NonNullable<Pod["status"]>["phase"]>().toEqualTypeOf<
    "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown" | undefined
  >();
  const options: CreateServerOptions[] = [
    { controllers: ["*", "-garbagecollector", "deployment", "garbage-collector-controller"] },
    // @ts-expect-error deployment is misspelled
    { controllers: ["deploymnt"] },
  ];
  expectTypeOf(options).toEqualTypeOf<CreateServerOptions[]>();
  ((server: Pick<OrchServer, "faults" | "journal">) => [
    server.faults.add({ match: { verb: ["create", "watch"] }, do: { latencyMs: 1_000 } }),
    // @ts-expect-error there is no such verb
    server.faults.add({ match: { verb: "creates" }, do: { latencyMs: 1_000 } }),
  ]) satisfies unknown;
  expect([...controllerNames]).toEqual(allControllers.map(({ name }) => name).sort());
});
