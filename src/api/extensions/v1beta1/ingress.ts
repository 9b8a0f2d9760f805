/** Ingress in extensions/v1beta1: a backend names its service and port in two flat fields, and rules were laxer. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, intOrString, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { LoadBalancerStatus } from "../../core/v1/load-balancer.ts";
import { TypedLocalObjectReference } from "../../core/v1/references.ts";
import { Ingress as Hub } from "../../networking/v1/ingress.ts";
import { betaDialect, validateIngress, validateIngressUpdate } from "../../networking/v1/validate-ingress.ts";
import { ingressFromHub, ingressToHub } from "../../networking/v1beta1/convert-ingress.ts";

export const IngressBackend = struct("extensions.v1beta1.IngressBackend", {
  serviceName: elided(string()).at(1),
  servicePort: elided(intOrString()).at(2),
  resource: optional(TypedLocalObjectReference).at(3),
});
export type IngressBackend = Static<typeof IngressBackend>;

export const HTTPIngressPath = struct("extensions.v1beta1.HTTPIngressPath", {
  path: elided(string()).at(1),
  backend: IngressBackend.at(2),
  pathType: optional(string()).at(3).default("ImplementationSpecific"),
});
export type HTTPIngressPath = Static<typeof HTTPIngressPath>;

export const HTTPIngressRuleValue = struct("extensions.v1beta1.HTTPIngressRuleValue", {
  paths: list(HTTPIngressPath).at(1),
});
export type HTTPIngressRuleValue = Static<typeof HTTPIngressRuleValue>;

export const IngressRule = struct(
  "extensions.v1beta1.IngressRule",
  {
    host: elided(string()).at(1),
    http: optional(HTTPIngressRuleValue).at(1, "ingressRuleValue"),
  },
  { inline: { ingressRuleValue: 2 } },
);
export type IngressRule = Static<typeof IngressRule>;

export const IngressTLS = struct("extensions.v1beta1.IngressTLS", {
  hosts: elided(list(string())).at(1),
  secretName: elided(string()).at(2),
});
export type IngressTLS = Static<typeof IngressTLS>;

export const IngressSpec = struct("extensions.v1beta1.IngressSpec", {
  backend: optional(IngressBackend).at(1),
  tls: elided(list(IngressTLS)).at(2),
  rules: elided(list(IngressRule)).at(3),
  ingressClassName: optional(string()).at(4),
});
export type IngressSpec = Static<typeof IngressSpec>;

export const IngressStatus = struct("extensions.v1beta1.IngressStatus", {
  loadBalancer: elided(LoadBalancerStatus).at(1),
});
export type IngressStatus = Static<typeof IngressStatus>;

export const Ingress = version(Hub, {
  group: "extensions",
  version: "v1beta1",
  fields: {
    spec: elided(IngressSpec).at(2),
    status: elided(IngressStatus).at(3),
  },
  life: {
    validate: (ingress, environment) => validateIngress(ingress, betaDialect, environment),
    validateUpdate: (ingress, old) => validateIngressUpdate(ingress, old, betaDialect),
  },
  toHub: ingressToHub,
  fromHub: ingressFromHub,
  deprecated: { since: "1.14", removed: "1.22", replacement: "networking.orch.io/v1 Ingress" },
});
export type Ingress = Static<typeof Ingress>;
