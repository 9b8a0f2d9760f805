/** Who owns what, at the releases between which it changed. */

import { expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { ask, definition, definitions, merge, version, widget, widgets } from "./custom-resources.suite.ts";

type Emulated = NonNullable<NonNullable<Parameters<typeof createServer>[0]>["emulatedVersion"]>;
const maps = "/api/v1/namespaces/default/configmaps";

interface Owner {
  readonly subresource?: string;
  readonly fieldsV1: object;
}

/** What the body says of its owners: the path that each wrote through, and its fields. */
function owners(body: Record<string, unknown>) {
  const { managedFields = [] } = body["metadata"] as { managedFields?: Owner[] };
  return managedFields.map(({ subresource = "", fieldsV1 }) => [subresource, fieldsV1]);
}

async function at<T>(levels: readonly Emulated[], asked: (server: OrchServer) => Promise<T>): Promise<T[]> {
  return Promise.all(
    levels.map(async (emulatedVersion) => {
      await using server = await createServer({ emulatedVersion, controllers: false });
      return await asked(server);
    }),
  );
}

test("a write through the scale of a custom kind takes the replicas from their owner, and owns them itself since 1.27", async () => {
  const spec = { type: "object", properties: { size: { type: "integer" }, color: { type: "string" } } };
  const paths = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  const scaled = version("v1", {
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    subresources: { scale: paths },
  });
  const found = await at(["1.26", "1.27"], async (server) => {
    await ask(server, "POST", definitions, definition({ versions: [scaled] }));
    await expect.poll(async () => (await ask(server, "GET", widgets)).status).toBe(200);
    await ask(server, "POST", widgets, widget("a", { spec: { size: 1, color: "red" } }));
    await ask(server, "PATCH", `${widgets}/a/scale`, { spec: { replicas: 5 } }, merge);
    const { body } = await ask(server, "GET", `${widgets}/a`);
    expect(body["spec"]).toEqual({ size: 5, color: "red" });
    return owners(body);
  });
  const creator = ["", { "f:spec": { ".": {}, "f:color": {} } }];
  expect(found).toEqual([[creator], [["scale", { "f:spec": { "f:size": {} } }], creator]]);
});

test("a creator that sends the mark of a deletion owns it until 1.24", async () => {
  const metadata = { name: "a", deletionTimestamp: "2001-01-01T00:00:00Z" };
  const found = await at(["1.24", "1.25"], async (server) => {
    const { body } = await ask(server, "POST", maps, { apiVersion: "v1", kind: "ConfigMap", metadata });
    return owners(body);
  });
  expect(found).toEqual([[["", { "f:metadata": { "f:deletionTimestamp": {} } }]], []]);
});

test("an apply of the same items in another order moves them since 1.29", async () => {
  const finalizers = ["example.com/a", "example.com/b"];
  const found = await at(["1.28", "1.29"], async (server) => {
    const apply = async (items: readonly string[]) => {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", finalizers: items } };
      return await ask(server, "PATCH", `${maps}/a?fieldManager=m`, body, "application/apply-patch+yaml");
    };
    await apply(finalizers);
    return ((await apply(finalizers.toReversed())).body["metadata"] as { finalizers: string[] }).finalizers;
  });
  expect(found).toEqual([finalizers, finalizers.toReversed()]);
});

test("a write of the status of a range owns the range as well until 1.35", async () => {
  const path = "/apis/networking.orch.io/v1/servicecidrs";
  const status = {
    conditions: [{ type: "Ready", status: "False", reason: "r", message: "m", lastTransitionTime: null }],
  };
  const found = await at(["1.35", "1.36"], async (server) => {
    await ask(server, "POST", path, { metadata: { name: "a" }, spec: { cidrs: ["192.168.213.0/24"] } });
    const { body } = await ask(server, "PATCH", `${path}/a/status`, { status, spec: { cidrs: ["1.0.0.0/8"] } }, merge);
    return owners(body).map(([subresource]) => subresource);
  });
  expect(found).toEqual([["status"], ["", "status"]]);
});
