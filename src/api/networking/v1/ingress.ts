/** An Ingress routes HTTP requests from outside to services. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { ipWarnings, warnsOfOddForms } from "../../address-forms.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { type IngressRule, IngressSpec } from "./ingress-spec.ts";
import { checkIngressStatus, type IngressLoadBalancerStatus, IngressStatus } from "./ingress-status.ts";
import { validateIngress, validateIngressUpdate } from "./validate-ingress.ts";

export const Ingress = kind({
  group: "networking.orch.io",
  version: "v1",
  kind: "Ingress",
  resource: "ingresses",
  scope: "Namespaced",
  shortNames: ["ing"],
  doc: "An Ingress routes HTTP requests from outside to services.",
  fields: {
    spec: elided(IngressSpec).at(2).unchecked().doc("The desired state of the ingress, set by its users."),
    status: elided(IngressStatus).at(3).doc("The most recently observed state of the ingress, written by the system."),
  },
  compat: { reportedGroup: "extensions" },
  from: { "1.26": { compat: {} } },
  warnings: ingressWarnings,
  generation: true,
  validate: (ingress, environment) => validateIngress(ingress, "v1", environment),
  validateUpdate: (ingress, old, environment) => validateIngressUpdate(ingress, old, "v1", environment),
  columns: (column) => [
    nameColumn,
    column("Class", ({ spec }) => spec?.ingressClassName ?? "<none>"),
    column("Hosts", ({ spec }) => hostsText(spec?.rules ?? [])),
    column("Address", ({ status }) => addressText(status?.loadBalancer)),
    column("Ports", ({ spec }) => ((spec?.tls ?? []).length > 0 ? "80, 443" : "80")),
    ageColumn,
  ],
  subresources: [
    // The status is that of the hub in every version.
    status({
      validate: ({ status }: { status?: IngressStatus }, _old, environment) =>
        checkIngressStatus(status, "status", environment),
      warnings: statusWarnings,
    }),
  ],
});
export type Ingress = Static<typeof Ingress>;

/** The annotation that is older than the field for the class. */
function ingressWarnings(
  { metadata, spec }: { metadata: ObjectMeta; spec?: IngressSpec },
  old: unknown,
  environment: Environment,
): string[] {
  const annotation = environment.vocabulary.word("orch.io/ingress.class");
  if (old !== undefined || !has(environment, "ingressClassWarnings") || spec?.ingressClassName !== undefined) return [];
  return metadata.annotations?.[annotation] === undefined
    ? []
    : [`annotation "${annotation}" is deprecated, please use 'spec.ingressClassName' instead`];
}

/** About addresses; v1.35 names the item, not its member. */
function statusWarnings({ status }: { status?: IngressStatus }, environment: Environment): string[] {
  if (!warnsOfOddForms(environment)) return [];
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
    ip ? ipWarnings(ip, `status.loadBalancer.ingress[${index}]`) : [],
  );
}

const hostsShownMax = 3;

/** The first few hosts, and how many more there are; `*` for rules without a host. */
function hostsText(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let isMore = false;
  for (const { host } of rules) {
    if (hosts.length === hostsShownMax) isMore = true;
    else if (host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return isMore ? `${hosts.join(",")} + ${rules.length - hostsShownMax} more...` : hosts.join(",");
}

function addressText(status: IngressLoadBalancerStatus | undefined): string {
  const addresses = (status?.ingress ?? [])
    .map(({ ip, hostname }) => ip || hostname || "")
    .filter((text) => text !== "");
  return [...new Set(addresses)].sort().join(",");
}
