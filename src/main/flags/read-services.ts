/** The settings of services, and of the objects by which servers know each other, from flags. */

import { parseAddressRanges, parsePortRange } from "../../actions/services/address-range.ts";
import { FlagError } from "../../base/flags/flag.ts";
import type { IdentityLease } from "../../upkeep/contract.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { defaultServiceRanges, type ServiceRanges } from "../services.ts";

type ServiceFlags = Pick<
  ApiServerFlags,
  | "service-cluster-ip-range"
  | "service-node-port-range"
  | "orch-service-node-port"
  | "secure-port"
  | "endpoint-reconciler-type"
  | "apiserver-count"
>;

export function readServiceFlags(flags: ServiceFlags): ServiceRanges {
  if (flags["apiserver-count"] <= 0) {
    throw new FlagError(`--apiserver-count must be a positive number, not ${flags["apiserver-count"]}`);
  }
  return {
    addresses: readServiceAddresses(flags),
    nodePorts: useFlag("service-node-port-range", () => parsePortRange(flags["service-node-port-range"])),
    ownNodePort: flags["orch-service-node-port"],
    ownPort: flags["secure-port"] || defaultServiceRanges.ownPort,
    reconciler: { type: flags["endpoint-reconciler-type"], serverCount: flags["apiserver-count"] },
  };
}

export function readServiceAddresses(
  flags: Pick<ServiceFlags, "service-cluster-ip-range">,
): ServiceRanges["addresses"] {
  const text = flags["service-cluster-ip-range"];
  if (text === "") return defaultServiceRanges.addresses;
  return useFlag("service-cluster-ip-range", () => parseAddressRanges(text));
}

type IdentityFlags = Pick<ApiServerFlags, "identity-lease-duration-seconds" | "identity-lease-renew-interval-seconds">;

export function readIdentityLease(flags: IdentityFlags): IdentityLease {
  for (const name of ["identity-lease-duration-seconds", "identity-lease-renew-interval-seconds"] as const) {
    if (flags[name] <= 0) throw new FlagError(`--${name} must be a positive number, not ${flags[name]}`);
  }
  return {
    durationSeconds: flags["identity-lease-duration-seconds"],
    renewIntervalMs: flags["identity-lease-renew-interval-seconds"] * 1_000,
  };
}

function useFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FlagError(`--${flag}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
