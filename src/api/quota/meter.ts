/** The usage of objects for quotas: one meter for each resource, and one that only counts for all others. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import type { AnyKind, ApiObject } from "../../machinery/schema/kind.ts";
import { ConfigMap } from "../core/v1/config-map.ts";
import { Event } from "../core/v1/event.ts";
import { PersistentVolumeClaim } from "../core/v1/persistent-volume-claim.ts";
import type { ScopedResourceSelectorRequirement } from "../core/v1/pod/scheduling.ts";
import { Pod } from "../core/v1/pod.ts";
import { ReplicationController } from "../core/v1/replication-controller.ts";
import { ResourceQuota } from "../core/v1/resource-quota.ts";
import { Secret } from "../core/v1/secret.ts";
import { Service } from "../core/v1/service.ts";
import { ResourceClaim } from "../resource/v1/resource-claim.ts";
import { type Amounts, oneOf } from "./amounts.ts";
import { createClaimMeter } from "./claim-meter.ts";
import { createDeviceClaimMeter } from "./device-claim-meter.ts";
import { createPodMeter } from "./pod-meter.ts";
import { createServiceMeter } from "./service-meter.ts";

export interface Meter<T extends ApiObject = ApiObject> {
  /** Whether an update can change what an object uses. */
  readonly onUpdate: boolean;
  /** The subresource through which an update can change it. Default: none. */
  readonly onUpdateThrough?: string;
  /** Whether objects of this type may use the resource that a quota names. */
  counts(name: string): boolean;
  usage(object: T): Amounts;
  /** Absent: these objects are in no scope, so no quota with scopes is about them. */
  isInScope?(scope: ScopedResourceSelectorRequirement, object: T): boolean;
  /** Limited resources for which an object must set an amount but does not. */
  unstated?(object: T, isLimited: (name: string) => boolean): string[];
}

/** Kinds that quotas also know by their plain name. */
const plainlyNamed: ReadonlySet<AnyKind> = new Set([ConfigMap, ResourceQuota, ReplicationController, Secret]);

/** Stored objects that were never counted. Those of the other group that serves events are. */
const uncounted: ReadonlySet<AnyKind> = new Set([Event]);

const meters = new Map<AnyKind, (environment: Environment) => Meter>([
  [Pod, createPodMeter],
  [PersistentVolumeClaim, createClaimMeter],
  [ResourceClaim, createDeviceClaimMeter],
  [Service, createServiceMeter],
]);

/** Undefined: these objects are never counted. */
export function meterOf(kind: BoundKind): Meter | undefined {
  const { declaration, declared, resource } = kind;
  // Virtual resources are not stored, and so are not counted.
  if (declaration.action !== undefined || uncounted.has(declared)) return undefined;
  const create = meters.get(declared);
  if (create !== undefined) return create(kind.family.environment);
  const names = plainlyNamed.has(declared) ? [countName(kind), resource] : [countName(kind)];
  const usage: Amounts = new Map(names.map((name) => [name, oneOf]));
  return { onUpdate: false, counts: (name) => usage.has(name), usage: () => usage };
}

/** "count/deployments.apps", "count/configmaps". */
const countName = ({ group, resource }: BoundKind): string =>
  group === "" ? `count/${resource}` : `count/${resource}.${group}`;
