/** Authenticates the caller; 401 for a credential that no authenticator accepts. */

import { type Authentication, type AuthenticationOutcome, anonymousUser } from "../../authn/contract.ts";
import { StatusError, unauthorized } from "../../machinery/status/status.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

export function authentication({ authenticator, anonymous = false, clock, metrics }: ServerContext): Filter {
  const { attempted } = metrics.authentication;
  // No measured filter comes before this one.
  const durationMs = (call: Call) => clock.monotonic() - call.startedMs;
  const takes = typeof anonymous === "boolean" ? () => anonymous : (call: Call) => anonymous(call.info.path);
  const finish = (call: Call, outcome: AuthenticationOutcome) => {
    if (outcome === "rejected" || (outcome === undefined && !takes(call))) {
      call.exchange.closeAfter();
      throw unauthorized();
    }
    const authentication = outcome ?? withoutCredential;
    const { user } = authentication;
    call.user = user;
    call.authentication = authentication;
    const warning = authentication.remarks?.warning;
    if (warning !== undefined) call.warn(warning);
    // An unauthenticated client may send a request, but may not keep an HTTP/2 connection open for cheap attacks on framing.
    if (user.name === anonymousUser.name && call.exchange.transport === "http2") call.exchange.closeAfter();
    attempted("success", durationMs(call), user.name);
  };
  const fail = (call: Call, error: unknown): never => {
    attempted(isRefusal(error) ? "failure" : "error", durationMs(call));
    throw error;
  };
  return {
    enter(call) {
      const { presetUser } = call.exchange;
      if (presetUser !== undefined) {
        call.user = presetUser;
        call.authentication = { user: presetUser, by: "in-process" };
        return;
      }
      let outcome: AuthenticationOutcome | Promise<AuthenticationOutcome>;
      try {
        outcome = authenticator.authenticate(call.exchange);
        if (!(outcome instanceof Promise)) finish(call, outcome);
      } catch (error) {
        return fail(call, error);
      }
      if (outcome instanceof Promise)
        return outcome.then((settled) => finish(call, settled)).catch((error) => fail(call, error));
    },
  };
}

const withoutCredential: Authentication = { user: anonymousUser, by: "anonymous" };

/** A wrong credential, as opposed to one that could not be checked. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.reason === "Unauthorized";
}
