/** A ResourceQuota limits what a namespace may use in total. */

import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { resourceList } from "../../common-fields.ts";
import { ScopeSelector } from "./pod/scheduling.ts";
import { validateQuota, validateQuotaStatus, validateQuotaUpdate } from "./validate-quota.ts";

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

interface QuotaParts {
  spec?: ResourceQuotaSpec;
  status?: ResourceQuotaStatus;
}

export const ResourceQuota = kind({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  resource: "resourcequotas",
  scope: "Namespaced",
  shortNames: ["quota"],
  doc: "A ResourceQuota limits what a namespace may use in total.",
  fields: {
    spec: elided(ResourceQuotaSpec).at(2).doc("The desired state of the resource quota, set by its users."),
    status: elided(ResourceQuotaStatus)
      .at(3)
      .doc("The most recently observed state of the resource quota, written by the system."),
  },
  returnsDeleted: true,
  validate: (quota, environment) => validateQuota(quota.spec ?? {}, environment),
  validateUpdate: (quota, old, environment) => validateQuotaUpdate(quota.spec ?? {}, old.spec ?? {}, environment),
  columns: (column) => [
    nameColumn,
    { ...ageColumn, until: "1.33" },
    column("Request", (quota) => usageText(quota, false), { description: "What is requested, of how much." }),
    column("Limit", (quota) => usageText(quota, true), { description: "What limits add up to, of how much." }),
    { ...ageColumn, since: "1.33" },
  ],
  subresources: [
    status({
      validate: (quota: QuotaParts, _old, environment) => validateQuotaStatus(quota.status ?? {}, environment),
    }),
  ],
});
export type ResourceQuota = Static<typeof ResourceQuota>;

/** `cpu: 1/2, pods: 3/5` in name order; limits have a separate column. */
function usageText({ status: counted }: QuotaParts, limits: boolean): string {
  return Object.entries(counted?.hard ?? {})
    .filter(([name]) => name.startsWith("limits.") === limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => {
      const used = counted?.used ?? {};
      return `${name}: ${Object.hasOwn(used, name) ? used[name] : "0"}/${hard}`;
    })
    .join(", ");
}
