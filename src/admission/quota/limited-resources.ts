/** Resources that the operator limits: they may only be used in namespaces with a quota for them. */

import { ScopedResourceSelectorRequirement } from "../../api/core/v1/pod/scheduling.ts";
import type { Amounts } from "../../api/quota/amounts.ts";
import type { Meter } from "../../api/quota/meter.ts";
import { elided, list, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type ConfigurationKind, readConfiguration } from "../configuration/configuration-kind.ts";
import type { AdmissionContext } from "../context.ts";

const limitedFields = struct("config.LimitedResource", {
  apiGroup: elided(string()),
  resource: elided(string()),
  matchContains: elided(list(string())),
  matchScopes: elided(list(ScopedResourceSelectorRequirement)),
});
export type LimitedResource = Static<typeof limitedFields>;
const fields = struct("config.ResourceQuota", { limitedResources: elided(list(limitedFields)) });
const ResourceQuotaConfiguration: ConfigurationKind<Static<typeof fields>> = {
  versions: [
    { apiVersion: "apiserver.config.orch.io/v1", kind: "ResourceQuotaConfiguration" },
    { apiVersion: "resourcequota.admission.orch.io/v1beta1", kind: "Configuration" },
    { apiVersion: "resourcequota.admission.orch.io/v1alpha1", kind: "Configuration" },
  ],
  schema: fields,
};

export function readLimitedResources({ configuration, catalog }: AdmissionContext): readonly LimitedResource[] {
  const given = configuration("ResourceQuota");
  if (given === undefined) return [];
  const { limitedResources = [] } = readConfiguration(
    ResourceQuotaConfiguration,
    given,
    catalog.environment.vocabulary,
  );
  limitedResources.forEach(({ resource = "" }, index) => {
    if (resource === "") throw new Error(`${given.where}: limitedResources[${index}].resource: must be given`);
  });
  return limitedResources;
}

type Scope = ScopedResourceSelectorRequirement;

/** Scopes of `scopes` that the object is in. */
export function scopesOf(scopes: readonly Scope[], { isInScope }: Meter, object: ApiObject): Scope[] {
  return scopes.filter((scope) => isInScope?.(scope, object) ?? false);
}

/** What an object uses of limited resources: names, and scopes that it matches; a quota must cover each of them. */
export function limitedUse(
  limited: readonly LimitedResource[],
  { kind, meter, object }: { readonly kind: BoundKind; readonly meter: Meter; readonly object: ApiObject },
): { readonly names: readonly string[]; readonly scopes: readonly Scope[] } {
  const usage: Amounts = meter.usage(object);
  const names = limited
    .filter(({ apiGroup = "", resource }) => apiGroup === kind.group && resource === kind.resource)
    .flatMap(({ matchContains = [] }) => matchContains)
    .flatMap((part) => [...usage].filter(([name, { nano }]) => nano > 0n && name.includes(part)).map(([name]) => name));
  const scopes = limited.flatMap(({ matchScopes = [] }) => scopesOf(matchScopes, meter, object));
  return { names: [...new Set(names)], scopes };
}
