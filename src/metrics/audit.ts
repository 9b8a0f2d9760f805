/** Metrics about audit events. */

import { counter } from "./declare.ts";

export const auditEvents = counter("apiserver_audit_event_total", [], "Audit events that were generated.");

export const auditLevels = counter(
  "apiserver_audit_level_total",
  ["level"],
  "Requests by the level that the audit policy chose.",
);

export const auditErrors = counter(
  "apiserver_audit_error_total",
  ["plugin"],
  "Audit events that a backend could not keep.",
);

export const auditRejections = counter(
  "apiserver_audit_requests_rejected_total",
  [],
  "Requests that were refused because their audit event could not be kept.",
);
