/** Ports of its node that a pod wants. */

import type { PodSpec } from "./spec.ts";

export interface HostPort {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
}

const anyAddress = "0.0.0.0";

export const hostPortsOf = (spec: Pick<PodSpec, "containers"> | undefined): readonly HostPort[] =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ protocol = "TCP", hostIP = "", hostPort = 0 }) => ({
        protocol,
        address: hostIP === "" ? anyAddress : hostIP,
        port: hostPort,
      })),
  );

/**
 * Whether one of other ports of a node is one of these: each address conflicts with the one that stands for all. Costs as much as the other
 * ports, however many these are.
 */
export function portConflicts(wanted: readonly HostPort[]): (taken: readonly HostPort[]) => boolean {
  const addresses = new Map<number, Map<string, Set<string>>>();
  for (const { port, protocol, address } of wanted) {
    const ofPort = addresses.get(port) ?? new Map<string, Set<string>>();
    addresses.set(port, ofPort.set(protocol, (ofPort.get(protocol) ?? new Set()).add(address)));
  }
  const isWanted = ({ port, protocol, address }: HostPort): boolean => {
    const wantedOf = addresses.get(port)?.get(protocol);
    return wantedOf !== undefined && (address === anyAddress || wantedOf.has(address) || wantedOf.has(anyAddress));
  };
  return (taken) => taken.some(isWanted);
}
