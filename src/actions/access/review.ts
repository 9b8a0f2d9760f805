/** What all reviews have in common: their answers and their errors. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import { aggregate } from "../../machinery/status/aggregate.ts";
import type { FieldErrors } from "../../machinery/status/field-error.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { ActionRequest } from "../../registry/contract/action.ts";

/** Converts a review of the hub version, with its answer, to the version of the client. */
export function reviewAnswer(
  { kind }: ActionRequest,
  review: ApiObject,
  status: object,
): { object: ApiObject; code: number } {
  return { object: kind.fromHub({ ...review, status }), code: 201 };
}

/** Reviews have no name, and the errors of v1.21 do not name their kind either. */
export function invalidReview(group: string, errors: FieldErrors): StatusError {
  const text = aggregate(errors.map((error) => `${error.field}: ${error.message}`));
  return new StatusError("Invalid", `the review is invalid: ${text}`, {
    details: { group, causes: errors.map((error) => ({ ...error })) },
  });
}

/** Whether a value of metadata is empty: absent, "", or an empty list or map. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
