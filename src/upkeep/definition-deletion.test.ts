import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";

interface Definition {
  metadata: { name: string; generation: number; finalizers?: string[]; deletionTimestamp?: string };
  status: { conditions: { type: string; status: string; reason: string }[] };
}

const path = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const finalizer = "customresourcecleanup.apiextensions.orch.io";
let server: OrchServer;
beforeAll(async () => {
  server = await createServer({});
});
afterAll(() => server.close());

async function call(method: string, at: string, body?: object): Promise<[number, Definition]> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await server.fetch(at, {
    method,
    headers: { "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as Definition];
}

async function define(plural: string, metadata: object = {}): Promise<string> {
  const group = "deletion.example.com";
  const schema = { openAPIV3Schema: { type: "object" } };
  const [code] = await call("POST", path, {
    metadata: { name: `${plural}.${group}`, ...metadata },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind: plural.replace(/^./, (letter) => letter.toUpperCase()) },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  expect(code).toBe(201);
  const at = `${path}/${plural}.${group}`;
  await expect.poll(async () => conditions(await call("GET", at))).toContain("Established True");
  return at;
}

const conditions = ([, { status }]: [number, Definition]) =>
  (status?.conditions ?? []).map(({ type, status: is }) => `${type} ${is}`);

test("a delete of a definition returns it as terminating, and it is removed soon after", async () => {
  const at = await define("apples");
  const [code, answer] = await call("DELETE", at);
  expect([code, answer.metadata.finalizers, answer.metadata.generation]).toEqual([200, [finalizer], 1]);
  expect(answer.status.conditions.at(-1)).toMatchObject({ type: "Terminating", reason: "InstanceDeletionPending" });
  await expect.poll(async () => (await call("GET", at))[0]).toBe(404);
});

test("finalizers of others hold a definition after its objects have gone", async () => {
  const at = await define("pears", { finalizers: ["example.com/hold"] });
  await call("DELETE", at);
  await expect.poll(async () => conditions(await call("GET", at))).toContain("Terminating False");
  const [, held] = await call("GET", at);
  expect([held.metadata.finalizers, held.status.conditions.at(-1)?.reason]).toEqual([
    ["example.com/hold"],
    "InstanceDeletionCompleted",
  ]);
  await call("PATCH", at, { metadata: { finalizers: null } });
  expect((await call("GET", at))[0]).toBe(404);
});

test("a dry run of a delete does not change a definition", async () => {
  const at = await define("plums");
  expect((await call("DELETE", `${at}?dryRun=All`))[1].metadata.finalizers).toEqual([finalizer]);
  expect((await call("GET", at))[1].metadata.deletionTimestamp).toBeUndefined();
});
