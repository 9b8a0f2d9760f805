/** The writes of v1.35's controller manager and scheduler, in the form in which these send them: mostly protobuf, both ways. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeEnvelope, encodeEnvelope } from "../machinery/codec/envelope.ts";
import { metaSchemas } from "../machinery/codec/meta-types.ts";
import { decodeProtobuf, encodeProtobuf } from "../machinery/codec/protobuf.ts";
import { decodeObject } from "../machinery/schema/decode.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { createServer } from "../main/library.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { allKinds, testEnvironment } from "./all-kinds.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const accept = `${protobuf},application/json`;
const strategic = "application/strategic-merge-patch+json";
const kinds = allKinds(testEnvironment({ level: "1.35", vocabulary: kubernetes }));

let server: Awaited<ReturnType<typeof createServer>>;
beforeAll(async () => {
  server = await createServer({ emulatedVersion: "1.35", vocabulary: "kubernetes", controllers: false });
});
afterAll(() => server.close());

function kindOf(apiVersion: string, name: string) {
  const kind = kinds.find((one) => one.apiVersion === apiVersion && one.kind === name);
  if (kind === undefined) throw new Error(`${apiVersion} ${name} is not declared`);
  return kind;
}

interface Body {
  readonly apiVersion: string;
  readonly kind: string;
}

function encoded(body: Body): Uint8Array {
  const meta = metaSchemas.get(body.kind); // DeleteOptions
  if (meta) return encodeEnvelope(body.apiVersion, body.kind, encodeProtobuf(meta, decodeObject(meta, body)));
  const kind = kindOf(body.apiVersion, body.kind);
  return encodeEnvelope(kind.apiVersion, kind.kind, encodeProtobuf(kind.schema, decodeKind(kind, body)));
}

/** The object of an answer, which must be in protobuf; a Status is only named. */
function decoded(bytes: Uint8Array): Record<string, unknown> {
  const { apiVersion, kind: name, raw } = decodeEnvelope(bytes);
  if (name === "Status") return { kind: name };
  const kind = kindOf(apiVersion, name);
  return { ...decodeKind(kind, decodeProtobuf(kind.schema, raw)) };
}

async function send(method: string, path: string, body?: object, type = protobuf) {
  const content = body === undefined ? undefined : type === protobuf ? encoded(body as Body) : JSON.stringify(body);
  const answer = await server.fetch(path, {
    method,
    headers: { accept, ...(content === undefined ? {} : { "content-type": type }) },
    ...(content === undefined ? {} : { body: content }),
  });
  expect(answer.headers.get("content-type"), `${method} ${path}`).toBe(protobuf);
  return { status: answer.status, object: decoded(Buffer.from(await answer.arrayBuffer())) };
}

/** Sends the requests one after the other; all must succeed. Returns the last answer. */
async function succeed(...requests: readonly (readonly [string, string, object?, string?])[]) {
  let last: Record<string, unknown> = {};
  for (const request of requests) {
    const { status, object } = await send(...request);
    expect(status, request.slice(0, 2).join(" ")).toBeLessThan(300);
    last = object;
  }
  return last;
}

const inDefault = "/api/v1/namespaces/default";
const container = { name: "c", image: "i" };
const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { a: "b" } },
  spec: { containers: [container] },
});
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container] } };
const selector = { matchLabels: { a: "b" } };

describe("the leader of a component", () => {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  const lease = (metadata: object, seconds: number) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: `2026-01-01T00:00:${seconds}.000001Z` },
  });

  test("takes a lease, renews it, and loses it to a faster one", async () => {
    const made = await succeed(["POST", leases, lease({ name: "kube-scheduler" }, 10)]);
    await succeed(
      ["GET", `${leases}/kube-scheduler`],
      ["PUT", `${leases}/kube-scheduler`, { ...made, ...lease(made["metadata"] as object, 12) }],
    );
    const late = await send("PUT", `${leases}/kube-scheduler`, lease(made["metadata"] as object, 14));
    expect(late).toEqual({ status: 409, object: { kind: "Status" } });
  });
});

test("each controller gets a token for its own account", async () => {
  const accounts = "/api/v1/namespaces/kube-system/serviceaccounts";
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 3600 },
  };
  const made = await succeed(
    ["POST", accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "job-controller" } }],
    ["POST", `${accounts}/job-controller/token`, request],
  );
  expect(made["status"]).toMatchObject({ token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
});

test("events are written in events.k8s.io/v1, and counted by patches", async () => {
  const events = "/apis/events.k8s.io/v1/namespaces/default/events";
  const event = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "x.1", namespace: "default" },
    eventTime: "2026-01-01T00:00:00.000001Z",
    reportingController: "default-scheduler",
    reportingInstance: "default-scheduler-1",
    action: "Binding",
    reason: "Scheduled",
    regarding: { kind: "Pod", namespace: "default", name: "x" },
    note: "assigned",
    type: "Normal",
  };
  const series = { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000001Z" } };
  const counted = await succeed(["POST", events, event], ["PATCH", `${events}/x.1`, series, strategic]);
  expect(counted).toMatchObject(series);
});

test("the scheduler reserves devices, binds a pod and tells why another waits", async () => {
  const claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  const claim = await succeed([
    "POST",
    claims,
    {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaim",
      metadata: { name: "gpu" },
      spec: { devices: { requests: [{ name: "a", exactly: { deviceClassName: "gpu" } }] } },
    },
  ]);
  const results = [{ request: "a", driver: "gpu.example.com", pool: "n1", device: "d1" }];
  const status = {
    allocation: { devices: { results } },
    reservedFor: [{ resource: "pods", name: "x", uid: "u" }],
  };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "x" }, target: { kind: "Node", name: "n1" } };
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no node" };
  expect(await succeed(["PUT", `${claims}/gpu/status`, { ...claim, status }])).toMatchObject({ status });
  await succeed(
    ["POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }],
    ["POST", `${inDefault}/pods`, pod("x")],
    ["POST", `${inDefault}/pods/x/binding`, binding],
    ["POST", `${inDefault}/pods`, pod("y")],
  );
  const waiting = { status: { conditions: [condition], nominatedNodeName: "n1" } };
  expect(await succeed(["PATCH", `${inDefault}/pods/y/status`, waiting, strategic])).toMatchObject({
    status: { nominatedNodeName: "n1", conditions: [condition] },
  });
  expect(await succeed(["GET", `${inDefault}/pods/x`])).toMatchObject({ spec: { nodeName: "n1" } });
});

describe("a controller makes an object and writes its status", () => {
  const rows: readonly [kind: string, apiVersion: string, resource: string, spec: object, status: object][] = [
    ["Deployment", "apps/v1", "deployments", { selector, template }, { replicas: 1, terminatingReplicas: 1 }],
    ["ReplicaSet", "apps/v1", "replicasets", { selector, template }, { replicas: 1, fullyLabeledReplicas: 1 }],
    [
      "StatefulSet",
      "apps/v1",
      "statefulsets",
      { selector, template },
      { replicas: 1, readyReplicas: 1, availableReplicas: 1 },
    ],
    ["DaemonSet", "apps/v1", "daemonsets", { selector, template }, { numberReady: 1 }],
    [
      "Job",
      "batch/v1",
      "jobs",
      { template: { spec: { ...template.spec, restartPolicy: "Never" } } },
      { active: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {}, startTime: "2026-01-01T00:00:00Z" },
    ],
    ["PodDisruptionBudget", "policy/v1", "poddisruptionbudgets", { selector }, { disruptionsAllowed: 1 }],
    [
      "HorizontalPodAutoscaler",
      "autoscaling/v2",
      "horizontalpodautoscalers",
      { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" } },
      { currentReplicas: 1, desiredReplicas: 2 },
    ],
    [
      "PersistentVolumeClaim",
      "v1",
      "persistentvolumeclaims",
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      { phase: "Bound", capacity: { storage: "1Gi" } },
    ],
  ];
  test.each(rows)("%s", async (kind, apiVersion, resource, spec, status) => {
    const base = apiVersion === "v1" ? inDefault : `/apis/${apiVersion}/namespaces/default`;
    const made = await succeed(["POST", `${base}/${resource}`, { apiVersion, kind, metadata: { name: "x" }, spec }]);
    expect(await succeed(["PUT", `${base}/${resource}/x/status`, { ...made, status }])).toMatchObject({ status });
  });

  test("and scales what it finds", async () => {
    const path = "/apis/apps/v1/namespaces/default/replicasets/x/scale";
    const scale = await succeed(["GET", path]);
    expect(await succeed(["PUT", path, { ...scale, spec: { replicas: 3 } }])).toMatchObject({ spec: { replicas: 3 } });
  });

  test("and writes slices, taints, and the conditions of a ServiceCIDR by apply", async () => {
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "x" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], hints: { forZones: [{ name: "a" }] } }],
    };
    const condition = {
      type: "Ready",
      status: "True",
      reason: "Ready",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const applied = {
      apiVersion: "networking.k8s.io/v1",
      kind: "ServiceCIDR",
      metadata: { name: "kubernetes" },
      status: { conditions: [condition] },
    };
    const taints = { spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }] } };
    await succeed(
      ["POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slice],
      ["POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n2" } }],
      ["PATCH", "/api/v1/nodes/n2", taints, strategic],
    );
    const path =
      "/apis/networking.k8s.io/v1/servicecidrs/kubernetes/status?fieldManager=service-cidr-controller&force=true";
    expect(await succeed(["PATCH", path, applied, "application/apply-patch+yaml"])).toMatchObject({
      status: { conditions: [condition] },
    });
  });

  test("and deletes a pod of this uid only, then a namespace in steps", async () => {
    const made = await succeed(["POST", `${inDefault}/pods`, pod("gone")]);
    const { uid } = made["metadata"] as { uid: string };
    const options = (uid: string) => ({
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid },
      gracePeriodSeconds: 0,
    });
    expect((await send("DELETE", `${inDefault}/pods/gone`, options("another"))).status).toBe(409);
    await succeed(["DELETE", `${inDefault}/pods/gone`, options(uid)]);
    const namespace = await succeed([
      "POST",
      "/api/v1/namespaces",
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "gone" } },
    ]);
    await succeed(["PUT", "/api/v1/namespaces/gone/finalize", { ...namespace, spec: { finalizers: [] } }]);
  });
});

test("a component asks whether its callers are who they say and may do what they ask", async () => {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user: "somebody", nonResourceAttributes: { path: "/metrics", verb: "get" } },
  };
  const token = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "wrong" } };
  const answer = await succeed(["POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review]);
  // A server in a test lets everybody do everything.
  expect(answer["status"]).toMatchObject({ allowed: true });
  expect((await succeed(["POST", "/apis/authentication.k8s.io/v1/tokenreviews", token]))["status"]).not.toHaveProperty(
    "authenticated",
    true,
  );
});

test("the garbage collector lists and watches metadata alone, in protobuf", async () => {
  const partial = (kind: string) =>
    `${protobuf};as=${kind};g=meta.k8s.io;v=v1,application/json;as=${kind};g=meta.k8s.io;v=v1`;
  const list = await server.fetch("/api/v1/pods", { headers: { accept: partial("PartialObjectMetadataList") } });
  expect([list.status, list.headers.get("content-type")]).toEqual([200, protobuf]);
  expect(decodeEnvelope(Buffer.from(await list.arrayBuffer())).kind).toBe("PartialObjectMetadataList");
  const abort = new AbortController();
  const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const headers = { accept: partial("PartialObjectMetadata") };
  const watch = await server.fetch(`/api/v1/pods?${query}`, { headers, signal: abort.signal });
  let seen = Buffer.alloc(0);
  for await (const chunk of watch.body ?? []) {
    seen = Buffer.concat([seen, chunk]);
    if (seen.includes("initial-events-end")) break;
  }
  abort.abort();
  expect(seen.includes("PartialObjectMetadata") && seen.includes("BOOKMARK")).toBe(true);
});
