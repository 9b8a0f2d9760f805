import { afterAll, beforeAll, expect, test } from "vitest";
import { entry, patching, saying } from "../../admission/webhooks/webhooks.suite.ts";
import { type HookServer, openHookServer } from "../../base/hook-server.suite.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import { comparedCharsMax, stepsMax } from "./admission-trace.ts";
import { changedFields, changedFieldsMax, valueCharsMax } from "./field-changes.ts";
import { followedRequestsMax } from "./route.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const registration = "/apis/admissionregistration.orch.io/v1";
const send = ({ fetch }: OrchServer, method: string, path: string, body: unknown, type = "application/json") =>
  fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });

let hooks: HookServer;
beforeAll(async () => {
  hooks = await openHookServer(
    saying((path, { object }) => {
      if (path === "labels.example.org")
        return patching({ op: "add", path: "/metadata/labels", value: { team: "red" } });
      return object?.metadata.name === "unwanted" ? { allowed: false, status: { message: "not this one" } } : {};
    }),
  );
});
afterAll(() => hooks.close());

test("a write shows which plugins and webhooks ran, what they changed, and who refused it", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  const away = { clientConfig: { url: "https://127.0.0.1:1/" }, failurePolicy: "Ignore" };
  const mutating = [
    entry(hooks, "labels.example.org", { rules }),
    entry(hooks, "away.example.org", { rules, ...away }),
  ];
  await send(server, "POST", `${registration}/mutatingwebhookconfigurations`, {
    metadata: { name: "changes" },
    webhooks: mutating,
  });
  await send(server, "POST", `${registration}/validatingwebhookconfigurations`, {
    metadata: { name: "checks" },
    webhooks: [entry(hooks, "strict.example.org", { rules })],
  });
  for (const name of ["wanted", "unwanted"]) await send(server, "POST", maps, { metadata: { name } });
  const [wanted, unwanted] = server.journal.requests({ resource: "configmaps", verb: "create" });
  const labelled = { field: "metadata.labels", after: '{"team":"red"}' };
  const ofHooks = wanted?.admission.filter(({ webhook }) => webhook !== undefined) ?? [];
  expect(ofHooks.map(({ webhook, round, outcome }) => [webhook, round, outcome])).toEqual([
    [{ name: "labels.example.org", configuration: "changes" }, 0, "allowed"],
    [{ name: "away.example.org", configuration: "changes" }, 0, "ignored"],
    [{ name: "strict.example.org", configuration: "checks" }, 0, "allowed"],
  ]);
  expect(ofHooks[0]?.changes?.fields).toEqual([labelled]);
  expect(ofHooks[1]?.message).toContain("ECONNREFUSED");
  expect(ofHooks.every(({ durationMs = 0 }) => durationMs > 0)).toBe(true);
  expect(wanted?.admission.map(({ plugin }) => plugin)).toContain("MutatingAdmissionWebhook");
  expect(unwanted?.admission.slice(-2)).toMatchObject([
    { plugin: "ValidatingAdmissionWebhook", phase: "validate", outcome: "refused" },
    { webhook: { name: "strict.example.org" }, outcome: "refused", message: expect.stringContaining("not this one") },
  ]);
  expect(unwanted?.code).toBe(400);
});

test("a write shows each policy that was applied to it, and whether it only warns", async () => {
  const beta = "admissionregistration.orch.io/v1beta1";
  await using server = await createServer({
    controllers: false,
    journal: true,
    emulatedVersion: "1.35",
    featureGates: { MutatingAdmissionPolicy: true },
    runtimeConfig: { [beta]: true },
  });
  const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  const matchConstraints = { resourceRules: rules };
  const policy = async (path: string, name: string, spec: object, binding: object) => {
    const policies = `/apis/${path}admissionpolicies`;
    await send(server, "POST", policies, { metadata: { name }, spec: { matchConstraints, ...spec } });
    const bound = { metadata: { name: `${name}-bound` }, spec: { policyName: name, ...binding } };
    expect((await send(server, "POST", policies.replace("policies", "policybindings"), bound)).status).toBe(201);
  };
  const validations = [{ expression: "!('bad' in object.data)", message: "not bad" }];
  const checks = "admissionregistration.orch.io/v1/validating";
  await policy(checks, "careful", { validations }, { validationActions: ["Warn"] });
  await policy(checks, "strict", { validations }, { validationActions: ["Deny"] });
  const expression = "Object{metadata: Object.metadata{labels: {'team': 'red'}}}";
  const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }];
  await policy(`${beta}/mutating`, "labels", { reinvocationPolicy: "Never", mutations }, {});
  const create = (data: object) => send(server, "POST", maps, { metadata: { generateName: "made-" }, data });
  await expect.poll(async () => (await create({ bad: "1" })).status).toBe(422);
  const created = (await (await create({ good: "1" })).json()) as { metadata: { name: string } }; // every object has metadata
  const byPolicy = (at: number) =>
    server.journal
      .requests({ resource: "configmaps" })
      .at(at)
      ?.admission.flatMap(({ policy, outcome, message, changes }) =>
        policy === undefined ? [] : [[policy.name, policy.binding, outcome, message, changes?.fields[0]?.field]],
      );
  const labelled = ["labels", "labels-bound", "allowed", undefined, "metadata.labels"];
  expect(byPolicy(-2)).toEqual([
    labelled,
    ["careful", "careful-bound", "ignored", "not bad", undefined],
    ["strict", "strict-bound", "refused", "not bad", undefined],
  ]);
  expect(byPolicy(-1)).toEqual([
    labelled,
    ["careful", "careful-bound", "allowed", undefined, undefined],
    ["strict", "strict-bound", "allowed", undefined, undefined],
  ]);
  // The path of a create does not have the name, and here the server made it.
  expect(server.journal.requests({ name: created.metadata.name }).map(({ verb }) => verb)).toEqual(["create"]);
});

test("a write shows what it changes, but not of a large object", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  await send(server, "POST", maps, { metadata: { name: "a" }, data: { "a.b": "1", c: "2" } });
  await send(server, "PATCH", `${maps}/a`, { data: { "a.b": "3", c: null, d: "4" } }, "application/merge-patch+json");
  await server.fetch(`${maps}/a`, { method: "DELETE" });
  await server.fetch(maps);
  await send(server, "POST", maps, { metadata: { name: "large" }, data: { x: "y".repeat(comparedCharsMax) } });
  const [created, patched, deleted, listed, large] = server.journal.requests();
  expect(created?.changes?.fields).toContainEqual({ field: "data", after: '{"a.b":"1","c":"2"}' });
  expect(created?.changes?.fields.map(({ field }) => field)).not.toContain("metadata.managedFields");
  expect(patched?.changes).toEqual({
    fields: [
      { field: 'data["a.b"]', before: '"1"', after: '"3"' },
      { field: "data.c", before: '"2"' },
      { field: "data.d", after: '"4"' },
    ],
    areMore: false,
  });
  expect(deleted?.changes?.fields).toContainEqual({ field: "data", before: '{"a.b":"3","d":"4"}' });
  expect([listed?.changes, listed?.admission, large?.changes]).toEqual([undefined, [], undefined]);
});

test("a request that is admitted for many objects keeps the first steps", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  for (let at = 0; at < stepsMax; at++) await send(server, "POST", maps, { metadata: { name: `m${at}` } });
  await server.fetch(maps, { method: "DELETE" });
  expect(server.journal.requests({ verb: "deletecollection" })[0]?.admission).toHaveLength(stepsMax);
});

test("changed fields are bounded in number and length", () => {
  const many = Object.fromEntries(Array.from({ length: changedFieldsMax + 1 }, (_, at) => [`k${at}`, at]));
  const changes = changedFields({}, many);
  expect([changes.fields.length, changes.areMore]).toEqual([changedFieldsMax, true]);
  const [long] = changedFields({ list: [1] }, { list: [1, "x".repeat(1_000)] }).fields;
  expect([long?.field, long?.before, long?.after?.length]).toEqual(["list[1]", undefined, valueCharsMax + 1]);
});

test("the journal is followed over HTTP: what was, what comes, and the end of a watch", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  await server.fetch(maps);
  const stop = new AbortController();
  const answer = await server.fetch("/journal?follow=true&resource=configmaps", { signal: stop.signal });
  const lines = linesOf(answer);
  const next = async () => {
    const { number, verb, code } = JSON.parse((await lines.next()).value ?? "{}");
    return [number, verb, code];
  };
  expect(await next()).toEqual([1, "list", 200]);
  const watched = new AbortController();
  await server.fetch("/api/v1/nodes");
  await server.fetch(`${maps}?watch=true`, { signal: watched.signal });
  expect(await next()).toEqual([3, "watch", 0]);
  watched.abort();
  expect(await next()).toEqual([3, "watch", 200]);
  expect((await server.fetch("/journal?follow=yes")).status).toBe(400);
  stop.abort();
});

test("the journal that is followed ends with the server", async () => {
  const server = await createServer({ controllers: false, journal: true });
  await server.fetch(maps);
  const lines = linesOf(await server.fetch("/journal?follow=true"));
  expect(JSON.parse((await lines.next()).value ?? "{}").verb).toBe("list");
  const ended = lines.next();
  await server.close();
  expect((await ended).done).toBe(true);
});

test("a client that does not read what it follows is cut off", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  const answer = await server.fetch("/journal?follow=true");
  for (let at = 0; at < 2 * followedRequestsMax; at++) await server.fetch("/api/v1/nodes/none");
  let read = 0;
  for await (const line of linesOf(answer)) read += line === "" ? 0 : 1;
  expect(read).toBeLessThan(2 * followedRequestsMax);
});

async function* linesOf({ body }: Response): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of body ?? []) {
    const pieces = (rest + new TextDecoder().decode(chunk as Uint8Array)).split("\n"); // chunks of a body are bytes
    rest = pieces.pop() ?? "";
    yield* pieces;
  }
  return undefined;
}
