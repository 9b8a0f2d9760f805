/** Subsets of an Endpoints object: addresses with the same ports together, each address once. */

import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../../api/core/v1/endpoints.ts";
import { Pace, type Steps } from "../../../base/time-slice.ts";
import { printSorted } from "../../../machinery/json/go-json.ts";

/** Ports of all combinations of subsets that addresses are in, together. What has more could not be stored. */
export const combinedPortsMax = 250_000;

/** What one subset says about an address. */
interface Part {
  readonly ports: readonly EndpointPort[];
  readonly isReady: boolean;
}

/** Addresses that are in the same subsets, and so have the same ports. */
interface AddressGroup {
  readonly parts: readonly Part[];
  readonly addresses: EndpointAddress[];
}

/** In an order that depends on nothing but the content. Subsets may share a list of ports: it is read once. */
export function* repackSubsets(subsets: readonly EndpointSubset[]): Steps<EndpointSubset[]> {
  const byPorts = new Map<string, Required<EndpointSubset>>();
  const printed = new Map<EndpointPort, string>();
  let combined = 0;
  for (const { parts, addresses } of yield* groupAddresses(subsets)) {
    const ports = yield* combine(parts, printed);
    combined += ports.size;
    if (combined > combinedPortsMax)
      throw new Error(`the subsets combine to more than ${combinedPortsMax} ports of addresses`);
    const isReadyAlone = parts.every(({ isReady }) => isReady);
    for (const isReady of [true, false]) {
      const same = [...ports.values()].filter((each) => each.ready === isReady).map(({ port }) => port);
      if (same.length === 0 && (ports.size > 0 || isReadyAlone !== isReady)) continue;
      yield;
      const subset = subsetOf(byPorts, same, printed);
      for (const address of addresses) (isReady ? subset.addresses : subset.notReadyAddresses).push(address);
    }
    yield;
  }
  return [...byPorts.entries()].sort(byKey).map(([, subset]) => tidy(subset));
}

function* groupAddresses(subsets: readonly EndpointSubset[]): Steps<Iterable<AddressGroup>> {
  const pace = new Pace();
  const lists = new Map<readonly EndpointPort[], number>();
  const byAddress = new Map<string, { address: EndpointAddress; parts: Part[]; key: string }>();
  for (const { addresses = [], notReadyAddresses = [], ports = noPorts } of subsets) {
    const list = lists.get(ports) ?? lists.size;
    lists.set(ports, list);
    for (const isReady of [true, false]) {
      const part = { ports, isReady };
      for (const address of isReady ? addresses : notReadyAddresses) {
        const known = byAddress.get(addressKey(address)) ?? { address, parts: [], key: "" };
        byAddress.set(addressKey(address), known);
        known.parts.push(part);
        known.key += `${list}${isReady ? "+" : "-"}`;
        if (pace.isDue) yield;
      }
    }
  }
  const groups = new Map<string, AddressGroup>();
  for (const { address, parts, key } of byAddress.values()) {
    const group = groups.get(key) ?? { parts, addresses: [] };
    groups.set(key, group);
    group.addresses.push(address);
    if (pace.isDue) yield;
  }
  return groups.values();
}

const noPorts: readonly EndpointPort[] = [];

type CombinedPorts = Map<string, { readonly port: EndpointPort; readonly ready: boolean }>;

function* combine(parts: readonly Part[], printed: Map<EndpointPort, string>): Steps<CombinedPorts> {
  const pace = new Pace();
  const combined: CombinedPorts = new Map();
  for (const { ports, isReady } of parts)
    for (const port of ports) {
      const key = printed.get(port) ?? printSorted(port);
      printed.set(port, key);
      // An address that is listed as ready and as not ready is not ready.
      combined.set(key, { port, ready: isReady && (combined.get(key)?.ready ?? true) });
      if (pace.isDue) yield;
    }
  return combined;
}

function subsetOf(
  byPorts: Map<string, Required<EndpointSubset>>,
  ports: readonly EndpointPort[],
  printed: ReadonlyMap<EndpointPort, string>,
): Required<EndpointSubset> {
  const keyed = ports.map((port) => [portKey(port), port] as const).sort(byKey);
  const sorted = keyed.map(([, port]) => port);
  const key = `[${sorted.map((port) => printed.get(port)).join()}]`;
  const subset = byPorts.get(key) ?? { addresses: [], notReadyAddresses: [], ports: sorted };
  byPorts.set(key, subset);
  return subset;
}

/** Empty lists are omitted, as on the server. */
function tidy({ addresses, notReadyAddresses, ports }: Required<EndpointSubset>): EndpointSubset {
  const sorted = (list: EndpointAddress[]) => list.sort((a, b) => compare(addressKey(a), addressKey(b)));
  return {
    ...(addresses.length > 0 ? { addresses: sorted(addresses) } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses: sorted(notReadyAddresses) } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}

const addressKey = ({ ip, targetRef }: EndpointAddress) => `${ip} ${targetRef?.uid ?? ""}`;
const portKey = ({ name = "", port, protocol = "" }: EndpointPort) =>
  `${name} ${String(port).padStart(5, "0")} ${protocol}`;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => compare(a, b);
