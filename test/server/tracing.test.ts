/** Traces with OpenTelemetry's own SDK: what becomes a span, of what it is a part, and who is told. */

import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { entry, saying } from "../../src/admission/webhooks/webhooks.suite.ts";
import { type HookServer, openHookServer } from "../../src/base/hook-server.suite.ts";
import { silentLog } from "../../src/base/log.ts";
import { type Client, ConfigMap, connect, controller, runControllers, TryAgain } from "../../src/kit/orch-client.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracing = provider.getTracer("orch");
let server: OrchServer;
let hook: HookServer;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  hook = await openHookServer((request, response, body) => {
    if (request.method === "POST") saying(() => ({}))(request, response, body);
    else response.end("{}");
  });
});
afterAll(async () => {
  await hook.close();
  context.disable();
  propagation.disable();
});
beforeEach(async () => {
  server = await createServer({ tracing, controllers: false, emulatedVersion: "1.30" });
  exporter.reset();
});
afterEach(() => server.close());

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const maps = "/api/v1/namespaces/default/configmaps";
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  server.fetch(path, { method: "POST", body: JSON.stringify(body), headers });

const spanOf = (name: string): ReadableSpan => {
  const spans = exporter.getFinishedSpans();
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span "${name}" among ${spans.map((span) => span.name).join(", ")}`);
  return found;
};
/** The client has its answer before the request is over. */
const ended = async (name: string): Promise<ReadableSpan> => {
  await expect.poll(() => exporter.getFinishedSpans().map((span) => span.name)).toContain(name);
  return spanOf(name);
};
/** The names of the spans that it is a part of, from the inside. */
const around = (name: string): string[] => {
  const parent = spanOf(name).parentSpanContext?.spanId;
  const outer = exporter.getFinishedSpans().find((span) => span.spanContext().spanId === parent);
  return outer === undefined ? [] : [outer.name, ...around(outer.name)];
};

test("a write is a part of the client's trace, and admission and the store are parts of the write", async () => {
  expect((await post(maps, { metadata: { name: "prices" } }, { traceparent })).status).toBe(201);
  const request = await ended("create configmaps");
  expect(request.spanContext().traceId).toBe(traceId);
  expect(request.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  expect(request.kind).toBe(SpanKind.SERVER);
  expect(request.attributes).toMatchObject({
    "http.request.method": "POST",
    "url.path": maps,
    "http.response.status_code": 201,
    "orch.resource": "configmaps",
    "orch.namespace": "default",
    "user.name": "admin",
  });
  for (const part of ["admission mutate", "admission validate", "store put"])
    expect(around(part)).toEqual(["create configmaps"]);
});

test("each of many writes at once has its own parts", async () => {
  const sent = Array.from({ length: 20 }, (_, at) => post(maps, { metadata: { name: `m${at}` } }));
  await Promise.all(sent);
  const requests = () => exporter.getFinishedSpans().filter(({ name }) => name === "create configmaps");
  await expect.poll(() => requests().length).toBe(20);
  const spans = exporter.getFinishedSpans();
  for (const request of requests()) {
    const parts = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === request.spanContext().spanId);
    expect(parts.map(({ name }) => name).sort()).toEqual(["admission mutate", "admission validate", "store put"]);
  }
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(20);
});

test("webhooks and policies are spans, and a webhook is told of what it is a part", async () => {
  await post("/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations", {
    metadata: { name: "c" },
    webhooks: [entry(hook, "guard.example.com", {})],
  });
  await post("/apis/admissionregistration.orch.io/v1/validatingadmissionpolicies", {
    metadata: { name: "small" },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
      validations: [{ expression: "object.metadata.name.size() < 10" }],
    },
  });
  await post("/apis/admissionregistration.orch.io/v1/validatingadmissionpolicybindings", {
    metadata: { name: "small-here" },
    spec: { policyName: "small", validationActions: ["Deny"] },
  });
  const long = { metadata: { name: "m".repeat(10) } };
  await expect.poll(async () => (await post(`${maps}?dryRun=All`, long)).status).toBe(422);
  const policy = spanOf("policy small");
  expect(policy.attributes).toMatchObject({ "orch.policy.binding": "small-here", "orch.outcome": "refused" });
  expect(policy.status.code).toBe(SpanStatusCode.ERROR);
  exporter.reset();
  hook.calls.splice(0);
  expect((await post(maps, { metadata: { name: "short" } }, { traceparent })).status).toBe(201);
  await ended("create configmaps");
  const webhook = spanOf("webhook guard.example.com");
  expect(around("webhook guard.example.com")).toEqual(["admission validate", "create configmaps"]);
  expect(webhook.kind).toBe(SpanKind.CLIENT);
  const asked = hook.calls.filter(({ body }) => body.includes('"short"'));
  expect(asked.map(({ headers }) => headers["traceparent"])).toEqual([
    `00-${traceId}-${webhook.spanContext().spanId}-01`,
  ]);
});

test("an aggregated server is told of what a forwarded request is a part", async () => {
  const group = "crops.example.com";
  await post("/api/v1/namespaces/default/services", {
    metadata: { name: "crops" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await post("/apis/apiregistration.orch.io/v1/apiservices", {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      groupPriorityMinimum: 1_000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "crops", port: hook.port },
    },
  });
  const ask = () => server.fetch(`/apis/${group}/v1/things`, { headers: { traceparent } });
  await expect.poll(async () => (await ask()).status).toBe(200);
  await expect
    .poll(() => exporter.getFinishedSpans().map(({ attributes }) => attributes["http.response.status_code"]))
    .toContain(200);
  const told = hook.calls.filter(({ path }) => path.endsWith("/things")).map(({ headers }) => headers["traceparent"]);
  const forwarded = exporter
    .getFinishedSpans()
    .find(({ attributes }) => attributes["http.response.status_code"] === 200 && attributes["orch.group"] === group);
  expect(told.at(-1)).toBe(`00-${traceId}-${forwarded?.spanContext().spanId}-01`);
});

test("a request that fails because of the server is marked, one that is refused is not", async () => {
  await server.fetch(`${maps}/none`);
  expect((await ended("get configmaps")).status.code).toBe(SpanStatusCode.UNSET);
  server.faults.add({ match: { verb: "list" }, do: { status: 500 } });
  await server.fetch(maps);
  expect((await ended("list configmaps")).status.code).toBe(SpanStatusCode.ERROR);
});

test("a reconcile is a trace of its own, with the requests that it sends", async () => {
  const client = await connect({ server, tracing });
  let isFirst = true;
  const copies = controller({
    name: "copies",
    for: ConfigMap,
    selection: { labelSelector: "app=copied" },
    async reconcile({ object, client }) {
      if (isFirst) {
        isFirst = false;
        throw new TryAgain("not yet");
      }
      await client.of(ConfigMap).apply({ metadata: { name: `${object.metadata.name}-copy` } }, { manager: "copies" });
    },
  });
  const outer = tracing.startSpan("start of the program");
  const running = context.with(trace.setSpan(context.active(), outer), () => start(client));
  await running.ready;
  await client.of(ConfigMap).create({ metadata: { name: "a", labels: { app: "copied" } } });
  await expect.poll(async () => client.of(ConfigMap).find("a-copy")).toBeDefined();
  await running.close();
  outer.end();
  expect(around("patch configmaps")).toEqual(["reconcile copies"]);
  const reconciles = exporter.getFinishedSpans().filter(({ name }) => name === "reconcile copies");
  expect(reconciles.map(({ status }) => status.code)).toEqual(reconciles.map(() => SpanStatusCode.UNSET));
  expect(reconciles.every(({ parentSpanContext }) => parentSpanContext === undefined)).toBe(true);

  function start(client: Client) {
    return runControllers({ client, controllers: [copies], log: silentLog });
  }
});

test("nothing is traced unless a tracer is given, and one that is none is refused", async () => {
  await using plain = await createServer({ controllers: false });
  await plain.fetch(maps);
  expect(exporter.getFinishedSpans()).toEqual([]);
  await expect(createServer({ tracing: {} as never })).rejects.toThrow(/createServer: "?tracing/);
  await expect(connect({ server, tracing: {} as never })).rejects.toThrow(/connect: "?tracing/);
});
