/** A ResourceQuota limits what a namespace may use in total. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { ResourceQuotaSpec, ResourceQuotaStatus } from "./resource-quota-spec.ts";
import { quotaRelations, validateQuotaUpdate } from "./validate-quota.ts";

interface QuotaParts {
  spec?: ResourceQuotaSpec;
  status?: ResourceQuotaStatus;
}

const checkStatus = checker(ResourceQuotaStatus);

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
  relations: quotaRelations,
  validateUpdate: (quota, old) => validateQuotaUpdate(quota.spec ?? {}, old.spec ?? {}),
  columns: (column) => [
    nameColumn,
    { ...ageColumn, until: "1.33" },
    column("Request", (quota) => usageText(quota, false), { description: "What is requested, of how much." }),
    column("Limit", (quota) => usageText(quota, true), { description: "What limits add up to, of how much." }),
    { ...ageColumn, since: "1.33" },
  ],
  subresources: [
    status({
      validate: (quota: QuotaParts, _old, environment) => checkStatus(quota.status, "status", environment),
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
