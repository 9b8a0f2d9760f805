/** The later events of an audit record: that an answer has begun, and that it has ended. */

import type { Answer, AuditRecord } from "../audit/contract.ts";
import type { Call } from "./call.ts";

/** A watch that begins: the second of its three events. */
export function auditStart(call: Call): void {
  const { audit } = call;
  if (audit === undefined || call.auditStarted) return;
  call.auditStarted = true;
  noteCircumstances(call, audit);
  emit(audit, "ResponseStarted", { code: 200 });
}

export function noteCircumstances(call: Call, audit: AuditRecord): void {
  if (call.user !== call.authenticatedUser) audit.impersonates(call.user);
  for (const [key, value] of call.auditAnnotations) audit.annotate(key, value);
}

/** The answer has been given, so nothing waits for the sink any more. */
export function emit(
  audit: AuditRecord | undefined,
  stage: "ResponseStarted" | "ResponseComplete",
  answer: Answer,
): void {
  void audit?.reach(stage, answer)?.catch(() => undefined); // counted by the sink
}
