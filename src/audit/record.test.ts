import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import type { AuditEvent, AuditedRequest } from "./contract.ts";
import { createAuditMetrics } from "./metrics.ts";
import { userAgentCharsMax } from "./origin.ts";
import { parsePolicy } from "./policy.ts";
import { printEvent } from "./print.ts";
import { createAudit } from "./record.ts";

const ann = { name: 'a"nn', uid: "", groups: ["dev"], extra: new Map([["scopes", ["all"]]]) };
const request: AuditedRequest = {
  auditId: "1",
  uri: '/api/v1/namespaces/a/pods?x="',
  target: {
    verb: "create",
    isResource: true,
    path: "/api/v1/namespaces/a/pods",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "a",
    name: "",
  },
  user: ann,
  sourceIps: ["10.0.0.1", "::1"],
  userAgent: "x".repeat(userAgentCharsMax + 1),
  receivedMs: Date.parse("2021-06-01T12:00:00.123Z"),
  recordedMs: Date.parse("2021-06-01T12:00:00.124Z"),
};

test("all events of a request show its origin, and each shows what was known at its time", () => {
  const events: AuditEvent[] = [];
  const clock = createManualClock(request.receivedMs + 1);
  const audit = createAudit({
    policy: parsePolicy(
      { apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [{ level: "Request" }] },
      "audit.orch.io",
    ),
    sinks: [{ name: "kept", write: (event) => void events.push(event), close: async () => {} }],
    clock,
    metrics: createAuditMetrics(),
  });
  const record = audit.begin(request);
  record?.reach("RequestReceived");
  clock.advance(1_000);
  record?.impersonates({ ...ann, name: "bob", groups: [], extra: new Map() });
  record?.annotate("why", 'a "reason"');
  record?.refersTo({ name: "web", uid: "u" });
  record?.requestObject('{"kind":"Pod"}');
  record?.reach("ResponseComplete", { code: 403, status: "Failure", reason: "Forbidden" });
  const received = {
    kind: "Event",
    apiVersion: "audit.orch.io/v1",
    level: "Request",
    auditID: "1",
    stage: "RequestReceived",
    requestURI: request.uri,
    verb: "create",
    user: { username: 'a"nn', groups: ["dev"], extra: { scopes: ["all"] } },
    sourceIPs: ["10.0.0.1", "::1"],
    userAgent: `${"x".repeat(userAgentCharsMax)}...TRUNCATED`,
    objectRef: { resource: "pods", namespace: "a", apiVersion: "v1" },
    requestReceivedTimestamp: "2021-06-01T12:00:00.123000Z",
    stageTimestamp: "2021-06-01T12:00:00.124000Z",
  };
  expect(events.map((event) => JSON.parse(printEvent(event, "audit.orch.io", "v1")))).toEqual([
    received,
    {
      ...received,
      stage: "ResponseComplete",
      impersonatedUser: { username: "bob" },
      objectRef: { resource: "pods", namespace: "a", name: "web", uid: "u", apiVersion: "v1" },
      responseStatus: { metadata: {}, status: "Failure", reason: "Forbidden", code: 403 },
      stageTimestamp: "2021-06-01T12:00:01.124000Z",
      annotations: { why: 'a "reason"' },
      requestObject: { kind: "Pod" },
    },
  ]);
});

test("a request whose event a strict sink refuses is counted as rejected", async () => {
  const metrics = createAuditMetrics();
  const audit = createAudit({
    policy: parsePolicy(
      { apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] },
      "audit.orch.io",
    ),
    sinks: [{ name: "full", write: () => Promise.reject(new Error("full")), close: async () => {} }],
    clock: createManualClock(0),
    metrics,
  });
  await expect(audit.begin(request)?.reach("RequestReceived")).rejects.toThrow("full");
  expect(metrics.all.map((metric) => metric.text()).join("")).toContain("apiserver_audit_requests_rejected_total 1\n");
});
