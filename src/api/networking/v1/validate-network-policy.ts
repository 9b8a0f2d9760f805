/** Checks of network policies: ports, peers and ranges of addresses. */

import { BlockList } from "node:net";
import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { cidrVersion, isPortName, isPortNumber } from "../../../machinery/meta/names.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { protocols } from "../../core/v1/endpoints.ts";
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
  if (protocol !== undefined && !(protocols as readonly string[]).includes(protocol)) {
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
  if (podSelector) errors.push(...validateLabelSelector(podSelector, `${path}.podSelector`));
  if (namespaceSelector) errors.push(...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`));
  if (ipBlock) errors.push(...validateIpBlock(ipBlock, `${path}.ipBlock`));
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
  for (const [index, range] of except.entries()) {
    const at = `${path}.except[${index}]`;
    if (cidrVersion(range) === 0) return [...errors, invalid(at, range, "must be a range of addresses")];
    if (!isWithin(range, cidr)) errors.push(invalid(at, range, "must be a strict subset of `cidr`"));
  }
  return errors;
}

/** Whether a range is a smaller part of another; both have been checked. */
function isWithin(inner: string, outer: string): boolean {
  if (cidrVersion(inner) !== cidrVersion(outer)) return false;
  const family = cidrVersion(inner) === 4 ? "ipv4" : "ipv6";
  const [innerIp = "", innerBits = ""] = inner.split("/");
  const [outerIp = "", outerBits = ""] = outer.split("/");
  const list = new BlockList();
  list.addSubnet(outerIp, Number(outerBits), family);
  return Number(innerBits) > Number(outerBits) && list.check(innerIp, family);
}
