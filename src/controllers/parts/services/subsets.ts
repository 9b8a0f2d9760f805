/** Subsets of an Endpoints object: addresses with the same ports together, each address once. */

import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../../api/core/v1/endpoints.ts";
import { printSorted } from "../../../machinery/json/go-json.ts";

interface Gathered {
  readonly address: EndpointAddress;
  readonly ports: Map<string, { readonly port: EndpointPort; ready: boolean }>;
  /** Whether it is ready where it has no port. */
  ready: boolean;
}

/** In an order that depends on nothing but the content. */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const byAddress = new Map<string, Gathered>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const address of addresses) gather(byAddress, address, ports, true);
    for (const address of notReadyAddresses) gather(byAddress, address, ports, false);
  }
  const byPorts = new Map<string, Required<EndpointSubset>>();
  for (const { address, ports, ready } of byAddress.values()) {
    for (const isReady of [true, false]) {
      const same = [...ports.values()].filter((each) => each.ready === isReady).map(({ port }) => port);
      if (same.length > 0 || (ports.size === 0 && ready === isReady)) put(byPorts, address, same, isReady);
    }
  }
  return [...byPorts.entries()].sort(byKey).map(([, subset]) => tidy(subset));
}

function gather(
  byAddress: Map<string, Gathered>,
  address: EndpointAddress,
  ports: readonly EndpointPort[],
  ready: boolean,
): void {
  const key = `${address.ip} ${address.targetRef?.uid ?? ""}`;
  const found = byAddress.get(key) ?? { address, ports: new Map(), ready };
  byAddress.set(key, found);
  found.ready &&= ready;
  for (const port of ports) {
    const known = found.ports.get(printSorted(port));
    // An address that is listed as ready and as not ready is not ready.
    found.ports.set(printSorted(port), { port, ready: ready && (known?.ready ?? true) });
  }
}

function put(
  byPorts: Map<string, Required<EndpointSubset>>,
  address: EndpointAddress,
  ports: EndpointPort[],
  isReady: boolean,
): void {
  const sorted = [...ports].sort((a, b) => compare(portKey(a), portKey(b)));
  const key = printSorted(sorted);
  const subset = byPorts.get(key) ?? { addresses: [], notReadyAddresses: [], ports: sorted };
  byPorts.set(key, subset);
  (isReady ? subset.addresses : subset.notReadyAddresses).push(address);
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
