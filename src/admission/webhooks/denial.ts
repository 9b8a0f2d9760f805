/** The two ways in which a webhook refuses a request: a failed call, and a denial. */

import {
  badRequest,
  internalError,
  type Status,
  StatusError,
  type StatusReason,
  statusReasons,
} from "../../machinery/status/status.ts";
import type { Webhook } from "./webhook.ts";

/** The webhook could not be called, or its answer is invalid. Its failure policy decides what happens. */
export class CallFailure extends Error {}

/** The webhook denied the request. */
export class WebhookDenial extends Error {
  readonly status: StatusError;
  /** The code that the webhook gave, as a refusal; 0: it gave none. */
  readonly code: number;
  constructor(status: StatusError, code: number) {
    super(status.message);
    this.status = status;
    this.code = code;
  }
}

/** Where to find the webhook that refused the request. It follows the wording of v1.21, which tools match on. */
const configuredBy = ({ type, configuration }: Webhook): string =>
  `${type === "mutating" ? "Mutating" : "Validating"}WebhookConfiguration "${configuration}"`;

/** The refusal of a request whose webhook fails closed. */
export const failedClosed = (webhook: Webhook, failure: CallFailure): StatusError =>
  internalError(
    `failed calling webhook "${webhook.name}": ${failure.message} (repair it, or set its failurePolicy to Ignore in ${configuredBy(webhook)})`,
    failure,
  );

/** A webhook with side effects cannot be called for a request that must not have any. */
export const dryRunUnsupported = (webhook: Webhook): StatusError =>
  badRequest(
    `admission webhook "${webhook.name}" does not support dry run (its sideEffects must be None or NoneOnDryRun in ${configuredBy(webhook)})`,
  );

/** The details that a webhook may give for a denial: the members of a Status, any of them absent. */
export type GivenStatus = Partial<Pick<Status, "message" | "details" | "code">> & { readonly reason?: string };

export function rejection(webhook: Webhook, given: GivenStatus): WebhookDenial {
  const { code = 0, reason = "", message = "", details } = given;
  const denied = `admission webhook "${webhook.name}" denied the request`;
  const why = message || reason;
  // A refusal must not look like a success.
  const refusalCode = code < statusReasons.BadRequest ? statusReasons.BadRequest : code;
  const status = new StatusError(
    reason === "" ? undefined : (reason as StatusReason), // the webhook's own word
    // Programs compare the end of the message with the webhook's own words.
    `${denied}${why === "" ? " without explanation" : `: ${why}`}`,
    {
      code: refusalCode > httpCodeMax ? statusReasons.InternalError : refusalCode,
      ...(details === undefined ? {} : { details }),
    },
  );
  return new WebhookDenial(status, code === 0 ? 0 : refusalCode);
}

/** HTTP cannot send codes of four digits. Those of three without a meaning are sent as the webhook gave them. */
const httpCodeMax = 999;
