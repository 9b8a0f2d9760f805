/** Objects of kinds that a program does not know, and policies inside a server for kinds that only a program knows. */

import { expect, test } from "vitest";
import { createServer, on, plugin, refuse } from "../main/library.ts";
import { ConfigMap, connect, defineResource, field, installResources, isForbidden, isNotFound } from "./orch-client.ts";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  fields: { spec: field.object({ size: field.int32() }) },
});

for (const vocabulary of ["orch", "kubernetes"] as const)
  test(`an object by its type alone can be applied, read, changed, listed, watched and deleted, in ${vocabulary}`, async () => {
    await using server = await createServer({ vocabulary, controllers: false });
    const client = await connect({ server });
    const widget = client.object({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "a" },
      spec: { size: 1 },
    });
    expect(isNotFound(await widget.get().catch((error: unknown) => error))).toBe(true);
    await installResources(client, [Widget]);
    expect(await widget.find()).toBeUndefined();
    expect((await widget.apply({ manager: "test" }))["spec"]).toEqual({ size: 1 });
    expect((await widget.patch({ spec: { size: 2 } }))["spec"]).toEqual({ size: 2 });
    const { items, resourceVersion } = await widget.list().all();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    await widget.delete();
    for await (const { type, object } of widget.watch({ resourceVersion })) {
      expect([type, object.metadata.name]).toEqual(["DELETED", "a"]);
      break;
    }
    const core = client.object({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } });
    await core.create();
    expect((await core.resource()).address.resource).toBe("configmaps");
    expect(() => client.object({ kind: "Pod", metadata: {} })).toThrow("an object needs apiVersion, kind and metadata");
    await expect(client.object({ apiVersion: "v1", kind: "Pot", metadata: { name: "a" } }).get()).rejects.toThrow(
      'the server has no kind "Pot" in v1',
    );
  });

test("policies take the kinds of the kit and of defineResource, with their types", async () => {
  const policy = plugin("Sizes", [
    on(Widget, ["CREATE", "UPDATE"], {
      validate(request) {
        if (request.object.spec.size > 8) throw refuse(request, "it is too large");
      },
    }),
    on(ConfigMap, "CREATE", {
      mutate({ object }) {
        object.data = { ...object.data, seen: "yes" };
      },
    }),
  ]);
  await using server = await createServer({ controllers: false, admission: [policy] });
  const client = await connect({ server });
  await installResources(client, [Widget]);
  const widgets = client.of(Widget);
  await widgets.create({ metadata: { name: "small" }, spec: { size: 8 } });
  const refused = await widgets
    .create({ metadata: { name: "large" }, spec: { size: 9 } })
    .catch((error: unknown) => error);
  expect(isForbidden(refused) && refused.message).toContain("it is too large");
  expect((await client.of(ConfigMap).create({ metadata: { name: "m" } })).data).toEqual({ seen: "yes" });
});
