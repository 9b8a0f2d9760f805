/** Connects a client to the agent of a node: streams are joined as they are, and the text of a log is passed on as it arrives. */

import type { Exchange } from "../../http/contract/exchange.ts";
import type { RequestFacts } from "../../http/contract/routes.ts";
import { badRequest, internalError, StatusError } from "../../machinery/status/status.ts";
import type { AgentCall } from "../../registry/contract/action.ts";
import { forward } from "../forwarding/forward.ts";
import { clientHeaders } from "../forwarding/headers.ts";
import type { Destination } from "../forwarding/open-request.ts";
import { forwardUpgrade } from "../forwarding/upgrade.ts";

interface AgentRequest {
  readonly agentCall: AgentCall;
  readonly destination: Destination;
  /** Aborts when the server stops. */
  readonly ending: AbortSignal;
}

export async function callAgent(exchange: Exchange, facts: RequestFacts, asked: AgentRequest): Promise<void> {
  const { agentCall, destination, ending } = asked;
  const headers = clientHeaders(exchange, facts);
  if (agentCall.answer === "stream") {
    const { upgrade } = exchange;
    if (upgrade === undefined) throw badRequest("Upgrade request required");
    return await forwardUpgrade(exchange, upgrade, { destination, headers, ending });
  }
  await forward(exchange, {
    destination,
    headers,
    shape: () => ({ headers: { "audit-id": facts.auditId, "content-type": "text/plain" } }),
    refusal,
  });
}

/** As v1.21 tells the client what the agent answered. */
function refusal(code: number, text: string): Error {
  if (code === 400) return badRequest(text);
  return code === 500 ? internalError(text) : new StatusError(undefined, text, { code });
}
