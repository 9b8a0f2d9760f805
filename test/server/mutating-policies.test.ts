/** Policies that change objects, on a server that has them switched on. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const base = "/apis/admissionregistration.orch.io/v1beta1";
const group = "admissionregistration.orch.io/v1beta1";
const alpha = "admissionregistration.orch.io/v1alpha1";
let server: Awaited<ReturnType<typeof createServer>>;
let count = 0;
/** Each test has a namespace of its own, and its policies apply only there. */
let namespace = "";

beforeAll(async () => {
  server = await createServer({
    emulatedVersion: "1.35",
    featureGates: { MutatingAdmissionPolicy: true },
    runtimeConfig: { [group]: true, [alpha]: true },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  namespace = `n${++count}`;
  await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of all kinds
async function send(method: string, url: string, body?: unknown): Promise<{ status: number; body: any }> {
  const headers = { "content-type": "application/json" };
  const answer = await server.fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const apply = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const jsonPatch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

const rule = (resources: string[]) => ({
  operations: ["CREATE", "UPDATE"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources,
});

async function policy(name: string, spec: object, binding: object = {}, resources = ["configmaps", "deployments"]) {
  const answer = await send("POST", `${base}/mutatingadmissionpolicies`, {
    metadata: { name: `${namespace}-${name}` },
    spec: { reinvocationPolicy: "Never", matchConstraints: { resourceRules: [rule(resources)] }, ...spec },
  });
  if (answer.status !== 201) return answer;
  const bound = {
    policyName: `${namespace}-${name}`,
    matchResources: {
      namespaceSelector: { matchLabels: { "orch.io/metadata.name": namespace } },
    },
    ...binding,
  };
  return send("POST", `${base}/mutatingadmissionpolicybindings`, {
    metadata: { name: `${namespace}-${name}` },
    spec: bound,
  });
}

const configMap = (data: object, more: object = {}) =>
  send("POST", `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: "c", ...more }, data });

test("without the gate, or without the version, the kinds are not served", async () => {
  await using plain = await createServer({ emulatedVersion: "1.35" });
  expect((await plain.fetch(`${base}/mutatingadmissionpolicies`)).status).toBe(404);
  await using gated = await createServer({ emulatedVersion: "1.35", featureGates: { MutatingAdmissionPolicy: true } });
  expect((await gated.fetch(`${base}/mutatingadmissionpolicies`)).status).toBe(404);
});

test("a configuration is merged into the object as an apply would", async () => {
  const spec = {
    mutations: [
      apply(`Object{
        metadata: Object.metadata{labels: {"team": "a"}},
        spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
          containers: [Object.spec.template.spec.containers{name: "side", image: "proxy:1"}]}}}}`),
    ],
  };
  expect((await policy("p", spec)).status).toBe(201);
  const deployment = {
    metadata: { name: "d", labels: { own: "1" } },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "main", image: "i" }] } },
    },
  };
  const { status, body } = await send("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, deployment);
  expect(status).toBe(201);
  expect(body.metadata.labels).toEqual({ own: "1", team: "a" });
  // Defaults are filled in for what was added.
  expect(body.spec.template.spec.containers).toMatchObject([
    { name: "main" },
    { name: "side", image: "proxy:1", imagePullPolicy: "IfNotPresent" },
  ]);
});

test("operations of a JSON patch are carried out, and a failed test changes nothing", async () => {
  await policy("p", {
    variables: [{ name: "key", expression: "jsonpatch.escapeKey('example.com/a~b')" }],
    mutations: [
      jsonPatch(`[
        JSONPatch{op: "test", path: "/data/kind", value: "x"},
        JSONPatch{op: "add", path: "/metadata/annotations", value: {"seen": string(size(object.data))}},
        JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/a~b"), value: "v"}]`),
    ],
  }).then(({ status }) => expect(status).toBe(422));
  await policy("q", {
    mutations: [
      jsonPatch(`[
        JSONPatch{op: "test", path: "/data/kind", value: "x"},
        JSONPatch{op: "add", path: "/metadata/annotations", value: {"seen": string(size(object.data))}},
        JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/a"), value: "v"}]`),
    ],
  });
  expect((await configMap({ kind: "x" })).body.metadata.annotations).toEqual({ seen: "1", "example.com/a": "v" });
  expect((await configMap({ kind: "y" }, { name: "other" })).body.metadata.annotations).toBeUndefined();
});

test("later mutations see what earlier ones changed; variables and conditions are as those of other policies", async () => {
  await policy("p", {
    matchConditions: [{ name: "named", expression: "object.metadata.name != 'skipped'" }],
    variables: [{ name: "next", expression: "has(object.data) && has(object.data.n) ? object.data.n + 'x' : 'x'" }],
    mutations: [apply("Object{data: {'n': variables.next}}"), apply("Object{data: {'n': variables.next}}")],
  });
  expect((await configMap({})).body.data).toEqual({ n: "xx" });
  expect((await configMap({}, { name: "skipped" })).body.data).toBeUndefined();
});

test("parameters are found as for policies that refuse", async () => {
  const parameters = { metadata: { name: "params", labels: { skip: "1" } }, data: { color: "blue" } };
  await send("POST", `/api/v1/namespaces/${namespace}/configmaps`, parameters);
  await policy(
    "p",
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      mutations: [apply("Object{metadata: Object.metadata{labels: {'color': params.data.color}}}")],
    },
    { paramRef: { name: "params", parameterNotFoundAction: "Deny" } },
  );
  expect((await configMap({})).body.metadata.labels).toEqual({ color: "blue" });
});

test("an expression that fails refuses the request, unless failures are ignored", async () => {
  await policy("p", { mutations: [apply("Object{data: {'n': object.data.missing}}")] });
  const refused = await configMap({ a: "b" });
  expect(refused).toMatchObject({
    status: 403,
    body: { reason: "Invalid", details: { kind: "configmaps", name: "c" } },
  });
  expect(refused.body.message).toContain(`policy '${namespace}-p' with binding '${namespace}-p' denied request`);
  await send("DELETE", `${base}/mutatingadmissionpolicybindings/${namespace}-p`);
  await policy("q", { failurePolicy: "Ignore", mutations: [apply("Object{data: {'n': object.data.missing}}")] });
  expect((await configMap({ a: "b" })).status).toBe(201);
});

test.for([
  ["a field that the kind does not have", "Object{datas: {'a': 'b'}}", "field not declared in schema"],
  ["a type of another field", "Object{metadata: Object.spec{}}", 'expected "Object.metadata"'],
  [
    "a list that is owned whole",
    "Object{metadata: Object.metadata{ownerReferences: []}, spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{tolerations: [Object.spec.template.spec.tolerations{key: 'a'}]}}}}",
    "may not mutate atomic",
  ],
] as const)("a configuration with %s is refused", async ([, expression, problem]) => {
  await policy("p", { mutations: [apply(expression)] });
  const path = expression.includes("template")
    ? `/apis/apps/v1/namespaces/${namespace}/deployments`
    : `/api/v1/namespaces/${namespace}/configmaps`;
  const spec = {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "main", image: "i" }] } },
  };
  const answer = await send("POST", path, {
    metadata: { name: "o" },
    ...(expression.includes("template") ? { spec } : {}),
  });
  expect(answer.status).toBe(403);
  expect(answer.body.message).toContain(problem);
});

test("a policy with IfNeeded runs again after a later one changed the object", async () => {
  const add = (name: string) => `Object{data: {'${name}': string(size(object.data))}}`;
  await policy("a", { reinvocationPolicy: "IfNeeded", mutations: [apply(add("a"))] });
  await policy("b", { mutations: [apply(add("b"))] });
  // a saw one member, then b two; a runs again and sees three.
  expect((await configMap({ x: "" })).body.data).toEqual({ x: "", a: "3", b: "2" });
});

test.for([
  [{ mutations: [] }, "spec.mutations"],
  [{ mutations: [apply("Object{}")], reinvocationPolicy: "" }, "spec.reinvocationPolicy"],
  [{ mutations: [{ patchType: "Merge" }] }, "spec.mutations[0].patchType"],
  [{ mutations: [{ patchType: "JSONPatch" }] }, "spec.mutations[0].jsonPatch"],
  [
    {
      mutations: [
        {
          ...jsonPatch("[JSONPatch{op: 'remove', path: '/a'}]"),
          ...{ applyConfiguration: { expression: "Object{}" } },
        },
      ],
    },
    "spec.mutations[0].applyConfiguration",
  ],
  [{ mutations: [apply("{'a': 'b'}")] }, "spec.mutations[0].applyConfiguration.expression"],
  [{ mutations: [jsonPatch("[JSONPatch{op: 1}]")] }, "spec.mutations[0].jsonPatch.expression"],
  [
    { mutations: [apply("Object{}")], matchConditions: [{ name: "a", expression: "Object{} == object" }] },
    "spec.matchConditions[0].expression",
  ],
  [
    {
      mutations: [apply("Object{}")],
      matchConstraints: { resourceRules: [{ ...rule(["pods"]), operations: ["DELETE"] }] },
    },
    "spec.matchConstraints.resourceRules.operations",
  ],
] as const)("%o is invalid at %s", async ([spec, field]) => {
  const answer = await policy("p", spec);
  expect(answer.status).toBe(422);
  expect(answer.body.details.causes.map((cause: { field: string }) => cause.field)).toContain(field);
});

test("v1alpha1 is another version of the same policies, where it is switched on", async () => {
  await policy("old", { mutations: [apply("Object{data: {'by': 'policy'}}")] });
  const name = `${namespace}-old`;
  const url = `/apis/${alpha}/mutatingadmissionpolicies/${name}`;
  const { body } = await send("GET", url);
  expect(body).toMatchObject({ apiVersion: alpha, kind: "MutatingAdmissionPolicy", spec: { failurePolicy: "Fail" } });
  const changed = { ...body, spec: { ...body.spec, mutations: [apply("Object{data: {'by': 'alpha'}}")] } };
  expect((await send("PUT", url, changed)).status).toBe(200);
  expect((await send("GET", `${base}/mutatingadmissionpolicies/${name}`)).body.spec.mutations[0]).toEqual(
    apply("Object{data: {'by': 'alpha'}}"),
  );
  expect((await send("GET", `/apis/${alpha}/mutatingadmissionpolicybindings/${name}`)).body.apiVersion).toBe(alpha);
  const wrong = { ...body, metadata: { name: "wrong" }, spec: { ...body.spec, mutations: [apply("1")] } };
  const refused = await send("POST", `/apis/${alpha}/mutatingadmissionpolicies`, wrong);
  expect(refused.body.details.causes[0].field).toBe("spec.mutations[0].applyConfiguration.expression");
});
