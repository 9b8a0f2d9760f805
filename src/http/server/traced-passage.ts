/** Makes each request a span, and each webhook and policy that is asked about it a span within. */

import type { SpanAttributes, TraceSpan, Tracing } from "../../base/tracing.ts";
import type { AdmissionTrace, StepEnd, StepOutcome } from "../../registry/contract/admission.ts";
import type { Call } from "../request/call.ts";

type Passage = (call: Call) => Promise<void> | undefined;

export function tracedPassage(tracing: Tracing, passage: Passage): Passage {
  const ofAdmission = spansOfAdmission(tracing);
  return (call) => {
    const { exchange, info } = call;
    const span = tracing.begin(nameOf(call), {
      kind: "server",
      attributes: {
        "http.request.method": exchange.method,
        "url.path": info.path, // queries may hold credentials
        "user_agent.original": exchange.header("user-agent"),
        "client.address": exchange.remoteAddress,
        "orch.verb": info.verb,
        "orch.group": info.group,
        "orch.version": info.version,
        "orch.resource": info.resource,
        "orch.subresource": info.subresource,
        "orch.namespace": info.namespace,
        "orch.name": info.name,
      },
      from: (header) => exchange.header(header),
    });
    call.trace = ofAdmission;
    const waiting = span.within(() => passage(call));
    if (waiting === undefined) endOf(span, call);
    return waiting?.finally(() => endOf(span, call));
  };
}

/** Paths have no names among resources, and of others there are endlessly many. */
const nameOf = ({ info, exchange }: Call): string =>
  info.isResource
    ? `${info.verb} ${info.resource}${info.subresource === "" ? "" : `/${info.subresource}`}`
    : exchange.method;

function endOf(span: TraceSpan, call: Call): void {
  const { status } = call.exchange;
  const attributes: SpanAttributes = {
    "http.response.status_code": status,
    "user.name": call.user.name,
    "orch.audit_id": call.auditId,
  };
  // What the client did wrong is not an error of the server.
  span.end({ attributes, problem: status >= 500 ? (call.answered?.message ?? `status ${status}`) : undefined });
}

function spansOfAdmission(tracing: Tracing): AdmissionTrace {
  return {
    begin(_, { webhook, policy }) {
      if (webhook !== undefined)
        return endingStep(
          tracing.begin(`webhook ${webhook.name}`, {
            kind: "client",
            attributes: { "orch.webhook.configuration": webhook.configuration },
          }),
        );
      if (policy !== undefined)
        return endingStep(
          tracing.begin(`policy ${policy.name}`, { attributes: { "orch.policy.binding": policy.binding } }),
        );
      return unseen;
    },
    mutated() {},
  };
}

/** Plugins of the server are many, and take microseconds. */
const unseen: StepEnd = () => {};

function endingStep(span: TraceSpan): StepEnd {
  const end = ({ outcome, message }: StepOutcome) =>
    span.end({
      attributes: { "orch.outcome": outcome },
      problem: outcome === "allowed" ? undefined : (message ?? outcome),
    });
  return Object.assign(end, { within: <T>(work: () => T) => span.within(work) });
}
