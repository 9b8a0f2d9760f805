/** Distributes endpoints over slices: existing ones stay where they are, and the rest is added with the fewest writes. */

import type { Endpoint, EndpointPort } from "../../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { printSorted } from "../../../machinery/json/go-json.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";

export interface SliceChanges {
  /** Without a name. */
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly delete: EndpointSlice[];
}

export const noChanges = (): SliceChanges => ({ create: [], update: [], delete: [] });

/** Slices are grouped by their ports, in whatever order these are. */
export function portsKey(ports: readonly EndpointPort[] | null): string {
  if (ports === null) return "";
  let key = keysOfPorts.get(ports);
  if (key === undefined) {
    key = ports
      .map(({ name = "", protocol = "TCP", port, appProtocol }) => JSON.stringify([name, protocol, port, appProtocol]))
      .sort()
      .join();
    keysOfPorts.set(ports, key);
  }
  return key;
}

/** Of lists that do not change: there may be thousands of ports, and many ask for the key of the same list. */
const keysOfPorts = new WeakMap<readonly EndpointPort[], string>();

/** The identity of an endpoint, whatever its state. */
export const endpointKey = ({ addresses, hostname, targetRef }: Endpoint): string =>
  printSorted([[...(addresses ?? [])].sort(), hostname, targetRef?.namespace, targetRef?.name]);

/** The revision of the pod does not count: most changes of pods do not matter here. */
export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  const facts = ({ nodeName, zone, conditions, hints, targetRef }: Endpoint) => {
    const { resourceVersion: _, ...target } = targetRef ?? {};
    return { nodeName, zone, conditions, hints, target };
  };
  return sameValue(facts(a), facts(b));
}

interface Packing {
  /** The slices of one port mapping. */
  readonly existing: readonly EndpointSlice[];
  readonly desired: ReadonlyMap<string, Endpoint>;
  readonly endpointsMax: number;
  /** A slice without endpoints and name. */
  readonly empty: () => EndpointSlice;
  /** The labels that the slice should have. */
  readonly labelsOf: (slice: EndpointSlice) => Record<string, string>;
}

export function pack({ existing, desired, endpointsMax, empty, labelsOf }: Packing): SliceChanges {
  const changes = noChanges();
  const left = new Map(desired);
  const unchanged: EndpointSlice[] = [];
  for (const slice of existing) {
    const kept: Endpoint[] = [];
    let isChanged = false;
    for (const endpoint of slice.endpoints ?? []) {
      const wanted = left.get(endpointKey(endpoint));
      if (wanted === undefined) continue;
      left.delete(endpointKey(endpoint));
      kept.push(wanted);
      isChanged ||= !sameEndpoint(wanted, endpoint);
    }
    const labels = labelsOf(slice);
    isChanged ||= kept.length !== (slice.endpoints ?? []).length;
    const next = { ...slice, metadata: { ...slice.metadata, labels }, endpoints: kept };
    if (isChanged && kept.length === 0) changes.delete.push(slice);
    else if (isChanged || !sameValue(slice.metadata.labels ?? {}, labels)) changes.update.push(next);
    else unchanged.push(next);
  }
  const fill = (slice: EndpointSlice) => {
    for (const [key, endpoint] of left) {
      if (slice.endpoints.length >= endpointsMax) return;
      slice.endpoints.push(endpoint);
      left.delete(key);
    }
  };
  // The fullest first: slices that are written anyway cost nothing more.
  for (const slice of changes.update.sort((a, b) => b.endpoints.length - a.endpoints.length)) fill(slice);
  while (left.size > 0) {
    const slice = left.size < endpointsMax ? fullestWithRoom(unchanged, left.size, endpointsMax) : undefined;
    if (slice !== undefined) {
      unchanged.splice(unchanged.indexOf(slice), 1);
      changes.update.push(slice);
      fill(slice);
    } else {
      const made = empty();
      changes.create.push(made);
      fill(made);
    }
  }
  return changes;
}

/** The one that is closest to full and has room for all of them. */
function fullestWithRoom(
  slices: readonly EndpointSlice[],
  count: number,
  endpointsMax: number,
): EndpointSlice | undefined {
  return slices
    .filter(({ endpoints }) => endpoints.length + count <= endpointsMax)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)[0];
}

/** A slice to delete gets the content of one to create, if address type and owner are the same. */
export function reuseNames(changes: SliceChanges, isOwned: (slice: EndpointSlice) => boolean): SliceChanges {
  const create = [...changes.create];
  const update = [...changes.update];
  const surplus = changes.delete.filter((slice) => {
    const next = create.at(-1);
    if (next === undefined || next.addressType !== slice.addressType || !isOwned(slice)) return true;
    create.pop();
    const { name = "", resourceVersion = "" } = slice.metadata;
    update.push({ ...next, metadata: { ...next.metadata, name, resourceVersion } });
    return false;
  });
  return { create, update, delete: surplus };
}
