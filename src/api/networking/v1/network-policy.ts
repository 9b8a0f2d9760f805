/** A NetworkPolicy defines which traffic pods may receive and send. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, struct } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { rangeWarnings, warnsOfOddForms } from "../../address-forms.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";
import { selectorText } from "../../meta/selector-text.ts";
import { NetworkPolicySpec } from "./policy-spec.ts";
import { policyRelations } from "./validate-network-policy.ts";

const NetworkPolicyStatus = struct("networking.v1.NetworkPolicyStatus", {
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(1)
    .doc("The current state of the object, one entry for each condition type."),
});

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
    status: elided(NetworkPolicyStatus)
      .at(3)
      .since("1.24")
      .until("1.28")
      .doc("Whether the network carries the policy out, written by its plugin."),
  },
  compat: { reportedGroup: "extensions" },
  from: { "1.26": { compat: {} } },
  warnings: ({ spec }, _old, environment) => (warnsOfOddForms(environment) ? blockWarnings(spec) : []),
  generation: "literal",
  relations: policyRelations,
  subresources: [{ ...status(), since: "1.24", until: "1.28" }],
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
