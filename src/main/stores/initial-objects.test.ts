import { expect, test } from "vitest";
import { openSharedStore } from "../../../test/server/shared-store.fixture.ts";
import { admissionOrder } from "../../admission/order.ts";
import { systemClock } from "../../base/clock.ts";
import { existsIn } from "../../base/release.ts";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { InitialObjects } from "../../upkeep/initial-objects.ts";
import { type CreateServerOptions, createServer, kinds, type OrchServer, on, plugin } from "../library.ts";
import { defaultServiceRanges } from "../services.ts";
import { initialObjects } from "./initial-objects.ts";

const paths = [
  "/api/v1/namespaces",
  "/api/v1/services",
  "/apis/scheduling.orch.io/v1/priorityclasses",
  "/apis/apiregistration.orch.io/v1/apiservices",
  "/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas",
  "/apis/flowcontrol.apiserver.orch.io/v1beta1/prioritylevelconfigurations",
  "/apis/rbac.authorization.orch.io/v1/clusterroles",
  "/apis/rbac.authorization.orch.io/v1/clusterrolebindings",
  "/apis/rbac.authorization.orch.io/v1/roles",
  "/apis/rbac.authorization.orch.io/v1/rolebindings",
];

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp: string };
}

async function itemsOf(server: OrchServer, path: string): Promise<Item[]> {
  return ((await (await server.fetch(path)).json()) as { items: Item[] }).items;
}

async function initialOf(options: CreateServerOptions): Promise<Item[]> {
  await using server = await createServer({ controllers: false, authorization: "RBAC", ...options });
  return (await Promise.all(paths.map((path) => itemsOf(server, path)))).flat();
}

const different = new Set(["uid", "resourceVersion", "time", "creationTimestamp", "lastTransitionTime"]);

/** Without what differs between two servers, and without the conditions of flow schemas, which upkeep writes at any time. */
function alike(items: readonly Item[]): unknown {
  const isOfUpkeep = (value: unknown) => /"Dangling"|config-consumer/.test(JSON.stringify(value));
  const text = JSON.stringify(items, (name, value: unknown) => {
    if (different.has(name)) return "";
    if (name === "managedFields" && Array.isArray(value)) return value.filter((each) => !isOfUpkeep(each));
    return name === "status" && isOfUpkeep(value) ? {} : value;
  });
  return JSON.parse(text) as unknown;
}

const at = (time: string) => ({ ...systemClock, now: () => Date.parse(time) });

test("later servers of a process have the same initial objects, with uids and times of their own", async () => {
  const made = await initialOf({ clock: at("2021-01-01T00:00:00Z") });
  expect(initialObjects.print()).toContain("ClusterRole");
  // Default plugins check initial objects and change none, so the result does not depend on them.
  const disableAdmissionPlugins = admissionOrder.flatMap((place) =>
    place.byDefault && existsIn(levelDefault, place) ? [place.name] : [],
  );
  const printed = await initialOf({ clock: at("2022-02-02T00:00:00Z"), disableAdmissionPlugins });
  expect(alike(printed)).toEqual(alike(made));
  expect(made.length).toBeGreaterThan(150);
  expect(new Set(printed.map(({ metadata }) => metadata.creationTimestamp))).toEqual(new Set(["2022-02-02T00:00:00Z"]));
  expect(JSON.stringify(printed)).not.toContain("2021-01-01");
  expect(new Set([...made, ...printed].map(({ metadata }) => metadata.uid)).size).toBe(2 * made.length);
});

test("recorded objects can be printed and read", () => {
  const text = "vocabulary v1 Thing  a manager\t{}\t{}\n";
  expect(new InitialObjects(text).find("vocabulary v1 Thing  a manager", "{}")).toBe("{}");
  expect(new InitialObjects(text).find("vocabulary v1 Thing  a manager", '{"other":1}')).toBeUndefined();
  expect(new InitialObjects(new InitialObjects(text).print()).print()).toBe(text);
});

test("feature gates and plugins of the program apply to initial objects", async () => {
  const labelOf = async (options: CreateServerOptions) => {
    await using server = await createServer({ controllers: false, ...options });
    const { metadata } = (await (await server.fetch("/api/v1/namespaces/default")).json()) as {
      metadata: { labels?: object };
    };
    return metadata.labels;
  };
  const label = { "orch.io/metadata.name": "default" };
  expect(await labelOf({})).toEqual(label);
  expect(await labelOf({ featureGates: { NamespaceDefaultLabelName: false } })).toBeUndefined();
  const stamp = plugin("Stamp", [
    on(kinds.Namespace, "CREATE", {
      mutate({ object }) {
        object.metadata.labels = { ...object.metadata.labels, stamped: "yes" };
      },
    }),
  ]);
  expect(await labelOf({ admission: [stamp] })).toEqual({ ...label, stamped: "yes" });
  expect(await labelOf({})).toEqual(label);
});

test("the server's own service leads to the port of the server, not to that of an earlier one", async () => {
  const initialObjects = new InitialObjects();
  for (const ownPort of [7_001, 7_002]) {
    const store = openSharedStore();
    const { fetch } = await store.open({ initialObjects, services: { ...defaultServiceRanges, ownPort } });
    expect(await (await fetch("/api/v1/namespaces/default/services/orch")).json()).toMatchObject({
      spec: { ports: [{ port: 443, targetPort: ownPort }] },
    });
    // It is recorded once it is stored, which its readers may see first.
    await expect.poll(() => initialObjects.print().match(/ Service .*\n/g)).toHaveLength(1);
    expect(initialObjects.print()).not.toContain(`${ownPort}`);
    await store.close();
  }
});

test("the address of the server's own service belongs to it, however the service was created", async () => {
  for (let round = 0; round < 2; round++) {
    await using server = await createServer({ controllers: false });
    const answer = await server.fetch("/api/v1/namespaces/default/services", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "other" }, spec: { clusterIP: "10.0.0.1", ports: [{ port: 80 }] } }),
    });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("provided IP is already allocated");
  }
});
