/** What all reviews have in common: how they answer, and how they refuse. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { FieldErrors } from "../../machinery/status/field-error.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { ActionRequest } from "../../registry/contract/action.ts";

/** The review of the hub version with its answer, in the version the client speaks. */
export function reviewAnswer(
  { kind }: ActionRequest,
  review: ApiObject,
  status: object,
): { object: ApiObject; code: number } {
  return { object: kind.fromHub({ ...review, status }), code: 201 };
}

/** Reviews have no name, and v1.21 names no kind either when it refuses one. */
export function invalidReview(group: string, errors: FieldErrors): StatusError {
  const text = errors.map((error) => `${error.field}: ${error.message}`).join("; ");
  return new StatusError("Invalid", `the review is invalid: ${text}`, {
    details: { group, causes: errors.map((error) => ({ ...error })) },
  });
}

/** Whether a value of metadata says nothing: absent, empty, or an empty list or map. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
