/** The fields of resource quotas. */

import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldErrors, invalid, noErrors, ofEach, together } from "../../../machinery/status/field-error.ts";
import { resourceList } from "../../common-fields.ts";
import { validateResourceAmount, validateResourceName } from "../../resource-names.ts";
import { ScopeSelector, scopeNames, validateScope } from "./pod/scheduling.ts";

/** What only containers or volumes have without a prefix, so no quota can count it. */
export const notCounted = new Set(["storage"]);

export const ResourceQuotaSpec = struct("core.v1.ResourceQuotaSpec", {
  hard: elided(resourceList())
    .at(1)
    .checked(validateAmounts)
    .doc("The limits, by resource, such as pods, requests.cpu or count/jobs.batch."),
  scopes: elided(
    list(
      string()
        .checked(validateScope)
        .openApiEnum(scopeNames.slice(0, -1))
        .from("1.33", (scope) => scope.openApiEnum(scopeNames))
        .reported(""),
    ),
  )
    .at(2)
    .doc("Only objects that match all scopes are counted; cannot be changed."),
  scopeSelector: optional(ScopeSelector)
    .at(3)
    .doc("Scopes with operators that objects must match to count. Absent: only scopes counts."),
});
export type ResourceQuotaSpec = Static<typeof ResourceQuotaSpec>;

export const ResourceQuotaStatus = struct("core.v1.ResourceQuotaStatus", {
  hard: elided(resourceList()).at(1).checked(validateAmounts).doc("The enforced limits, by resource."),
  used: elided(resourceList()).at(2).checked(validateAmounts).doc("The present usage of the namespace, by resource."),
});
export type ResourceQuotaStatus = Static<typeof ResourceQuotaStatus>;

function validateAmounts(
  amounts: Readonly<Record<string, string>>,
  _path: string,
  environment: Environment,
): FieldErrors {
  return ofEach(Object.entries(amounts), ([name, amount]) => {
    const at = `[${name}]`;
    return together(
      validateResourceName(name, at),
      notCounted.has(name) ? [invalid(at, name, "must be a standard resource for quota")] : noErrors,
      validateResourceAmount(name, amount, at, environment),
    );
  });
}
