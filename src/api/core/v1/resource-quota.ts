/** A ResourceQuota limits what a namespace may use in total. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, map, optional, quantity, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ScopeSelector } from "./scheduling.ts";

export const ResourceQuotaSpec = struct("core.v1.ResourceQuotaSpec", {
  hard: elided(map(quantity())).at(1),
  scopes: elided(list(string())).at(2),
  scopeSelector: optional(ScopeSelector).at(3),
});
export type ResourceQuotaSpec = Static<typeof ResourceQuotaSpec>;

export const ResourceQuotaStatus = struct("core.v1.ResourceQuotaStatus", {
  hard: elided(map(quantity())).at(1),
  used: elided(map(quantity())).at(2),
});
export type ResourceQuotaStatus = Static<typeof ResourceQuotaStatus>;

export const ResourceQuota = kind({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  resource: "resourcequotas",
  scope: "Namespaced",
  shortNames: ["quota"],
  doc: "A ResourceQuota limits what a namespace may use in total.",
  fields: {
    spec: elided(ResourceQuotaSpec).at(2),
    status: elided(ResourceQuotaStatus).at(3),
  },
  subresources: [status()],
});
export type ResourceQuota = Static<typeof ResourceQuota>;
