// How do I test an operator? With a whole server in the same process: its garbage collector deletes what is owned.

import { createServer, type OrchServer } from "orch";
import { type Client, ConfigMap, connect, Deployment, Event, isInvalid, type RunningControllers } from "orch/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOperator, Website } from "./operator.ts";

let server: OrchServer;
let client: Client;
let operator: RunningControllers;
beforeAll(async () => {
  server = await createServer();
  client = await connect({ server });
  operator = await startOperator(client);
  await operator.ready;
});
afterAll(async () => {
  await operator.close();
  await server.close();
});

const soon = { timeout: 60_000, interval: 20 };
const create = (name: string, host: string, replicas = 2) =>
  client.of(Website).create({ metadata: { name }, spec: { host, html: "<h1>hello</h1>", replicas } });
const readyOf = async (name: string) => {
  const { status } = await client.of(Website).get(name);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return `${ready?.status} ${ready?.reason}`;
};
const eventsAbout = async (name: string) =>
  (
    await client
      .of(Event)
      .list({ fieldSelector: `involvedObject.name=${name}` })
      .all()
  ).items.map(({ reason }) => reason);

test("a site gets a page and pods, and is ready when they are", async () => {
  await create("shop", "shop.example.com");
  await vi.waitFor(async () => expect(await readyOf("shop")).toBe("False PodsNotReady"), soon);
  expect((await client.of(ConfigMap).get("shop-page")).data).toEqual({ "index.html": "<h1>hello</h1>" });
  expect((await client.of(Deployment).get("shop")).spec?.replicas).toBe(2);

  await client.of(Deployment).status.patch("shop", { status: { replicas: 2, readyReplicas: 2 } });
  await vi.waitFor(async () => expect(await readyOf("shop")).toBe("True Serving"), soon);
  await vi.waitFor(async () => expect(await eventsAbout("shop")).toEqual(["Serving"]), soon);

  await client.of(Website).scale.set("shop", 3);
  await vi.waitFor(async () => expect((await client.of(Deployment).get("shop")).spec?.replicas).toBe(3), soon);
});

test("what somebody changes or deletes by hand is restored", async () => {
  await create("blog", "blog.example.com");
  await vi.waitFor(async () => expect(await readyOf("blog")).toBe("False PodsNotReady"), soon);
  await client.of(Deployment).delete("blog");
  await client.of(ConfigMap).patch("blog-page", { data: { "index.html": "hacked" } });
  await vi.waitFor(async () => {
    expect(await client.of(Deployment).find("blog")).toBeDefined();
    expect((await client.of(ConfigMap).get("blog-page")).data).toEqual({ "index.html": "<h1>hello</h1>" });
  }, soon);
});

test("a host belongs to one site, and is free again when that is deleted", async () => {
  await create("first", "same.example.com");
  await vi.waitFor(async () => expect(await readyOf("first")).toBe("False PodsNotReady"), soon);
  await create("second", "same.example.com");
  await vi.waitFor(async () => expect(await readyOf("second")).toBe("False HostTaken"), soon);
  await vi.waitFor(async () => expect(await eventsAbout("second")).toEqual(["HostTaken"]), soon);
  expect(await client.of(Deployment).find("second")).toBeUndefined();

  await client.of(Website).delete("first");
  await vi.waitFor(async () => {
    expect(await client.of(Website).find("first")).toBeUndefined();
    expect(await client.of(Deployment).find("first")).toBeUndefined();
    expect(await client.of(ConfigMap).find("first-page")).toBeUndefined();
  }, soon);
  await client.of(Website).patch("second", { spec: { html: "<h1>mine</h1>" } }); // looks again at once
  await vi.waitFor(async () => expect(await readyOf("second")).toBe("False PodsNotReady"), soon);
});

test("a site that comes to rest is not written again", async () => {
  const before = (await client.of(Website).get("blog")).metadata.resourceVersion;
  await client.of(Website).patch("second", { metadata: { labels: { touched: "yes" } } });
  await vi.waitFor(async () => expect((await client.of(Website).get("second")).metadata.labels).toBeDefined(), soon);
  expect((await client.of(Website).get("blog")).metadata.resourceVersion).toBe(before);
});

test("a host that is not a name is refused by the server", async () => {
  const error = await create("odd", "No Host").catch((failure: unknown) => failure);
  expect(isInvalid(error) && error.details?.causes?.map(({ field }) => field)).toEqual(["spec.host"]);
});
