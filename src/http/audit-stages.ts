/** The later events of an audit record: the answer has begun, and the answer has ended. */

import type { Answer, AuditRecord } from "../audit/contract.ts";
import type { Call } from "./call.ts";

/** Records that a watch has begun: the second of its three audit events. */
export function auditStart(call: Call): void {
  const { audit } = call;
  if (audit === undefined || call.auditStarted) return;
  call.auditStarted = true;
  noteCircumstances(call, audit);
  emit(audit, "ResponseStarted", { code: 200 });
}

export function noteCircumstances(call: Call, audit: AuditRecord): void {
  if (call.user !== call.authenticatedUser) audit.impersonates(call.user);
  if (call.annotations !== undefined) for (const [key, value] of call.annotations) audit.annotate(key, value);
}

/** The answer has been sent, so nothing waits for the sink. */
export function emit(
  audit: AuditRecord | undefined,
  stage: "ResponseStarted" | "ResponseComplete",
  answer: Answer,
): void {
  void audit?.reach(stage, answer)?.catch(() => undefined); // counted by the sink
}
