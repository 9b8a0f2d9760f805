/** Refusals that a program makes itself: one function for each reason that a client can act on. */

import type { FieldReason } from "../../machinery/status/field-error.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbiddenRequest,
  internalError as internalFailure,
  invalidObject,
  notFound,
  type StatusError,
  serviceUnavailable,
  tooManyRequests,
} from "../../machinery/status/status.ts";

/**
 * What a refusal is about: a kind such as `Pod`, or its names.
 * @example
 * const Toy: RefusedKind = { group: "example.com", kind: "Toy", resource: "toys" };
 */
export interface RefusedKind {
  readonly group: string;
  readonly kind: string;
  /** The name in paths: "pods". */
  readonly resource: string;
}

const byResource = ({ group, resource }: RefusedKind) => ({ group, kind: resource });

/**
 * 404: `throw notFoundError(ConfigMap, "prices")` says `configmaps "prices" not found`.
 * @example
 * throw notFoundError(ConfigMap, "prices");
 */
export const notFoundError = (kind: RefusedKind, name: string): StatusError => notFound(byResource(kind), name);

/**
 * 409 of a create.
 * @example
 * throw alreadyExistsError(ConfigMap, "prices");
 */
export const alreadyExistsError = (kind: RefusedKind, name: string): StatusError =>
  alreadyExists(byResource(kind), name);

/**
 * 409 of a change: the caller reads the object and tries again.
 * @example
 * throw conflictError(ConfigMap, "prices", "it was changed meanwhile");
 */
export const conflictError = (kind: RefusedKind, name: string, message: string): StatusError =>
  conflict(byResource(kind), name, message);

/**
 * 403: the user must not do this.
 * @example
 * throw forbiddenError(Secret, "salt", "only operators may read it");
 */
export const forbiddenError = (kind: RefusedKind, name: string, message: string): StatusError =>
  forbiddenRequest(byResource(kind), name, message);

/**
 * What is wrong with one field, as `invalidError` takes it.
 * @example
 * const problem: FieldProblem = { field: "spec.size", message: "must be at least 1" };
 */
export interface FieldProblem {
  /** "spec.size". */
  readonly field: string;
  readonly message: string;
  /** "FieldValueInvalid", "FieldValueRequired", … Default: "FieldValueInvalid". */
  readonly reason?: FieldReason;
}

/**
 * 422: fields of the object are wrong; the answer names all of them.
 * @example
 * throw invalidError(Widget, "one", [{ field: "spec.size", message: "must not shrink" }]);
 */
export function invalidError(kind: RefusedKind, name: string, problems: readonly FieldProblem[]): StatusError {
  const errors = problems.map(({ field, message, reason = "FieldValueInvalid" }) => ({
    reason,
    field,
    message,
  }));
  return invalidObject({ group: kind.group, kind: kind.kind }, name, errors);
}

/**
 * 400: the request itself is wrong.
 * @example
 * throw badRequestError("the body must be JSON");
 */
export const badRequestError = (message: string, cause?: unknown): StatusError => badRequest(message, cause);

/**
 * 429: the caller waits for so many seconds and tries again.
 * @example
 * throw tooManyRequestsError("the quota of the team is used up", 60);
 */
export const tooManyRequestsError = (message: string, retryAfterSeconds: number): StatusError =>
  tooManyRequests(message, retryAfterSeconds);

/**
 * 410: the version from which a list or watch goes on is gone.
 * @example
 * throw expiredError("the resourceVersion is too old");
 */
export const expiredError = (message: string): StatusError => expired(message);

/**
 * 500: something that the caller cannot help.
 * @example
 * throw internalError("the ledger cannot be read", error);
 */
export const internalError = (message: string, cause?: unknown): StatusError => internalFailure(message, cause);

/**
 * 503: something that is needed is away for now.
 * @example
 * throw unavailableError("the ledger is being moved");
 */
export const unavailableError = (message: string, cause?: unknown): StatusError => serviceUnavailable(message, cause);
