/** The handler chain of a request: an ordered list of filters, then the handler of its verb. */

import { inOrder } from "../base/in-order.ts";
import { answerError } from "./answer/errors.ts";
import type { Handler } from "./contract/exchange.ts";
import type { HandlerOptions } from "./contract/handler-options.ts";
import { createDispatcher } from "./dispatch.ts";
import { auditCompletion, auditReceipt } from "./filters/audit.ts";
import { authentication } from "./filters/authentication.ts";
import { authorization } from "./filters/authorization.ts";
import { bodyBytes } from "./filters/body-bytes.ts";
import { priorityAndFairness } from "./filters/fairness.ts";
import type { Filter } from "./filters/filter.ts";
import { createDurationObserver, type Names } from "./filters/filter-duration.ts";
import { impersonation } from "./filters/impersonation.ts";
import { inFlight, limitArrivals } from "./filters/in-flight.ts";
import { intervention } from "./filters/interventions.ts";
import { rejectMalformedTarget } from "./filters/malformed-target.ts";
import { measurement } from "./filters/measurement.ts";
import { requestLog } from "./filters/request-log.ts";
import { requestTimeout } from "./filters/request-timeout.ts";
import { requestsInProgress } from "./filters/requests-in-progress.ts";
import { slowRequests } from "./filters/slow-requests.ts";
import { Call } from "./request/call.ts";
import { createContext, type ServerContext } from "./server/context.ts";
import { tracedPassage } from "./server/traced-passage.ts";

/** In this order on the way in, in the opposite order on the way out. */
const filters = [
  // First in, last out: these see every request, including those that a later filter refuses.
  requestsInProgress,
  measurement,
  requestLog,
  slowRequests,
  auditCompletion,
  // Limits come before any expensive work, so that an attacker without a credential is shed as cheaply as any other client.
  limitArrivals,
  bodyBytes,
  requestTimeout,
  authentication,
  auditReceipt,
  // After authentication, so that a bad credential is 401 for any target; before other code relies on the target.
  rejectMalformedTarget,
  // From here on the impersonated user counts: for authorization, limits per user, and the handlers.
  impersonation,
  // Only in servers inside a test: refused requests are seen too.
  intervention,
  // As in v1.21 between the two: the user decides which flow a request belongs to, and authorization may be expensive.
  priorityAndFairness,
  inFlight,
  authorization,
];

/** The filters whose duration is measured. */
const measured: ReadonlyMap<(context: ServerContext) => Filter, Names> = new Map([
  [authentication, { metric: "authentication", step: "authentication" }],
  [auditReceipt, { metric: "audit" }],
  [impersonation, { metric: "impersonation" }],
  [priorityAndFairness, { metric: "priorityandfairness", step: "queue" }],
  [authorization, { metric: "authorization", step: "authorization" }],
]);

/** For the operations of a transaction, whose request has passed all of the above. */
const filtersOfParts = [
  measurement,
  auditCompletion,
  auditReceipt,
  asImpersonated,
  rejectMalformedTarget,
  intervention,
  authorization,
];

/** The audit record begins with the user who authenticated. */
function asImpersonated(): Filter {
  return {
    enter(call) {
      if (call.whole !== undefined) call.user = call.whole.user;
    },
  };
}

export function createHandler(options: HandlerOptions): Handler {
  const context = createContext(options);
  const monotonic = () => context.clock.monotonic();
  const server = { monotonic, isConsumed: context.authenticator.isConsumed };
  const dispatch = createDispatcher(context, (exchange, whole, transaction) => {
    const call = new Call(exchange, monotonic(), server);
    call.joins(whole, transaction);
    return passParts(call);
  });
  const passage = createPassage(context, filters, dispatch);
  const pass = context.tracing === undefined ? passage : tracedPassage(context.tracing, passage);
  const passParts = createPassage(context, filtersOfParts, dispatch);
  const sendsWarnings = context.catalog.environment.gates.enabled("WarningHeaders");
  return (exchange) => {
    const call = new Call(exchange, monotonic(), server);
    call.sendsWarnings = sendsWarnings;
    return pass(call);
  };
}

/** Only promises are awaited: most requests run from their first filter to their answer without yielding. */
function createPassage(
  context: ServerContext,
  list: readonly ((context: ServerContext) => Filter)[],
  dispatch: Step["enter"],
): (call: Call) => Promise<void> | undefined {
  const { steps, leaves } = createSteps(context, list);
  const all: readonly Step[] = [...steps, { enter: dispatch, ended: undefined, leaveCount: leaves.length }];
  const leave = (call: Call) => {
    call.endedMs = context.clock.monotonic();
    while (call.leaveCount > 0) leaves[--call.leaveCount]!(call);
  };
  const fail = (call: Call, error: unknown) => {
    try {
      answerError(context, call, error);
    } finally {
      leave(call);
    }
  };
  return (call) => {
    let waiting: void | Promise<void>;
    try {
      waiting = inOrder(all, enterStep, call);
    } catch (error) {
      fail(call, error);
      return undefined;
    }
    if (waiting === undefined) leave(call);
    // One promise, so that a client in the process finds the request counted and logged soon after its answer.
    return waiting?.then(
      () => leave(call),
      (error: unknown) => fail(call, error),
    );
  };
}

function enterStep({ enter, ended, leaveCount }: Step, call: Call): void | Promise<void> {
  call.leaveCount = leaveCount;
  const waiting = enter(call);
  if (ended === undefined) return waiting;
  if (waiting !== undefined) return waiting.then(() => ended(call));
  ended(call);
}

/** A filter that does something on the way in, or the dispatcher. */
interface Step {
  readonly enter: NonNullable<Filter["enter"]>;
  /** Absent: its duration is not measured. */
  readonly ended: ((call: Call) => void) | undefined;
  /** How many `leaves` there are before this filter, which has nothing to undo if it refuses the request. */
  readonly leaveCount: number;
}

function createSteps(
  context: ServerContext,
  list: readonly ((context: ServerContext) => Filter)[],
): {
  readonly steps: readonly Step[];
  readonly leaves: NonNullable<Filter["leave"]>[];
} {
  const steps: Step[] = [];
  const leaves: NonNullable<Filter["leave"]>[] = [];
  for (const create of list) {
    const { enter, leave } = create(context);
    if (enter !== undefined) {
      const names = measured.get(create);
      const ended = names === undefined ? undefined : createDurationObserver(names, context);
      steps.push({ enter, ended, leaveCount: leaves.length });
    }
    if (leave !== undefined) leaves.push(leave);
  }
  return { steps, leaves };
}
