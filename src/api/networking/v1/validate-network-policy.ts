/** Relations between the fields of network policies: ports, peers and ranges of addresses. */

import { parseIp } from "../../../base/ip-address.ts";
import { cidrVersion, isPortName, isPortNumber } from "../../../machinery/meta/names.ts";
import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import {
  each,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../machinery/status/field-error.ts";
import { IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from "./policy-spec.ts";

const policyTypes = ["Egress", "Ingress"];

export const policyRelations: readonly Relation[] = [
  on(NetworkPolicySpec, ({ policyTypes: types = [] }) =>
    // v1.21 does not look at each of too many types.
    types.length > policyTypes.length
      ? [invalid("policyTypes", types, "must not have more than two")]
      : types.flatMap((type, index) =>
          policyTypes.includes(type) ? [] : [notSupported(`policyTypes[${index}]`, type, policyTypes)],
        ),
  ),
  on(NetworkPolicyPort, validatePort),
  on(NetworkPolicyPeer, ({ podSelector, namespaceSelector, ipBlock }) => {
    if (!podSelector && !namespaceSelector && !ipBlock) return [required("", "must name a peer")];
    return ipBlock && (podSelector || namespaceSelector)
      ? [forbidden("", "must not name ipBlock together with another peer")]
      : [];
  }),
  on(IPBlock, validateExceptions),
];

function validatePort({ port, endPort }: NetworkPolicyPort): FieldErrors {
  if (typeof port !== "number") {
    return [
      ...(port === undefined ? [] : each(isPortName(port), "port", port)),
      ...(endPort === undefined ? [] : [invalid("endPort", endPort, "needs a port that is a number")]),
    ];
  }
  const errors = each(isPortNumber(port), "port", port);
  if (endPort === undefined) return errors;
  return [
    ...errors,
    ...(endPort < port ? [invalid("endPort", endPort, "must be greater than or equal to `port`")] : []),
    ...each(isPortNumber(endPort), "endPort", endPort),
  ];
}

/** The first that is not a range ends the check, as in v1.21. */
function validateExceptions({ cidr, except = [] }: IPBlock): FieldErrors {
  if (cidrVersion(cidr) === 0) return [];
  const errors: FieldError[] = [];
  const whole = addressRange(cidr);
  for (const [index, range] of except.entries()) {
    const at = `except[${index}]`;
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

/** Reads a text that has been checked. */
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
