/** Checks of network policies: ports, peers and ranges of addresses. */

import { parseIp } from "../../../base/ip-address.ts";
import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { cidrVersion, isPortName, isPortNumber } from "../../../machinery/meta/names.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { protocols } from "../../core/v1/protocols.ts";
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from "./network-policy.ts";

const policyTypes = ["Egress", "Ingress"];

export function validateNetworkPolicySpec(spec: NetworkPolicySpec): FieldError[] {
  return [
    ...validateLabelSelector(spec.podSelector, "spec.podSelector"),
    ...(spec.ingress ?? []).flatMap(({ ports, from }, index) =>
      validateRule(ports ?? [], from ?? [], `spec.ingress[${index}]`, "from"),
    ),
    ...(spec.egress ?? []).flatMap(({ ports, to }, index) =>
      validateRule(ports ?? [], to ?? [], `spec.egress[${index}]`, "to"),
    ),
    ...validateTypes(spec.policyTypes ?? []),
  ];
}

function validateTypes(types: readonly string[]): FieldError[] {
  if (types.length > policyTypes.length) return [invalid("spec.policyTypes", types, "must not have more than two")];
  return types.flatMap((type, index) =>
    policyTypes.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, policyTypes)],
  );
}

function validateRule(
  ports: readonly NetworkPolicyPort[],
  peers: readonly NetworkPolicyPeer[],
  path: string,
  side: "from" | "to",
): FieldError[] {
  return [
    ...ports.flatMap((port, index) => validatePort(port, `${path}.ports[${index}]`)),
    ...peers.flatMap((peer, index) => validatePeer(peer, `${path}.${side}[${index}]`)),
  ];
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupported(`${path}.protocol`, protocol, protocols));
  }
  if (typeof port !== "number") {
    if (port !== undefined) errors.push(...isPortName(port).map((problem) => invalid(`${path}.port`, port, problem)));
    if (endPort !== undefined) errors.push(invalid(`${path}.endPort`, endPort, "needs a port that is a number"));
    return errors;
  }
  errors.push(...isPortNumber(port).map((problem) => invalid(`${path}.port`, port, problem)));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalid(`${path}.endPort`, endPort, "must be greater than or equal to `port`"));
  return [...errors, ...isPortNumber(endPort).map((problem) => invalid(`${path}.endPort`, endPort, problem))];
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (podSelector) addTo(errors, validateLabelSelector(podSelector, `${path}.podSelector`));
  if (namespaceSelector) addTo(errors, validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`));
  if (ipBlock) addTo(errors, validateIpBlock(ipBlock, `${path}.ipBlock`));
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(path, "must name a peer"));
  else if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbidden(path, "must not name ipBlock together with another peer"));
  }
  return errors;
}

function validateIpBlock({ cidr, except = [] }: IPBlock, path: string): FieldError[] {
  if (cidr === "") return [required(`${path}.cidr`)];
  if (cidrVersion(cidr) === 0) return [invalid(`${path}.cidr`, cidr, "must be a range of addresses")];
  const errors: FieldError[] = [];
  const whole = addressRange(cidr);
  for (const [index, range] of except.entries()) {
    const at = `${path}.except[${index}]`;
    if (cidrVersion(range) === 0) return [...errors, invalid(at, range, "must be a range of addresses")];
    if (!isWithin(addressRange(range), whole)) errors.push(invalid(at, range, "must be a strict subset of `cidr`"));
  }
  return errors;
}

interface AddressRange {
  readonly version: 4 | 6;
  /** The part of the address that all addresses of the range share, and how many bits that is. */
  readonly network: bigint;
  readonly networkBits: number;
}

/** Of a text that has been checked. */
function addressRange(text: string): AddressRange {
  const [ip = "", length = ""] = text.split("/");
  const { version, value } = parseIp(ip)!; // it has been checked
  // An IPv4 address that is written as IPv6 counts the bits before it as well.
  const networkBits = version === 4 && ip.includes(":") ? Number(length) - 96 : Number(length);
  return { version, network: value >> BigInt((version === 4 ? 32 : 128) - networkBits), networkBits };
}

/** Whether a range is a smaller part of another. */
function isWithin(inner: AddressRange, outer: AddressRange): boolean {
  if (inner.version !== outer.version || inner.networkBits <= outer.networkBits) return false;
  return inner.network >> BigInt(inner.networkBits - outer.networkBits) === outer.network;
}
