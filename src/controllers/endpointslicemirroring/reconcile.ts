/** Slices that mirror an Endpoints object that a client wrote. */

import type { EndpointPort as CorePort, EndpointAddress, Endpoints } from "../../api/core/v1/endpoints.ts";
import type { Service } from "../../api/core/v1/service.ts";
import type { Endpoint, EndpointPort } from "../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { Steps } from "../../base/time-slice.ts";
import type { ServedType } from "../../client/contract.ts";
import { ipVersion } from "../../machinery/meta/names.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { controllerRef, isControlledBy } from "../parts/ownership/controller-ref.ts";
import { podNamePrefix } from "../parts/pods/from-template.ts";
import { hasSelector } from "../parts/services/follow.ts";
import { repackSubsets } from "../parts/services/subsets.ts";
import type { SliceKeys } from "../parts/slices/keys.ts";
import {
  endpointKey,
  noChanges,
  portsKey,
  reuseNames,
  type SliceChanges,
  sameEndpoint,
} from "../parts/slices/slice-set.ts";
import type { PlannedEvent } from "../plan.ts";

interface MirrorContext {
  readonly keys: SliceKeys;
  readonly addressesMax: number;
  /** The type that the owner reference names. */
  readonly owner: ServedType;
}

interface MirrorPlan extends SliceChanges {
  readonly events: readonly PlannedEvent[];
}

/** Not those of leader elections, nor those with the skip label. */
function isMirrored({ metadata }: Endpoints, keys: SliceKeys): boolean {
  return metadata.labels?.[keys.skipMirror] !== "true" && metadata.annotations?.[keys.leader] === undefined;
}

/** `slices`: those of the same name that mirror something. */
export function* planMirror(
  endpoints: Endpoints | undefined,
  service: Service | undefined,
  slices: readonly EndpointSlice[],
  context: MirrorContext,
): Steps<MirrorPlan> {
  const isWanted = endpoints !== undefined && isMirrored(endpoints, context.keys);
  if (!isWanted || service === undefined || hasSelector(service)) {
    return { create: [], update: [], delete: [...slices], events: [] };
  }
  const { groups, events } = yield* groupAddresses(endpoints, context.addressesMax);
  const changes = noChanges();
  for (const [key, group] of groups) {
    yield;
    const [first, ...others] = slices.filter((slice) => groupKey(slice.addressType, slice.ports) === key);
    changes.delete.push(...others);
    const next = mirrorOf(endpoints, group, context, first);
    if (first === undefined) changes.create.push(next);
    else if (!isCurrent(first, next)) changes.update.push(next);
  }
  changes.delete.push(...slices.filter((slice) => !groups.has(groupKey(slice.addressType, slice.ports))));
  const reused = reuseNames(changes, (slice) => isControlledBy(slice, endpoints));
  // A slice that is created now would outlive terminating Endpoints.
  return { ...reused, ...(endpoints.metadata.deletionTimestamp ? { create: [] } : {}), events };
}

interface Group {
  readonly addressType: "IPv4" | "IPv6";
  readonly ports: EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

interface GroupedAddresses {
  readonly groups: ReadonlyMap<string, Group>;
  readonly events: PlannedEvent[];
}

const groupKey = (addressType: string, ports: readonly EndpointPort[] | null) => `${addressType} ${portsKey(ports)}`;

function* groupAddresses(endpoints: Endpoints, addressesMax: number): Steps<GroupedAddresses> {
  const groups = new Map<string, Group>();
  let [invalid, skipped] = [0, 0];
  for (const subset of yield* repackSubsets(endpoints.subsets ?? [])) {
    yield;
    const { addresses = [], notReadyAddresses = [], ports: given = [] } = subset;
    const ports = given.map(portOf);
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    // Looked up once: the key of thousands of ports is a long text.
    const own: Partial<Record<Group["addressType"], Group>> = {};
    const groupOf = (addressType: Group["addressType"]): Group => {
      const key = groupKey(addressType, ports);
      const group = groups.get(key) ?? { addressType, ports, endpoints: new Map() };
      groups.set(key, group);
      return group;
    };
    let added = 0;
    for (const { address, ready } of all) {
      const version = ipVersion(address.ip);
      if (added >= addressesMax) skipped += 1;
      else if (version === 0) invalid += 1;
      else {
        added += 1;
        const addressType = version === 6 ? "IPv6" : "IPv4";
        own[addressType] ??= groupOf(addressType);
        const endpoint = endpointOf(address, ready);
        own[addressType].endpoints.set(endpointKey(endpoint), endpoint);
      }
    }
  }
  return { groups, events: eventsOf(invalid, skipped, addressesMax) };
}

function eventsOf(invalid: number, skipped: number, addressesMax: number): PlannedEvent[] {
  const events: PlannedEvent[] = [];
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    events.push({ type: "Warning", reason: "InvalidIPAddress", message });
  }
  if (skipped > 0) {
    const message = `A max of ${addressesMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped + invalid} addresses were skipped`;
    events.push({ type: "Warning", reason: "TooManyAddressesToMirror", message });
  }
  return events;
}

function mirrorOf(
  endpoints: Endpoints,
  { addressType, ports, endpoints: desired }: Group,
  { keys, owner }: MirrorContext,
  existing: EndpointSlice | undefined,
): EndpointSlice {
  const { name = "", namespace, labels, annotations = {} } = endpoints.metadata;
  const { [keys.triggerTime]: _, [keys.lastApplied]: __, ...copied } = annotations;
  const identity =
    existing === undefined
      ? { generateName: podNamePrefix(name), ...(namespace === undefined ? {} : { namespace }) }
      : existing.metadata;
  return {
    metadata: {
      ...identity,
      labels: { ...labels, [keys.serviceName]: name, [keys.managedBy]: keys.mirroring },
      annotations: copied,
      ownerReferences: [controllerRef(endpoints, owner)],
    },
    addressType,
    ports,
    endpoints: [...desired.values()],
  };
}

function isCurrent(slice: EndpointSlice, next: EndpointSlice): boolean {
  const wanted = new Map(next.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const found = slice.endpoints ?? [];
  return (
    found.length === wanted.size &&
    found.every((endpoint) => {
      const other = wanted.get(endpointKey(endpoint));
      return other !== undefined && sameEndpoint(endpoint, other);
    }) &&
    sameValue(slice.metadata.labels ?? {}, next.metadata.labels) &&
    sameValue(slice.metadata.annotations ?? {}, next.metadata.annotations)
  );
}

const portOf = ({ name = "", port, protocol = "TCP", appProtocol }: CorePort): EndpointPort => ({
  name,
  port,
  protocol,
  ...(appProtocol === undefined ? {} : { appProtocol }),
});

const endpointOf = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname ? { hostname } : {}),
  ...(nodeName ? { nodeName } : {}),
  ...(targetRef === undefined ? {} : { targetRef }),
});
