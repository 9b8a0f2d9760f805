/** The later events of an audit record: the answer has begun, and the answer has ended. */

import type { AuditedAnswer, AuditRecord } from "../../audit/contract.ts";
import type { Exchange } from "../contract/exchange.ts";
import { overrideExchange } from "../contract/override-exchange.ts";
import type { Call } from "../request/call.ts";

/** The exchange of a connection to a backend, which may last for hours, records when its answer has begun. */
export function announceStart(call: Call): Exchange {
  const { exchange } = call;
  const { upgrade } = exchange;
  return overrideExchange(exchange, {
    respond(status, headers) {
      exchange.respond(status, headers);
      auditStart(call, status);
    },
    ...(upgrade === undefined
      ? {}
      : {
          upgrade: {
            protocol: upgrade.protocol,
            accept(headers) {
              const connection = upgrade.accept(headers);
              auditStart(call, switchingProtocols);
              return connection;
            },
          },
        }),
  });
}

const switchingProtocols = 101;

/** Long answers only, of which there are few. */
const started = new WeakSet<AuditRecord>();
export const hasStarted = (audit: AuditRecord): boolean => started.has(audit);

/** Records that a long answer has begun: the second of its three audit events. */
export function auditStart(call: Call, code = 200): void {
  const { audit } = call;
  if (audit === undefined || started.has(audit)) return;
  started.add(audit);
  noteCircumstances(call, audit);
  emit(audit, "ResponseStarted", { code });
}

export function noteCircumstances(call: Call, audit: AuditRecord): void {
  if (call.user !== call.authenticatedUser) audit.impersonates(call.user);
  if (call.annotations !== undefined) for (const [key, value] of call.annotations) audit.annotate(key, value);
}

/** The answer has been sent, so nothing waits for the sink. */
export function emit(
  audit: AuditRecord | undefined,
  stage: "ResponseStarted" | "ResponseComplete",
  answer: AuditedAnswer,
): void {
  void audit?.reach(stage, answer)?.catch(() => undefined); // counted by the sink
}
