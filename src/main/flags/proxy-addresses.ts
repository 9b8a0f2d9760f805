/** Which addresses proxied requests may go to: users who write the status of a pod or node decide where this server connects to. */

import { addressScope } from "../../base/address-scope.ts";
import type { AddressCheck } from "../../base/https-call.ts";
import { formatIp, parseIp } from "../../base/ip-address.ts";
import { interfaceAddresses } from "../addresses.ts";

export const proxyTargetChoices = ["deny", "allow"] as const;
export type ProxyTargets = (typeof proxyTargetChoices)[number];

interface ProxyAddressesOptions {
  /** Whether pods and nodes may be on this machine or on its link. */
  readonly local: ProxyTargets;
  /** The port this server listens on; undefined: none yet. */
  readonly ownPort: () => number | undefined;
  /** Further addresses of this server (--advertise-address), which need not be on an interface of this machine. */
  readonly advertised: readonly string[];
}

export function proxyAddresses({ local, ownPort, advertised }: ProxyAddressesOptions): AddressCheck {
  return (address, port) => {
    const scope = addressScope(address);
    if (scope === undefined || scope === "unspecified" || scope === "multicast") return false;
    const isOwn = scope === "loopback" || isAmong(address, [...interfaceAddresses(), ...advertised]);
    // A request to itself would have this server's own identity, whatever the flag says.
    if (isOwn && port === ownPort()) return false;
    return local === "allow" || (scope === "global" && !isOwn);
  };
}

function isAmong(address: string, others: readonly string[]): boolean {
  const wanted = plain(address);
  return others.some((other) => plain(other) === wanted);
}

/** One spelling for each address. */
function plain(text: string): string {
  const ip = parseIp(text.split("%")[0]!);
  return ip === undefined ? text : formatIp(ip);
}
