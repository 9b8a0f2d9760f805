/** Admission whose phases are spans of the request; its webhooks and policies are spans within them. */

import { asPart, type Tracing } from "../../base/tracing.ts";
import type { Admission } from "../../registry/contract/admission.ts";

export function tracedAdmission(admission: Admission, tracing: Tracing): Admission {
  const traced = (phase: string, work: () => void | Promise<void>) =>
    asPart(tracing, `admission ${phase}`, {}, async () => work());
  return {
    mutate: (request) => traced("mutate", () => admission.mutate(request)),
    validate: (request) => traced("validate", () => admission.validate(request)),
  };
}
