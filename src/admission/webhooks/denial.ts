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
  constructor(status: StatusError) {
    super(status.message);
    this.status = status;
  }
}

/** The refusal of a request whose webhook fails closed. */
export const failedClosed = ({ name }: Webhook, failure: CallFailure): StatusError =>
  internalError(`failed calling webhook "${name}": ${failure.message}`, failure);

/** A webhook with side effects cannot be asked about a request that must not have any. */
export const dryRunUnsupported = ({ name }: Webhook): StatusError =>
  badRequest(`admission webhook "${name}" does not support dry run`);

/** What a webhook may say about a refusal: the members of a Status, any of them absent. */
export type GivenStatus = Partial<Pick<Status, "message" | "details" | "code">> & { readonly reason?: string };

export function rejection({ name }: Webhook, given: GivenStatus): Rejection {
  const { code = 0, reason = "", message = "", details } = given;
  const denied = `admission webhook "${name}" denied the request`;
  const why = message || reason;
  return new Rejection(
    new StatusError(
      reason === "" ? undefined : (reason as StatusReason),
      why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
      {
        // A refusal must not look like a success.
        code: code < statusReasons.BadRequest ? statusReasons.BadRequest : code,
        ...(details === undefined ? {} : { details }),
      },
    ),
  );
}
