/** Which addresses webhooks may have: a user who configures a webhook decides where this server connects to. */

import { addressScope } from "../../base/address-scope.ts";
import type { AddressCheck } from "../../base/https-call.ts";
import { interfaceAddresses, isLoopback } from "../addresses.ts";

export const localTargetChoices = ["auto", "allow", "deny"] as const;
export type LocalTargets = (typeof localTargetChoices)[number];

interface WebhookAddressesOptions {
  /**
   * Whether webhooks may be on this machine. "auto": only if the server too is reachable only from this machine, since then a
   * webhook gives no further access. "allow" also admits link-local addresses, at which clouds serve secrets.
   */
  readonly local: LocalTargets;
  readonly bindAddress: string;
  /** The port this server listens on; undefined: none yet. */
  readonly ownPort: () => number | undefined;
}

export function webhookAddresses({ local, bindAddress, ownPort }: WebhookAddressesOptions): AddressCheck {
  const loopback = local === "allow" || (local === "auto" && isLoopback(bindAddress));
  return (address, port) => {
    switch (addressScope(address)) {
      case "global":
        return port !== ownPort() || !interfaceAddresses().includes(address);
      case "loopback":
        // A server that calls itself as a webhook would wait for itself.
        return loopback && port !== ownPort();
      case "link-local":
        return local === "allow" && port !== ownPort();
      default:
        return false;
    }
  };
}
