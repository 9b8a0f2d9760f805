/** Reviews: questions to the server about access, which it answers and does not store. */

import type { ResourceAddress } from "../client/contract.ts";
import { apiVersionOf, collectionPath } from "../client/requests/address.ts";
import { objectAt, textAt } from "../machinery/json/json-value.ts";

type Json = Readonly<Record<string, unknown>>;

/** What is sent to ask a review of this resource. */
export const reviewRequest = (resource: ResourceAddress, spec: Json) => ({
  path: collectionPath(resource, undefined),
  body: { apiVersion: apiVersionOf(resource), kind: resource.kind, spec },
});

interface Verdict {
  /** Undefined: the server does not say. */
  readonly isAllowed: boolean | undefined;
  readonly reason: string;
  /** What the server could not look at. */
  readonly problem: string;
}

/** The answer to a review of access. */
export function verdictOf(answer: unknown): Verdict {
  const status = objectAt(answer as Json, "status"); // reads nothing of what is not an object
  const allowed = status?.["allowed"];
  return {
    isAllowed: typeof allowed === "boolean" ? allowed : undefined,
    reason: textAt(status, "reason"),
    problem: textAt(status, "evaluationError"),
  };
}
