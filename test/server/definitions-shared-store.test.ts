/** Definitions where several servers share one store: a kind that one server defines is served, and later removed, by the others. */

import { expect, test } from "vitest";
import { openSharedStore } from "./shared-store.fixture.ts";

const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

test("a definition of one server is served by the other until it is deleted, and then its watches end", async () => {
  const store = openSharedStore();
  store.kv.newest = () => undefined; // as etcd, which other processes write to
  const [one, two] = [await store.open(), await store.open()];
  one.server.startUpkeep();
  two.server.startUpkeep();
  expect((await one.send("POST", definitions, definition)).status).toBe(201);
  await expect.poll(async () => (await two.fetch(widgets)).status).toBe(200);
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
  expect((await two.send("POST", widgets, widget)).status).toBe(201);
  expect((await one.fetch(`${widgets}/w`)).status).toBe(200);

  const open = await two.fetch(`${widgets}?watch=1&resourceVersion=0`);
  // A watch that waits for the newest revision while its kind goes.
  const revision = store.kv.revision.bind(store.kv);
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  store.kv.revision = async () => {
    await held;
    return revision();
  };
  const late = two.fetch(`${widgets}?watch=1`);
  await new Promise((done) => setTimeout(done, 50));
  store.kv.revision = revision;
  await one.fetch(`${definitions}/widgets.example.com`, { method: "DELETE" });
  await expect.poll(async () => (await two.fetch(widgets)).status).toBe(404);
  goOn();
  await open.text(); // it ends
  expect((await late).status).toBe(404);
  await store.close();
});
