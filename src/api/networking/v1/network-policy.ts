/** A NetworkPolicy defines which traffic pods may receive and send. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { rangeWarnings, takesOddForms } from "../../address-forms.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { selectorText } from "../../meta/selector-text.ts";
import { type NetworkPolicyPort, NetworkPolicySpec } from "./policy-spec.ts";
import { policyRelations } from "./validate-network-policy.ts";

export const NetworkPolicy = kind({
  group: "networking.orch.io",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  scope: "Namespaced",
  shortNames: ["netpol"],
  doc: "A NetworkPolicy defines which traffic pods may receive and send.",
  fields: {
    spec: elided(NetworkPolicySpec).at(2).doc("The desired state of the network policy, set by its users."),
  },
  compat: { reportedGroup: "extensions" },
  from: { "1.22": { compat: {} } },
  warnings: ({ spec }, _old, environment) => (takesOddForms(environment) ? blockWarnings(spec) : []),
  generation: "literal",
  prepareForCreate(policy, { gates }) {
    if (!gates.enabled("NetworkPolicyEndPort")) dropEndPorts(policy.spec);
  },
  prepareForUpdate(policy, old, { gates }) {
    const isUsed = portsOf(old.spec).some(({ endPort }) => endPort !== undefined);
    if (!gates.enabled("NetworkPolicyEndPort") && !isUsed) dropEndPorts(policy.spec);
  },
  relations: policyRelations,
  columns: (column) => [
    nameColumn,
    column("Pod-Selector", (policy) => selectorText(policy.spec?.podSelector)),
    ageColumn,
  ],
});
export type NetworkPolicy = Static<typeof NetworkPolicy>;

const blockWarnings = (spec: NetworkPolicySpec | undefined): string[] =>
  (["ingress", "egress"] as const).flatMap((side) =>
    (spec?.[side] ?? []).flatMap((rule, index) => {
      const [name, peers] =
        "to" in rule ? (["to", rule.to] as const) : (["from", "from" in rule ? rule.from : []] as const);
      return (peers ?? []).flatMap(({ ipBlock }, at) => {
        const path = `spec.${side}[${index}].${name}[${at}].ipBlock`;
        return [
          ...rangeWarnings(ipBlock?.cidr ?? "", `${path}.cidr`),
          ...(ipBlock?.except ?? []).flatMap((range, position) => rangeWarnings(range, `${path}.except[${position}]`)),
        ];
      });
    }),
  );

const portsOf = (spec: NetworkPolicySpec | undefined): NetworkPolicyPort[] =>
  [...(spec?.ingress ?? []), ...(spec?.egress ?? [])].flatMap(({ ports }) => ports ?? []);

function dropEndPorts(spec: NetworkPolicySpec | undefined): void {
  for (const port of portsOf(spec)) delete port.endPort;
}
