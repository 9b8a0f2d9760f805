/** Attempts of somebody who administers one workspace to reach another one, or the root, by what makes a server do something for them. */

import { createServer as listen } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bindings,
  definition,
  definitions,
  type Fetch,
  maps,
  mark,
  merge,
  openTenants,
  post,
  send,
  sent,
  statusOf,
  type Tenants,
} from "./workspace-attacks.suite.ts";

let server: Tenants["server"];
let bank: Tenants["bank"];
let mallory: Fetch;
let inside: Fetch;
beforeAll(async () => {
  ({ server, bank, mallory, inside } = await openTenants({
    forks: true,
    journal: true,
    emulatedVersion: "1.37",
    controllers: ["*"],
  }));
});
afterAll(() => server.close());

const policies = "/apis/admissionregistration.orch.io/v1/validatingadmissionpolicies";
const message = async (answer: Response) => ((await answer.json()) as { message?: string }).message ?? "";

describe("what belongs to the process", () => {
  test.each(["/forks", "/forks/one", "/journal", "/debug/pprof/", "/debug/pprof/heap", "/clock"])(
    "is not in a workspace, nor for its administrator outside: %s",
    async (path) => {
      for (const method of ["GET", "POST", "DELETE"]) {
        expect([method, [403, 404, 405].includes(await statusOf(inside, path, { method }))]).toEqual([method, true]);
        for (const outer of [path, `/clusters/bank${path}`, `/clusters/shop/..${path}`, `/clusters/root${path}`])
          expect([method, outer, [403, 404].includes(await statusOf(mallory, outer, { method }))]).toEqual([
            method,
            outer,
            true,
          ]);
      }
    },
  );

  test("and what it writes down of requests is not told inside", async () => {
    await bank.fetch(`${maps}/${mark}-plan`);
    for (const path of ["/journal", "/metrics", "/logs", "/backup", "/apis/history.orch.io/v1alpha1/changes"])
      await statusOf(inside, path);
  });
});

test.each([
  "/clusters/shop/api/v1/namespaces/../../../../bank/api/v1/configmaps",
  "/clusters/shop/api/v1/namespaces/%2e%2e/%2e%2e/%2e%2e/%2e%2e/bank/api/v1/configmaps",
  "/clusters/shop/api/v1/namespaces/default/configmaps/..%2f..%2f..%2fbank",
  "/clusters/shop/api/v1/namespaces/clusters%2fbank/configmaps",
  "/clusters/shop/api/v1/namespaces/default/services/x/proxy/../../../../../../../bank/api/v1/configmaps",
  "/clusters/shop/api/v1/namespaces/default/services/https:orch:443/proxy/clusters/bank/api/v1/configmaps",
  "/clusters/shop/apis/clusters/bank/api/v1/configmaps",
  "/clusters/shop/openapi/v3/../../bank/openapi/v3",
  "/clusters/shop/clusters/../bank/api/v1/configmaps",
])("a path below a namespace, a name or a proxy stays in its workspace: %s", async (path) => {
  expect([400, 403, 404, 503]).toContain(await statusOf(mallory, path));
});

describe("a namespace", () => {
  test.each(["clusters", "bank", "workspaces", "root"])("that is called %s is one here alone", async (name) => {
    await send(inside, "/api/v1/namespaces", { metadata: { name } });
    expect((await bank.fetch(`/api/v1/namespaces/${name}`)).status).toBe(404);
    expect(await statusOf(inside, `/api/v1/namespaces/${name}/configmaps`)).toBe(200);
  });

  test.each(["../bank", "..", "a/b", "workspaces/x", "a%00b"])("cannot be called %s", async (name) => {
    expect(await statusOf(inside, "/api/v1/namespaces", post({ metadata: { name } }))).toBe(422);
  });
});

describe("an expression", () => {
  /** The answers that the authorizer of an expression gives to questions about others. */
  const asks = [
    "authorizer.group('tenancy.orch.io').resource('workspaces').subresource('content').name('bank').check('access').allowed()",
    "authorizer.serviceAccount('default', 'default').group('').resource('secrets').namespace('default').check('get').allowed()",
    "authorizer.path('/clusters/bank/metrics').check('get').allowed()",
  ];
  test.each(asks)("asks the authorizer of its workspace, whatever it asks for: %s", async (asked) => {
    const name = "asks.example.com";
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: "own", expression: "object.metadata.name.startsWith('asked')" }],
      validations: [
        { expression: `!${asked}`, message: "it is allowed" },
        { expression: asked, message: "it is not allowed" },
      ],
    };
    await send(inside, policies, { metadata: { name }, spec });
    await send(inside, `${policies}bindings`.replace("policiesbindings", "policybindings"), {
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    });
    const answer = async (fetch: Fetch) => message(await fetch(maps, post({ metadata: { generateName: "asked-" } })));
    const here = asked.includes("serviceAccount") ? "it is not allowed" : "it is allowed"; // mallory administers the shop, its accounts do not
    await expect.poll(() => answer(inside)).toContain(`denied request: ${here}`);
    // The rights of the same account in the bank and at the root change nothing.
    const account = { kind: "ServiceAccount", namespace: "default", name: "default" };
    const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "cluster-admin" };
    for (const { fetch } of [bank, server])
      await fetch(bindings, post({ metadata: { name: "wide" }, subjects: [account], roleRef }));
    expect(await answer(inside)).toContain(`denied request: ${here}`);
    expect((await bank.fetch(maps, post({ metadata: { generateName: "asked-" } }))).status).toBe(201);
    for (const path of [policies, `${policies.replace("policies", "policybindings")}`])
      await inside(`${path}/${name}`, { method: "DELETE" });
    await expect.poll(() => statusOf(inside, maps, post({ metadata: { generateName: "asked-" } }))).toBe(201);
  });

  test("takes its parameters from its workspace", async () => {
    const name = "params.example.com";
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] };
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "false", messageExpression: "string(params.data.where)" }],
    };
    await send(inside, policies, { metadata: { name }, spec });
    const paramRef = { name: `${mark}-plan`, namespace: "default", parameterNotFoundAction: "Deny" };
    await send(inside, policies.replace("policies", "policybindings"), {
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"], paramRef },
    });
    const path = "/api/v1/namespaces/default/secrets";
    const refused = async () => message(await inside(path, post({ metadata: { generateName: "s-" } })));
    await expect.poll(refused).toContain("params.example.com");
    expect(await refused()).not.toMatch(/denied request: vault/);
    await inside(`${policies}/${name}`, { method: "DELETE" });
  });
});

describe("a server that a workspace names", () => {
  const calls: string[] = [];
  const listener = listen((request, answer) => {
    calls.push(request.url ?? "");
    answer.end("{}");
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    port = (listener.address() as AddressInfo).port;
  });
  afterAll(() => void listener.close());

  test("to convert its objects is not on this machine, and asked for no other workspace", async () => {
    const one = definition("convert.example.com", "Thing");
    const [version] = one.spec.versions;
    const conversion = {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: `https://127.0.0.1:${port}/` } },
    };
    const versions = [version, { ...version, name: "v2", storage: false }];
    for (const { fetch } of [bank]) await send(fetch, definitions, { ...one, spec: { ...one.spec, versions } });
    await send(inside, definitions, { ...one, spec: { ...one.spec, versions, conversion } });
    const path = "/apis/convert.example.com/v1/things";
    const thing = { apiVersion: "convert.example.com/v1", kind: "Thing", metadata: { name: "t" } };
    await expect.poll(() => statusOf(inside, path, post(thing))).toBe(201);
    await expect.poll(async () => (await bank.fetch(path, post(thing))).status).toBe(201);
    expect(await statusOf(inside, "/apis/convert.example.com/v2/things/t")).toBeGreaterThanOrEqual(500);
    expect((await bank.fetch("/apis/convert.example.com/v2/things/t")).status).toBe(200);
    expect(calls).toEqual([]);
  });

  test("to serve a group is not on this machine, serves it here alone, and is sent no identity of the root", async () => {
    await send(inside, "/api/v1/namespaces/default/services", {
      metadata: { name: "far" },
      spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
    });
    const spec = {
      group: "far.example.com",
      version: "v1",
      service: { namespace: "default", name: "far", port },
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    };
    const services = "/apis/apiregistration.orch.io/v1/apiservices";
    await send(inside, services, { metadata: { name: "v1.far.example.com" }, spec });
    await expect.poll(() => statusOf(inside, "/apis/far.example.com/v1/things")).toBe(503);
    for (const { fetch } of [bank, server]) expect((await fetch("/apis/far.example.com/v1/things")).status).toBe(404);
    expect(calls).toEqual([]);
    await inside(`${services}/v1.far.example.com`, { method: "DELETE" });
  });
});

describe("a certificate", () => {
  const requests = "/apis/certificates.orch.io/v1/certificatesigningrequests";
  test("that was asked for elsewhere is not approved or signed from a workspace", async () => {
    const wanted = { apiVersion: "certificates.orch.io/v1", kind: "CertificateSigningRequest" };
    const approval = {
      ...wanted,
      metadata: { name: "theirs" },
      status: { conditions: [{ type: "Approved", status: "True", reason: "r", message: "m" }] },
    };
    for (const part of ["approval", "status"]) {
      expect(await statusOf(inside, `${requests}/theirs/${part}`, sent("PUT", approval))).toBe(404);
      for (const outer of ["", "/clusters/bank", "/clusters/root"])
        expect([403, 404]).toContain(
          await statusOf(mallory, `${outer}${requests}/theirs/${part}`, sent("PUT", approval)),
        );
    }
  });
});

test("a watch that is open over a fork of the server tells nothing of the other copy", async () => {
  const fork = await server.fork();
  try {
    const path = "/clusters/shop/api/v1/namespaces/default/configmaps";
    const watch = await fork.fetchAs({ name: "mallory" })(`${path}?watch=1&timeoutSeconds=2`);
    await inside(maps, post({ metadata: { name: "only-in-the-original" } }));
    const { text } = { text: await new Response(watch.body).text() };
    expect(text).not.toContain("only-in-the-original");
    expect((await fork.fetchAs({ name: "mallory" })(`/clusters/bank${maps}`)).status).toBe(403);
    await fork.fetch("/apis/tenancy.orch.io/v1alpha1/workspaces/shop", merge({ spec: { suspended: true } }));
    expect(await statusOf(inside, maps)).toBe(200);
  } finally {
    await fork.close();
  }
});
