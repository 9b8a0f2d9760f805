/** What objects use of a quota: one meter for each resource, and one that only counts for all others. */

import type { ScopedResourceSelectorRequirement } from "../../api/core/v1/scheduling.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type Amounts, oneOf } from "./amounts.ts";
import { createClaimMeter } from "./claim-meter.ts";
import { createPodMeter } from "./pod-meter.ts";
import { createServiceMeter } from "./service-meter.ts";

export interface Meter {
  /** Whether an update can change what an object uses. */
  readonly onUpdate: boolean;
  /** Whether an object of this sort may use the resource that a quota names so. */
  counts(name: string): boolean;
  usage(object: ApiObject): Amounts;
  /** Absent: these objects are in no scope, so no quota with scopes is about them. */
  isInScope?(scope: ScopedResourceSelectorRequirement, object: ApiObject): boolean;
  /** Names among those that `isLimited` which an object leaves open, though it must say how much it wants. */
  unstated?(object: ApiObject, isLimited: (name: string) => boolean): string[];
}

/** Resources of the core group that quotas also know by their plain name. */
const plainNames = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

/** What is not stored, or was never counted, in orch's names. */
const uncountedGroups = new Set(["authorization.orch.io", "authentication.orch.io"]);
const uncountedInCore = new Set(["bindings", "events"]);

/** Undefined: these objects are never counted. */
export function meterOf(kind: BoundKind): Meter | undefined {
  const { group, resource } = kind.declaration;
  if (uncountedGroups.has(group)) return undefined;
  if (group === "") {
    if (uncountedInCore.has(resource)) return undefined;
    const { environment } = kind.family;
    if (resource === "pods") return createPodMeter(environment);
    if (resource === "persistentvolumeclaims") return createClaimMeter(environment);
    if (resource === "services") return createServiceMeter(environment);
  }
  const names = group === "" && plainNames.has(resource) ? [countName(kind), resource] : [countName(kind)];
  const usage: Amounts = new Map(names.map((name) => [name, oneOf]));
  return { onUpdate: false, counts: (name) => usage.has(name), usage: () => usage };
}

/** "count/deployments.apps", "count/configmaps". */
const countName = ({ group, resource }: BoundKind): string =>
  group === "" ? `count/${resource}` : `count/${resource}.${group}`;
