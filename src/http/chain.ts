/** The handler chain of a request: an ordered list of filters, then the handler of its verb. */

import { Call } from "./call.ts";
import { type Context, createContext } from "./context.ts";
import type { Handler } from "./contract/exchange.ts";
import type { HandlerOptions } from "./contract/handler-options.ts";
import { createDispatcher } from "./dispatch.ts";
import { answerError } from "./errors.ts";
import { auditCompletion, auditReceipt } from "./filters/audit.ts";
import { authentication } from "./filters/authentication.ts";
import { authorization } from "./filters/authorization.ts";
import { bodyBytes } from "./filters/body-bytes.ts";
import { priorityAndFairness } from "./filters/fairness.ts";
import type { Filter } from "./filters/filter.ts";
import { type Names, withDuration } from "./filters/filter-duration.ts";
import { impersonation } from "./filters/impersonate.ts";
import { inFlight } from "./filters/in-flight.ts";
import { measurement } from "./filters/measurement.ts";
import { requestLog } from "./filters/request-log.ts";
import { requestTimeout } from "./filters/request-timeout.ts";
import { slowRequests } from "./filters/slow-requests.ts";
import { soundTarget } from "./filters/sound-target.ts";
import { underWay } from "./filters/under-way.ts";

/** In this order on the way in, in the opposite order on the way out. */
const filters = [
  // First in, last out: these see every request, including those that a later filter refuses.
  underWay,
  measurement,
  requestLog,
  slowRequests,
  auditCompletion,
  // Limits come before any expensive work, so that an attacker without a credential is shed as cheaply as any other client.
  inFlight,
  bodyBytes,
  requestTimeout,
  authentication,
  auditReceipt,
  // After authentication, so that a bad credential is 401 for any target; before other code relies on the target.
  soundTarget,
  // From here on the impersonated user counts: for authorization, limits per user, and the handlers.
  impersonation,
  // As in v1.21 between the two: the user decides which flow a request belongs to, and authorization may be expensive.
  priorityAndFairness,
  authorization,
];

/** The filters whose duration is measured. */
const measured: ReadonlyMap<(context: Context) => Filter, Names> = new Map([
  [authentication, { metric: "authentication", step: "authentication" }],
  [auditReceipt, { metric: "audit" }],
  [impersonation, { metric: "impersonation" }],
  [priorityAndFairness, { metric: "priorityandfairness", step: "queue" }],
  [authorization, { metric: "authorization", step: "authorization" }],
]);

export function createHandler(options: HandlerOptions): Handler {
  const context = createContext(options);
  const list: readonly Filter[] = filters.map((create) => {
    const names = measured.get(create);
    return names === undefined ? create(context) : withDuration(names, create(context), context);
  });
  const dispatch = createDispatcher(context);
  const monotonic = () => context.clock.monotonic();
  return async (exchange) => {
    const call = new Call(exchange, monotonic(), monotonic);
    let entered = 0;
    try {
      while (entered < list.length) {
        const waiting = list[entered++]!.enter?.(call);
        if (waiting !== undefined) await waiting;
      }
      const answering = dispatch(call);
      if (answering !== undefined) await answering;
    } catch (error) {
      answerError(context, call, error);
    } finally {
      while (entered > 0) list[--entered]!.leave?.(call);
    }
  };
}
