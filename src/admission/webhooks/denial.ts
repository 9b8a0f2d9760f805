/** How calls of webhooks end badly: a failed call, and a refusal by the webhook. */

import {
  badRequest,
  internalError,
  type Status,
  StatusError,
  type StatusReason,
  statusReasons,
} from "../../machinery/status/status.ts";
import type { Webhook } from "./webhook.ts";

/** The webhook could not be asked, or what it said cannot be understood. Its failure policy decides what that means. */
export class CallFailure extends Error {}

/** The webhook said no. */
export class Rejection extends Error {
  readonly status: StatusError;
  /** As the webhook gave it, made a refusal. */
  readonly code: number;
  constructor(status: StatusError, code: number) {
    super(status.message);
    this.status = status;
    this.code = code;
  }
}

/** Where a person finds the webhook that is in the way. Stands behind the words of v1.21, which tools look for. */
const configuredBy = ({ type, configuration }: Webhook): string =>
  `${type === "mutating" ? "Mutating" : "Validating"}WebhookConfiguration "${configuration}"`;

/** The refusal of a request whose webhook fails closed. */
export const failedClosed = (webhook: Webhook, failure: CallFailure): StatusError =>
  internalError(
    `failed calling webhook "${webhook.name}": ${failure.message} (repair it, or set its failurePolicy to Ignore in ${configuredBy(webhook)})`,
    failure,
  );

/** A webhook with side effects cannot be asked about a request that must not have any. */
export const dryRunUnsupported = (webhook: Webhook): StatusError =>
  badRequest(
    `admission webhook "${webhook.name}" does not support dry run (its sideEffects must be None or NoneOnDryRun in ${configuredBy(webhook)})`,
  );

/** What a webhook may say about a refusal: the members of a Status, any of them absent. */
export type GivenStatus = Partial<Pick<Status, "message" | "details" | "code">> & { readonly reason?: string };

export function rejection(webhook: Webhook, given: GivenStatus): Rejection {
  const { code = 0, reason = "", message = "", details } = given;
  const denied = `admission webhook "${webhook.name}" denied the request`;
  const why = message || reason;
  // A refusal must not look like a success.
  const refusalCode = code < statusReasons.BadRequest ? statusReasons.BadRequest : code;
  const status = new StatusError(
    reason === "" ? undefined : (reason as StatusReason), // the webhook's own word
    `${denied}${why === "" ? " without explanation" : `: ${why}`} (${configuredBy(webhook)})`,
    {
      code: refusalCode > httpCodeMax ? statusReasons.InternalError : refusalCode,
      ...(details === undefined ? {} : { details }),
    },
  );
  return new Rejection(status, refusalCode);
}

/** HTTP has no others. */
const httpCodeMax = 599;
