/** The fields of resource quotas. */

import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { resourceList } from "../../common-fields.ts";
import { ScopeSelector } from "./pod/scheduling.ts";

export const ResourceQuotaSpec = struct("core.v1.ResourceQuotaSpec", {
  hard: elided(resourceList()).at(1).doc("The limits, by resource, such as pods, requests.cpu or count/jobs.batch."),
  scopes: elided(list(string())).at(2).doc("Only objects that match all scopes are counted; cannot be changed."),
  scopeSelector: optional(ScopeSelector)
    .at(3)
    .doc("Scopes with operators that objects must match to count. Absent: only scopes counts."),
});
export type ResourceQuotaSpec = Static<typeof ResourceQuotaSpec>;

export const ResourceQuotaStatus = struct("core.v1.ResourceQuotaStatus", {
  hard: elided(resourceList()).at(1).doc("The enforced limits, by resource."),
  used: elided(resourceList()).at(2).doc("The present usage of the namespace, by resource."),
});
export type ResourceQuotaStatus = Static<typeof ResourceQuotaStatus>;
