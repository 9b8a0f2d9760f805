/** A NetworkPolicy says which traffic pods may receive and send. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, intOrString, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const IPBlock = struct("networking.v1.IPBlock", {
  cidr: string().at(1),
  except: elided(list(string())).at(2),
});
export type IPBlock = Static<typeof IPBlock>;

export const NetworkPolicyPort = struct("networking.v1.NetworkPolicyPort", {
  protocol: optional(string()).at(1),
  port: optional(intOrString()).at(2),
  endPort: optional(int32()).at(3),
});
export type NetworkPolicyPort = Static<typeof NetworkPolicyPort>;

export const NetworkPolicyPeer = struct("networking.v1.NetworkPolicyPeer", {
  podSelector: optional(LabelSelector).at(1),
  namespaceSelector: optional(LabelSelector).at(2),
  ipBlock: optional(IPBlock).at(3),
});
export type NetworkPolicyPeer = Static<typeof NetworkPolicyPeer>;

export const NetworkPolicyEgressRule = struct("networking.v1.NetworkPolicyEgressRule", {
  ports: elided(list(NetworkPolicyPort)).at(1),
  to: elided(list(NetworkPolicyPeer)).at(2),
});
export type NetworkPolicyEgressRule = Static<typeof NetworkPolicyEgressRule>;

export const NetworkPolicyIngressRule = struct("networking.v1.NetworkPolicyIngressRule", {
  ports: elided(list(NetworkPolicyPort)).at(1),
  from: elided(list(NetworkPolicyPeer)).at(2),
});
export type NetworkPolicyIngressRule = Static<typeof NetworkPolicyIngressRule>;

export const NetworkPolicySpec = struct("networking.v1.NetworkPolicySpec", {
  podSelector: LabelSelector.at(1),
  ingress: elided(list(NetworkPolicyIngressRule)).at(2),
  egress: elided(list(NetworkPolicyEgressRule)).at(3),
  policyTypes: elided(list(string())).at(4),
});
export type NetworkPolicySpec = Static<typeof NetworkPolicySpec>;

export const NetworkPolicy = kind({
  group: "networking.orch.io",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  scope: "Namespaced",
  shortNames: ["netpol"],
  doc: "A NetworkPolicy says which traffic pods may receive and send.",
  fields: {
    spec: elided(NetworkPolicySpec).at(2),
  },
});
export type NetworkPolicy = Static<typeof NetworkPolicy>;
