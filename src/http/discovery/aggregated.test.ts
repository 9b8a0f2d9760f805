import { expect, test } from "vitest";
import { decodeEnvelope } from "../../machinery/codec/envelope.ts";
import type { ApiResource } from "../contract/routes.ts";
import { openTestServer } from "../server.fixture.ts";

const accept = "application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList";
const asking = { headers: { accept } };

interface Discovered {
  readonly items: readonly { readonly metadata: object; readonly versions: readonly object[] }[];
}

test("one document lists groups, versions, resources and subresources", async () => {
  const { fetch, close } = await openTestServer({ level: "1.35" });
  const answer = await fetch("/apis", asking);
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    200,
    accept,
    "public",
  ]);
  const { items } = (await answer.json()) as Discovered;
  const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
  const kind = (name: string) => ({ group: "", version: "", kind: name });
  expect(items).toEqual([
    {
      metadata: { name: "toys.example.com" },
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            {
              resource: "gadgets",
              responseKind: kind("Gadget"),
              scope: "Namespaced",
              singularResource: "gadget",
              shortNames: ["gd"],
              categories: ["all"],
              verbs,
              subresources: [
                { subresource: "status", responseKind: kind("Gadget"), verbs: ["get", "patch", "update"] },
              ],
            },
            {
              resource: "questions",
              responseKind: kind("Question"),
              scope: "Cluster",
              singularResource: "question",
              verbs: ["create"],
            },
            { resource: "shelves", responseKind: kind("Shelf"), scope: "Cluster", singularResource: "shelf", verbs },
          ],
        },
      ],
    },
  ]);
  await close();
});

test("it wins over plain JSON, and a client that knows the document is told that it is the same", async () => {
  const { fetch, close } = await openTestServer({ level: "1.35" });
  const first = await fetch("/api", { headers: { accept: `application/json,${accept};q=0.1` } });
  const etag = first.headers.get("etag") ?? "";
  expect([first.headers.get("content-type"), first.headers.get("vary")]).toEqual([accept, "Accept"]);
  const again = await fetch("/api", { headers: { accept, "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await fetch("/api", { headers: { accept, "if-none-match": '"other"' } })).status).toBe(200);
  await close();
});

test("protobuf is offered as well", async () => {
  const { fetch, close } = await openTestServer({ level: "1.35" });
  const protobuf = accept.replace("application/json", "application/vnd.orch.protobuf");
  const answer = await fetch("/apis", { headers: { accept: protobuf } });
  expect(answer.headers.get("content-type")).toBe(protobuf);
  const { kind, apiVersion, raw } = decodeEnvelope(Buffer.from(await answer.arrayBuffer()));
  expect([kind, apiVersion]).toEqual(["APIGroupDiscoveryList", "apidiscovery.orch.io/v2"]);
  expect(Buffer.from(raw).includes("gadgets")).toBe(true);
  await close();
});

test("other versions of the type are not offered, nor the type at the default level or at /apis/", async () => {
  const server = await openTestServer({ level: "1.35" });
  const old = await openTestServer();
  const beta = { headers: { accept: accept.replace("v=v2", "v=v2beta1") } };
  const answers = [server.fetch("/apis", beta), server.fetch("/apis/", asking), old.fetch("/apis", asking)];
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([406, 406, 406]);
  await server.close();
  await old.close();
});

test("groups of other servers are stale until their resources are known", async () => {
  const toys: ApiResource = { name: "toys", singularName: "toy", namespaced: true, kind: "Toy", verbs: ["get"] };
  let generation = 0;
  let isAvailable = false;
  const { fetch, close } = await openTestServer({
    level: "1.35",
    delegate: {
      groups: () => [{ group: "far.example.com", versions: ["v1"], preferred: "v1" }],
      serves: (group) => group === "far.example.com",
      withholds: () => false,
      handle: async () => {},
      resources: {
        get generation() {
          return generation;
        },
        list: () => (isAvailable ? [toys] : undefined),
        isAvailable: () => isAvailable,
      },
    },
  });
  const farAway = async () => {
    const { items } = (await (await fetch("/apis", asking)).json()) as Discovered;
    return items.at(-1)?.versions[0];
  };
  expect(await farAway()).toEqual({ version: "v1", freshness: "Stale" });
  isAvailable = true;
  generation++;
  expect(await farAway()).toMatchObject({
    freshness: "Current",
    resources: [{ resource: "toys", scope: "Namespaced" }],
  });
  await close();
});
