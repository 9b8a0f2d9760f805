/** Admission webhooks from end to end: a whole server, and a webhook over TLS whose answers each test chooses. */

import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { entry, patching, type Say, saying } from "../../src/admission/webhooks/webhooks.suite.ts";
import { type Answer, type HookServer, openHookServer } from "../../src/base/hook-server.suite.ts";
import { webhookConnectionsMax, webhookQueueMax } from "../../src/base/webhook-caller.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

let server: OrchServer;
let hook: HookServer;
let answer: Answer;

beforeAll(async () => {
  // Controllers would write their own ConfigMaps.
  server = await createServer({ controllers: false });
  hook = await openHookServer((request, response, body) => answer(request, response, body));
});
afterAll(async () => {
  await server.close();
  await hook.close();
});

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  readonly body: any;
}
async function send(method: string, path: string, body?: unknown, type = "application/json"): Promise<Answered> {
  const init = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
  const response = await server.fetch(path, { method, ...init });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

const configurations = (type: "Mutating" | "Validating") =>
  `/apis/admissionregistration.orch.io/v1/${type.toLowerCase()}webhookconfigurations`;
const made: string[] = [];
async function configure(type: "Mutating" | "Validating", webhooks: Readonly<Record<string, object>>): Promise<void> {
  const body = {
    metadata: { name: "c" },
    webhooks: Object.entries(webhooks).map(([name, more]) => entry(hook, `${name}.example.com`, more)),
  };
  expect(await send("POST", configurations(type), body)).toMatchObject({ status: 201 });
  made.push(`${configurations(type)}/c`);
}
const unconfigure = async () => {
  for (const path of made.splice(0)) expect((await send("DELETE", path)).status).toBe(200);
};
afterEach(unconfigure);

const only = (resource: string, apiGroups = ["*"], apiVersions = ["*"]) => ({
  rules: [{ operations: ["*"], apiGroups, apiVersions, resources: [resource], scope: "*" }],
});
const maps = "/api/v1/namespaces/default/configmaps";
let count = 0;
const create = (more: object = {}, query = "") => {
  count += 1;
  return send("POST", `${maps}${query}`, { metadata: { name: `m${count}` }, data: { k: "v" }, ...more });
};
const says = (say: Say) => {
  answer = saying(say);
};

describe("a configuration", () => {
  test("applies from the next request until it is deleted", async () => {
    says(() => ({ allowed: false, status: { message: "no", code: 403 } }));
    for (let round = 0; round < 5; round += 1) {
      await configure("Validating", { deny: only("configmaps") });
      expect(await create()).toMatchObject({
        status: 403,
        body: {
          message: 'admission webhook "deny.example.com" denied the request: no',
        },
      });
      await unconfigure();
      expect((await create()).status).toBe(201);
    }
  });

  test("may deny with a code that has no meaning, which the Status keeps", async () => {
    says(() => ({ allowed: false, status: { code: 700 } }));
    await configure("Validating", { deny: only("configmaps") });
    expect(await create()).toMatchObject({ status: 700, body: { code: 700, status: "Failure" } });
  });

  test("is never itself sent to webhooks", async () => {
    says(() => ({ allowed: false }));
    await configure("Validating", { deny: {} });
    await configure("Mutating", { deny: {} });
    expect((await create()).status).toBe(400);
    await unconfigure();
    expect((await create()).status).toBe(201);
  });
});

describe("matchPolicy Equivalent", () => {
  test("sends the object in the version of the rule, and applies the patch in it", async () => {
    const shown: string[] = [];
    says((_path, { object }) => {
      // A write of the server itself may still be on its way to a webhook of an earlier test.
      if (object.kind !== "Ingress") return { allowed: true };
      shown.push(object.apiVersion ?? "");
      return patching({ op: "add", path: "/spec/rules/0/http/paths/0/backend/service/name", value: "patched" });
    });
    await configure("Mutating", { patch: only("ingresses", ["networking.orch.io"], ["v1"]) });
    const backend = { serviceName: "s", servicePort: 80 };
    const body = { metadata: { name: "i" }, spec: { rules: [{ http: { paths: [{ path: "/", backend }] } }] } };
    const answered = await send("POST", "/apis/extensions/v1beta1/namespaces/default/ingresses", body);
    expect(answered.status).toBe(201);
    expect(answered.body.spec.rules[0].http.paths[0].backend).toEqual({ ...backend, serviceName: "patched" });
    expect(shown).toEqual(["networking.orch.io/v1"]);
  });
});

describe("the answer of a hostile or broken webhook", () => {
  const review = (body: string, more: object = {}) => {
    const { apiVersion, request } = JSON.parse(body);
    return { apiVersion, kind: "AdmissionReview", response: { uid: request.uid, allowed: true }, ...more };
  };
  const reply = (status: number, headers: Record<string, string>, text: (body: string) => string): Answer => {
    return (_request, response, body) => response.writeHead(status, headers).end(text(body));
  };
  const json = { "content-type": "application/json" };
  const failures: [why: string, answer: Answer][] = [
    ["a redirect (C06)", (_r, response) => response.writeHead(302, { location: `${hook.url}/secret` }).end()],
    ["an error", reply(500, json, (body) => JSON.stringify(review(body)))],
    ["a 2xx that has no body of its own", reply(207, json, (body) => JSON.stringify(review(body)))],
    [
      "another uid",
      reply(200, json, (body) => JSON.stringify(review(body, { response: { uid: "x", allowed: true } }))),
    ],
    [
      "another version",
      reply(200, json, (body) => JSON.stringify(review(body, { apiVersion: "admission.orch.io/v2" }))),
    ],
    ["garbage", reply(200, json, () => "\u0000{]")],
    ["nothing at all", (request) => request.socket.destroy()],
    ["silence in the middle", (_request, response) => void response.writeHead(200, json).write('{"kind":')],
    ["silence", () => {}],
    [
      "a byte at a time",
      (_request, response) => {
        response.writeHead(200, json);
        const timer = setInterval(() => response.write(" "), 50);
        response.on("close", () => clearInterval(timer));
      },
    ],
    [
      "an answer without end",
      (_request, response) => {
        const chunk = Buffer.alloc(256 * 1024, " ");
        const more = () => {
          while (!response.destroyed && response.write(chunk));
          response.once("drain", more);
        };
        response.writeHead(200, json);
        more();
      },
    ],
  ];
  /** Two calls each time (F13 in docs/security-rows.md). */
  const times = process.env["LONG_TESTS"] === undefined ? 1 : 5;
  for (const [why, given] of failures.flatMap((failure) => Array.from({ length: times }, () => failure))) {
    test(`${why} is a failed call, and the failure policy decides`, async () => {
      answer = given;
      await configure("Validating", { v: { ...only("configmaps"), timeoutSeconds: 1 } });
      expect(await create()).toMatchObject({
        status: 500,
        body: { reason: "InternalError", message: expect.stringContaining('failed calling webhook "v.example.com"') },
      });
      await unconfigure();
      await configure("Validating", { v: { ...only("configmaps"), timeoutSeconds: 1, failurePolicy: "Ignore" } });
      expect((await create()).status).toBe(201);
      expect(hook.calls.some(({ path }) => path.includes("secret"))).toBe(false);
    });
  }
});

describe("no verb bypasses a webhook (C13 in docs/security-rows.md)", () => {
  const target = `${maps}/kept`;
  const merge = "application/merge-patch+json";
  const labels = { metadata: { labels: { x: "y" } } };
  const whole = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kept" }, data: { k: "w" } };
  const ways: [method: string, path: string, body?: unknown, type?: string][] = [
    ["POST", maps, { metadata: { name: "new" } }],
    ["PUT", target, whole],
    ["PATCH", target, labels, merge],
    ["PATCH", target, labels, "application/strategic-merge-patch+json"],
    ["PATCH", target, [{ op: "add", path: "/data/x", value: "y" }], "application/json-patch+json"],
    ["PATCH", `${target}?fieldManager=m&force=true`, whole, "application/apply-patch+yaml"],
    ["PATCH", `${maps}/new?fieldManager=m`, { ...whole, metadata: { name: "new" } }, "application/apply-patch+yaml"],
    ["DELETE", target],
    ["DELETE", `${maps}?fieldSelector=metadata.name%3Dkept`],
    ["DELETE", `${target}?dryRun=All`],
    ["PUT", `${target}?dryRun=All`, whole],
  ];
  test("each is sent to the webhook once, refused, and changes nothing", async () => {
    says(() => undefined);
    expect((await send("POST", maps, { metadata: { name: "kept" }, data: { k: "v" } })).status).toBe(201);
    const before = await send("GET", target);
    await configure("Validating", { deny: only("configmaps") });
    says(() => ({ allowed: false, status: { code: 418 } }));
    for (const [method, path, body, type] of ways) {
      const calls = hook.calls.length;
      const { status } = await send(method, path, body, type);
      expect([method, path, status, hook.calls.length - calls]).toEqual([method, path, 418, 1]);
    }
    expect(await send("GET", target)).toEqual(before);
    expect((await send("GET", `${maps}/new`)).status).toBe(404);
  });

  test("the old object is the stored one, whatever plugins and validation do (C14 in docs/security-rows.md)", async () => {
    says(() => undefined);
    await configure("Mutating", { m: only("pods") });
    await configure("Validating", { v: only("pods") });
    const pods = "/api/v1/namespaces/default/pods";
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    expect((await send("POST", pods, pod)).status).toBe(201);
    const { body: stored } = await send("GET", `${pods}/p`);
    const { managedFields: _managedFields, ...metadata } = stored.metadata;
    hook.calls.length = 0;
    const changed = await send("PATCH", `${pods}/p`, { metadata: { labels: { a: "b" } } }, merge);
    expect(changed.status).toBe(200);
    const reviews = hook.calls.map(({ body }) => JSON.parse(body).request);
    expect(reviews.map(({ oldObject }) => oldObject)).toEqual([
      { ...stored, metadata },
      { ...stored, metadata },
    ]);
    expect((await send("GET", `${pods}/p`)).body).toEqual(changed.body);
  });
});

describe("what a validating webhook sees and a mutating one does not yet", () => {
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  const reviews = (): { mutating: any; validating: any } => {
    const [mutating, validating] = hook.calls.splice(0).map(({ body }) => JSON.parse(body).request);
    return { mutating, validating };
  };
  const watchAll = async (resource: string) => {
    says(() => undefined);
    await configure("Mutating", { m: only(resource) });
    await configure("Validating", { v: only(resource) });
    hook.calls.length = 0;
  };

  test("the generated name, the namespace and the time of a new object", async () => {
    await watchAll("configmaps");
    const made = await send("POST", maps, { metadata: { generateName: "made-" } });
    const { mutating, validating } = reviews();
    expect(mutating).not.toHaveProperty("name");
    expect(mutating.object.metadata).toMatchObject({ generateName: "made-", creationTimestamp: null });
    expect(mutating.object.metadata).not.toHaveProperty("namespace");
    const { name, creationTimestamp } = made.body.metadata;
    expect(validating).toMatchObject({ name, object: { metadata: { name, creationTimestamp, namespace: "default" } } });
  });

  test("the time of a new custom resource, null as in a built-in kind, unless an apply makes it", async () => {
    const spec = {
      group: "toys.example.com",
      names: { plural: "tops", kind: "Top" },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    };
    const definition = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
    expect((await send("POST", definition, { metadata: { name: "tops.toys.example.com" }, spec })).status).toBe(201);
    const tops = "/apis/toys.example.com/v1/tops";
    await expect.poll(async () => (await send("GET", tops)).status).toBe(200);
    await watchAll("tops");
    const type = { apiVersion: "toys.example.com/v1", kind: "Top" };
    const created = await send("POST", tops, { ...type, metadata: { name: "t" } });
    const posted = reviews();
    expect(posted.mutating.object.metadata).toMatchObject({ name: "t", creationTimestamp: null });
    const { creationTimestamp, resourceVersion } = created.body.metadata;
    expect(posted.validating.object.metadata).toMatchObject({ creationTimestamp });
    const metadata = { name: "t", resourceVersion, labels: { a: "b" } };
    expect((await send("PUT", `${tops}/t`, { ...type, metadata })).status).toBe(200);
    expect(reviews().mutating.object.metadata).toMatchObject({ ...metadata, creationTimestamp: null });
    const other = { ...type, metadata: { name: "u" } };
    const applied = await send("PATCH", `${tops}/u?fieldManager=m`, other, "application/apply-patch+yaml");
    expect(applied.status).toBe(201);
    expect(reviews().mutating.object.metadata).not.toHaveProperty("creationTimestamp");
    expect((await send("GET", `${tops}/t`)).body.metadata).toMatchObject({ creationTimestamp });
    expect((await send("DELETE", `${definition}/tops.toys.example.com`)).status).toBe(200);
  });

  test("the uid that a delete of a namespace is for", async () => {
    const { uid } = (await send("POST", "/api/v1/namespaces", { metadata: { name: "left" } })).body.metadata;
    await watchAll("namespaces");
    expect((await send("DELETE", "/api/v1/namespaces/left")).status).toBe(200);
    const { mutating, validating } = reviews();
    expect(mutating.options).not.toHaveProperty("preconditions");
    expect(validating.options).toMatchObject({ kind: "DeleteOptions", preconditions: { uid } });
  });

  test("the grace period with which a pod on a node ends", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "c", image: "i" }], nodeName: "n", terminationGracePeriodSeconds: 7 };
    expect((await send("POST", pods, { metadata: { name: "graceful" }, spec })).status).toBe(201);
    await watchAll("pods");
    await send("DELETE", `${pods}/graceful`);
    const { mutating, validating } = reviews();
    expect(mutating.options).not.toHaveProperty("gracePeriodSeconds");
    expect(validating.options).toMatchObject({ gracePeriodSeconds: 7 });
  });

  test("a binding has managed fields in both", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "c", image: "i" }] };
    expect((await send("POST", pods, { metadata: { name: "bound" }, spec })).status).toBe(201);
    await watchAll("pods/binding");
    const binding = { metadata: { name: "bound" }, target: { kind: "Node", name: "n" } };
    expect((await send("POST", `${pods}/bound/binding?fieldManager=scheduler`, binding)).status).toBe(201);
    const managedFields = [
      { manager: "scheduler", operation: "Update", fieldsV1: { "f:target": { "f:kind": {}, "f:name": {} } } },
    ];
    const { mutating, validating } = reviews();
    for (const { object } of [mutating, validating]) expect(object).toMatchObject({ metadata: { managedFields } });
  });
});

test("a webhook behind an ExternalName service is called by that name, with the certificate of the service", async () => {
  const spec = { type: "ExternalName", externalName: "localhost" };
  await send("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  for (const name of ["hook", "unnamed"])
    expect(await send("POST", "/api/v1/namespaces/shop/services", { metadata: { name }, spec })).toMatchObject({
      status: 201,
    });
  answer = saying(() => patching({ op: "add", path: "/data/called", value: "yes" }));
  const { caBundle, port } = hook;
  const service = (name: string) => ({ namespace: "shop", name, port, path: "/a" });
  await configure("Mutating", { a: { ...only("configmaps"), clientConfig: { caBundle, service: service("hook") } } });
  expect((await create()).body.data).toEqual({ k: "v", called: "yes" });
  await unconfigure();
  // The certificate is for hook.shop.svc and localhost.
  const clientConfig = { caBundle, service: service("unnamed") };
  await configure("Mutating", { a: { ...only("configmaps"), clientConfig } });
  expect(await create()).toMatchObject({ status: 500, body: { message: expect.stringContaining("ALTNAME") } });
});

test("an owner that a webhook adds a second time is stored once", async () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u1" };
  says(() => patching({ op: "add", path: "/metadata/ownerReferences/-", value: owner }));
  await configure("Mutating", { m: only("configmaps") });
  const made = await create({ metadata: { name: "owned", ownerReferences: [owner] } });
  expect(made).toMatchObject({ status: 201, body: { metadata: { ownerReferences: [owner] } } });
  const changed = await send("PATCH", `${maps}/owned`, { data: { k: "w" } }, "application/merge-patch+json");
  expect(changed).toMatchObject({ status: 200, body: { metadata: { ownerReferences: [owner] }, data: { k: "w" } } });
});

test("a webhook that hangs on one resource does not delay others", async () => {
  const held: ServerResponse[] = [];
  answer = (_request, response) => void held.push(response);
  await configure("Validating", { hangs: only("secrets") });
  const room = webhookConnectionsMax + webhookQueueMax;
  const secret = (at: number) => send("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: `s${at}` } });
  const hanging = Array.from({ length: room }, (_, at) => secret(at));
  await expect.poll(() => held.length).toBe(webhookConnectionsMax);

  // As many requests wait as may be in flight, and yet others are served.
  const others = await Promise.all(Array.from({ length: 100 }, () => create()));
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([201]));
  expect(await secret(room)).toMatchObject({
    status: 429,
    body: { message: expect.stringContaining("hangs.example.com") },
  });

  answer = (_request, response) => void response.destroy();
  for (const response of held) response.destroy();
  expect(new Set((await Promise.all(hanging)).map(({ status }) => status))).toEqual(new Set([500]));
});
