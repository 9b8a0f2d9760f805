/** Answers that differ between the levels. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

type Server = Awaited<ReturnType<typeof createServer>>;

const maps = "/api/v1/namespaces/default/configmaps";
let early: Server;
let late: Server;

beforeAll(async () => {
  early = await createServer({ controllers: false });
  late = await createServer({ emulatedVersion: "1.35", controllers: false });
  for (const server of [early, late]) {
    for (const name of ["a", "b", "c"]) {
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { l: "1" } } });
      expect((await server.fetch(maps, { method: "POST", body })).status).toBe(201);
    }
  }
});

afterAll(async () => {
  await early.close();
  await late.close();
});

/** The same request at both levels. */
const both = async <T>(ask: (server: Server) => Promise<T>): Promise<readonly [early: T, late: T]> => [
  await ask(early),
  await ask(late),
];

test("a merge patch that is not an object is a bad request where fields are validated", async () => {
  const send = (query: string, body: string) => async (server: Server) => {
    const headers = { "content-type": "application/merge-patch+json" };
    return (await server.fetch(`${maps}/a${query}`, { method: "PATCH", headers, body })).status;
  };
  expect(await both(send("", "[1]"))).toEqual([422, 400]);
  expect(await both(send("", "7"))).toEqual([400, 400]);
  expect(await both(send("?fieldValidation=Ignore", "[1]"))).toEqual([422, 422]);
});

test("the scale of a missing object is missing like the object itself", async () => {
  const path = "/apis/apps/v1/namespaces/default/deployments/none/scale";
  const details = async (server: Server) => ((await (await server.fetch(path)).json()) as { details: object }).details;
  expect(await both(details)).toEqual([
    { group: "apps", kind: "deployments/scale", name: "none" },
    { group: "apps", kind: "deployments", name: "none" },
  ]);
});

test("metadata in protobuf has the fields of its level", async () => {
  const bytes = (path: string, view: string) => async (server: Server) => {
    const accept = `application/vnd.orch.protobuf;as=${view};g=meta.orch.io;v=v1`;
    const answer = await server.fetch(path, { headers: { accept } });
    return Buffer.from(await answer.arrayBuffer());
  };
  // Field 15, the name of the cluster, as an empty text.
  const has = (message: Buffer) => message.includes(Buffer.from("0a016c1201317a00", "hex"));
  const single = await both(bytes(`${maps}/a`, "PartialObjectMetadata"));
  const listed = await both(bytes(maps, "PartialObjectMetadataList"));
  expect([single.map(has), listed.map(has)]).toEqual([
    [true, false],
    [true, false],
  ]);
});

test("a page of metadata says how many objects follow", async () => {
  const accept = "application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1";
  const rest = async (server: Server) => {
    const page = await (await server.fetch(`${maps}?limit=1`, { headers: { accept } })).json();
    return (page as { metadata: { remainingItemCount?: number } }).metadata.remainingItemCount;
  };
  expect(await both(rest)).toEqual([undefined, 2]);
});

test("a Table without objects also marks the end of a watch list", async () => {
  const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const accept = "application/json;as=Table;v=v1;g=meta.orch.io";
  const answer = await late.fetch(`${maps}?${query}&timeoutSeconds=1&includeObject=None`, { headers: { accept } });
  const events = (await answer.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const objects = events.map(({ type, object }) => [type, object.rows[0].object?.metadata.annotations]);
  expect(objects).toContainEqual(["ADDED", undefined]);
  expect(objects).toContainEqual(["BOOKMARK", { "orch.io/initial-events-end": "true" }]);
});

test("a watch in YAML is refused with the types of streams", async () => {
  const answer = await late.fetch(`${maps}?watch=1`, { headers: { accept: "application/yaml" } });
  expect(answer.status).toBe(406);
  expect((await answer.text()).replace(/\s+/g, " ")).toContain(
    "application/json;stream=watch, application/vnd.orch.protobuf;stream=watch",
  );
});

test("pods are selected by the network of their node", async () => {
  const ask = async (server: Server) =>
    (await server.fetch("/api/v1/pods?fieldSelector=spec.hostNetwork%3Dfalse")).status;
  expect(await both(ask)).toEqual([400, 200]);
});

test("the metrics say how their names are escaped", async () => {
  const type = async (server: Server) => (await server.fetch("/metrics")).headers.get("content-type");
  const plain = "text/plain; version=0.0.4; charset=utf-8";
  expect(await both(type)).toEqual([plain, `${plain}; escaping=underscores`]);
});
