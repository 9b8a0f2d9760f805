/** The settings of services from flags. */

import { parseAddressRanges, parsePortRange } from "../../strategies/services/address-range.ts";
import type { ApiServerFlags } from "../apiserver.ts";
import { defaultServiceRanges, type ServiceRanges } from "../services.ts";
import { FlagError } from "./flag.ts";

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
  const addresses = flags["service-cluster-ip-range"];
  if (flags["apiserver-count"] <= 0) {
    throw new FlagError(`--apiserver-count must be a positive number, not ${flags["apiserver-count"]}`);
  }
  return {
    addresses:
      addresses === ""
        ? defaultServiceRanges.addresses
        : useFlag("service-cluster-ip-range", () => parseAddressRanges(addresses)),
    nodePorts: useFlag("service-node-port-range", () => parsePortRange(flags["service-node-port-range"])),
    ownNodePort: flags["orch-service-node-port"],
    ownPort: flags["secure-port"] || defaultServiceRanges.ownPort,
    reconciler: { type: flags["endpoint-reconciler-type"], serverCount: flags["apiserver-count"] },
  };
}

function useFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FlagError(`--${flag}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
