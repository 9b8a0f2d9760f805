import { expect, test } from "vitest";
import { createServer } from "./library.ts";

const thing = {
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};

test("controllers of the process learn of new resources without a request for each version", async () => {
  await using server = await createServer({ journal: true });
  await server.load([
    thing,
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace: "default" } },
  ]);
  const owner = await server.until("ConfigMap", "owner", () => true);
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
  const metadata = { name: "owned", namespace: "default", ownerReferences };
  await server.load([{ apiVersion: "example.com/v2", kind: "Thing", metadata }]);
  await server.fetch("/api/v1/namespaces/default/configmaps/owner", { method: "DELETE" });
  await server.untilGone("example.com/v1/Thing", "owned"); // the garbage collector follows things
  const read = server.journal.requests({ user: "system:orch-controller-manager", verb: "get" }).map(({ path }) => path);
  expect(new Set(read.filter((path) => !path.includes("/namespaces/")))).toEqual(new Set(["/api", "/apis"]));
});
