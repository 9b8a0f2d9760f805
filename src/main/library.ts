/** `import { createServer } from "orch"`: a whole server inside another program, in memory, without a socket until needed. */

import { checkServer } from "./library/check-options.ts";
import { withLike } from "./library/like-option.ts";
import { OpenServer } from "./library/open-server.ts";
import type { CreateServerOptions, OrchServer } from "./library/options.ts";
import { createProcessHold } from "./programs/process-hold.ts";

// For programs that write admission plugins.
export { refuse } from "../admission/context.ts";
export type { AdmissionPlugin } from "../admission/contract.ts";
export { type NamedTarget, on, type PluginRule, plugin, type RequestOn, type Under, under } from "../admission/on.ts";
export type { Tracer } from "../base/tracing.ts";
export {
  alreadyExistsError,
  badRequestError,
  conflictError,
  expiredError,
  type FieldProblem,
  forbiddenError,
  internalError,
  invalidError,
  notFoundError,
  type RefusedKind,
  tooManyRequestsError,
  unavailableError,
} from "../client/requests/refusal-errors.ts";
export {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
} from "../client/requests/refusals.ts";
export type { OperationResult, TransactionOperation } from "../client/requests/transactions.ts";
export { StatusError, type StatusReason } from "../machinery/status/status.ts";
export type { AdmissionRequest, Operation } from "../registry/contract/admission.ts";
export type { ServerClock } from "../testkit/contract.ts";
export type { ControllerChoice } from "../testkit/controller-choice.ts";
export type { Fault, FaultAction, FaultMatch, PlannedFault } from "../testkit/faults/contract.ts";
export type { JournalEntry, JournalQuery } from "../testkit/journal/contract.ts";
export type { RequestVerb } from "../testkit/request-verbs.ts";
export * as kinds from "./kinds.ts";
export { nodeListener } from "./library/node-listener.ts";
export type {
  ClientConfig,
  CreateServerOptions,
  FetchUser,
  OrchServer,
  RecordedChange,
  RequestHandlerOptions,
  WebhookOptions,
} from "./library/options.ts";

// Node loads the implementation of `fetch` on first use; without this line the first request of a test would pay for it.
void globalThis.Response;

/** One for all servers of the process. */
const hold = createProcessHold();

/**
 * Resolves when the server is ready. It prints nothing and handles no signals. An idle server does not keep the process alive;
 * a request that waits for its answer, or a reader that waits for the next event of a watch, does.
 * @example
 * await using server = await createServer();
 * const client = await connect({ server });
 */
export async function createServer(options: CreateServerOptions = {}): Promise<OrchServer> {
  checkServer(options);
  const release = hold();
  try {
    return await OpenServer.open(withLike(options), hold);
  } finally {
    release();
  }
}
