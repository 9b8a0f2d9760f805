/** Audit events for tests of what is done with them. */

import type { AuditEvent } from "./contract.ts";
import type { createAuditMetrics } from "./metrics.ts";
import { membersOf } from "./print.ts";

export const inText = (members: object) => JSON.stringify(members).slice(1, -1);
export const event = (id: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  stage: "ResponseComplete",
  text: inText({
    auditID: id,
    stage: "ResponseComplete",
    verb: "get",
    requestURI: '/a"b',
    user: { username: "ann", groups: ["dev"] },
    sourceIPs: ["127.0.0.1"],
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: "2021-06-01T12:00:00.123000Z",
    stageTimestamp: "2021-06-01T12:00:00.124000Z",
  }),
  requestObject: undefined,
  responseObject: undefined,
  ...more,
});
export const arrival = (id: string) =>
  event(id, { stage: "RequestReceived", text: inText({ auditID: id, stage: "RequestReceived" }) });
export const idOf = (one: AuditEvent) => membersOf(one).auditID;
export const lost = (metrics: ReturnType<typeof createAuditMetrics>) =>
  metrics.all
    .map((metric) => metric.text())
    .join("")
    .match(/error_total\{.*\} (\d+)/)?.[1];
