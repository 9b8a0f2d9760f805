/** The fields of network policies. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, intOrString, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { type FieldErrors, invalid, noErrors, notSupported, ofEach } from "../../../machinery/status/field-error.ts";
import { readRange } from "../../address-forms.ts";
import { protocols } from "../../core/v1/protocols.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const IPBlock = struct("networking.v1.IPBlock", {
  cidr: string()
    .at(1)
    .required()
    .checked((cidr, path, environment) =>
      readRange(cidr, environment) !== undefined ? noErrors : [invalid(path, cidr, "must be a range of addresses")],
    )
    .doc("The block, such as 192.168.1.0/24 or 2001:db8::/64."),
  except: elided(list(string())).at(2).doc("Ranges within cidr that are excluded."),
});
export type IPBlock = Static<typeof IPBlock>;

export const NetworkPolicyPort = struct("networking.v1.NetworkPolicyPort", {
  protocol: optional(string()).at(1).oneOf(protocols).default("TCP").doc("TCP, UDP or SCTP. Default: TCP."),
  port: optional(intOrString()).at(2).named("port").doc("The port, by number or name. Absent: all ports."),
  endPort: optional(int32())
    .at(3)
    .atLeast(1)
    .atMost(65535)
    .behind("NetworkPolicyEndPort")
    .doc("The last port of a range that begins at port; needs the feature gate NetworkPolicyEndPort."),
});
export type NetworkPolicyPort = Static<typeof NetworkPolicyPort>;

export const NetworkPolicyPeer = struct("networking.v1.NetworkPolicyPeer", {
  podSelector: optional(LabelSelector)
    .at(1)
    .checked(validateLabelSelector)
    .doc("Labels of the pods; in the namespace of the policy unless namespaceSelector is set. Empty: all pods."),
  namespaceSelector: optional(LabelSelector)
    .at(2)
    .checked(validateLabelSelector)
    .doc("Labels of the namespaces of the pods. Empty: all namespaces."),
  ipBlock: optional(IPBlock).at(3).doc("A block of IP addresses; excludes the selectors."),
});
export type NetworkPolicyPeer = Static<typeof NetworkPolicyPeer>;

const NetworkPolicyEgressRule = struct("networking.v1.NetworkPolicyEgressRule", {
  ports: elided(list(NetworkPolicyPort)).at(1).doc("Ports that traffic may go to. Empty: all."),
  to: elided(list(NetworkPolicyPeer)).at(2).doc("Where traffic may go to. Empty: everywhere."),
});

const NetworkPolicyIngressRule = struct("networking.v1.NetworkPolicyIngressRule", {
  ports: elided(list(NetworkPolicyPort)).at(1).doc("Ports that traffic may come to. Empty: all."),
  from: elided(list(NetworkPolicyPeer)).at(2).doc("Where traffic may come from. Empty: everywhere."),
});

const policyTypes = ["Egress", "Ingress"];

/** v1.21 does not look at each of too many types. */
const validatePolicyTypes = (types: readonly string[]): FieldErrors =>
  types.length > policyTypes.length
    ? [invalid("", types, "must not have more than two")]
    : ofEach(types, (type, index) =>
        policyTypes.includes(type) ? noErrors : [notSupported(`[${index}]`, type, policyTypes)],
      );

export const NetworkPolicySpec = struct(
  "networking.v1.NetworkPolicySpec",
  {
    podSelector: LabelSelector.at(1)
      .from("1.34", (podSelector) => podSelector.listed(false))
      .checked(validateLabelSelector)
      .doc("Labels of the pods that the policy is for. Empty: all pods of the namespace."),
    ingress: elided(list(NetworkPolicyIngressRule)).at(2).doc("Traffic that may reach the pods. Empty: none."),
    egress: elided(list(NetworkPolicyEgressRule))
      .at(3)
      .doc("Traffic that may leave the pods. Empty: none, if policyTypes has Egress."),
    policyTypes: elided(list(string().openApiEnum(policyTypes)))
      .at(4)
      .checked(validatePolicyTypes)
      .doc("Ingress, Egress or both. Absent: Ingress, and Egress if there are egress rules."),
  },
  {
    defaults(spec) {
      if ((spec.policyTypes ?? []).length > 0) return;
      spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    },
  },
);
export type NetworkPolicySpec = Static<typeof NetworkPolicySpec>;
