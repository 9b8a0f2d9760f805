/** Checks whether the user may make the request; 403 if no authorizer allows it. */

import type { Decision } from "../../authz/contract.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { isTransaction } from "../contract/transactions.ts";
import type { Call } from "../request/call.ts";
import { enforce } from "../request/rights.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

export function authorization({ authorizer, vocabulary }: ServerContext): Filter {
  const decisionKey = vocabulary.word("authorization.orch.io/decision");
  const reasonKey = vocabulary.word("authorization.orch.io/reason");
  const finish = (call: Call, decision: Decision) => {
    call.audit?.annotate(decisionKey, decision.outcome === "allow" ? "allow" : "forbid");
    call.audit?.annotate(reasonKey, decision.reason);
    if (decision.outcome === "allow") return;
    // As in the reference: nobody could say whether the user may, which is not a refusal.
    if (decision.error !== undefined) throw new StatusError("InternalError", decision.error);
    enforce(call, decision);
  };
  return {
    enter(call) {
      if (isTransaction(call.info)) return;
      const decision = authorizer.authorize(call);
      if (decision instanceof Promise) return decision.then((resolved) => finish(call, resolved));
      finish(call, decision);
    },
  };
}
