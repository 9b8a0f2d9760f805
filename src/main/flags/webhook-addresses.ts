/** Which addresses webhooks may have: a user who configures a webhook decides where this server connects to. */

import { addressScope } from "../../base/address-scope.ts";
import type { AddressCheck } from "../../base/https-call.ts";
import { parseIp } from "../../base/ip-address.ts";
import { interfaceAddresses, isLoopback } from "../addresses.ts";

export const localTargetChoices = ["auto", "allow", "deny"] as const;
export type LocalTargets = (typeof localTargetChoices)[number];

/** Where clouds serve secrets of the machine outside its link. */
export const metadataAddresses: readonly string[] = ["fd00:ec2::254", "100.100.100.200", "168.63.129.16"];

export const workspaceTargetChoices = ["deny", "allow"] as const;
export type WorkspaceTargets = (typeof workspaceTargetChoices)[number];

interface WorkspaceAddressesOptions {
  /** "allow": what the root may call, its workspaces may call too. */
  readonly local: WorkspaceTargets;
  /** Those of webhooks of the root. */
  readonly rootAddresses: AddressCheck;
}

/**
 * Which addresses webhooks and aggregated servers of workspaces may have. Who configures them there has no right at the root, and
 * must not get at what listens on this machine for itself: whatever address of the machine it has.
 */
export function workspaceAddresses({ local, rootAddresses }: WorkspaceAddressesOptions): AddressCheck {
  if (local === "allow") return rootAddresses;
  return (address, port) =>
    addressScope(address) === "global" &&
    !isOfMachine(address) &&
    !metadataAddresses.some((one) => sameAddress(one, address)) &&
    rootAddresses(address, port);
}

const isOfMachine = (address: string) => interfaceAddresses().some((one) => sameAddress(one, address));

/** An IPv4 address may be written as one of IPv6. */
function sameAddress(one: string, other: string): boolean {
  const [first, second] = [parseIp(one), parseIp(other)];
  if (first === undefined || second === undefined) return false;
  return first.version === second.version ? first.value === second.value : mapped(first) === mapped(second);
}

const mapped = ({ version, value }: NonNullable<ReturnType<typeof parseIp>>) =>
  version === 4 ? (0xffffn << 32n) | value : value;

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
