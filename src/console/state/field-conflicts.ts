/** Fields that another manager owns with another value, as a refusal of an apply names them. */

import { StatusError } from "../../machinery/status/status.ts";

interface FieldConflict {
  /** `.spec.replicas`. */
  readonly field: string;
  /** `conflict with "ann" using apps/v1`. */
  readonly message: string;
}

export function fieldConflictsIn(error: unknown): readonly FieldConflict[] {
  if (!(error instanceof StatusError) || error.code !== 409) return [];
  return (error.details?.causes ?? [])
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field = "", message = "" }) => ({ field, message }));
}
