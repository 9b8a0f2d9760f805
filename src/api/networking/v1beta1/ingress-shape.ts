/** The shape of Ingress in v1beta1, which two groups have: a backend names its service and port in two flat fields. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, intOrString, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { LoadBalancerStatus } from "../../core/v1/load-balancer.ts";
import { TypedLocalObjectReference } from "../../core/v1/references.ts";

/** The types of one of the groups; only their names differ. */
export function betaIngress(group: "extensions" | "networking") {
  const named = (name: string) => `${group}.v1beta1.${name}`;
  const IngressBackend = struct(named("IngressBackend"), {
    serviceName: elided(string()).at(1),
    servicePort: elided(intOrString()).at(2),
    resource: optional(TypedLocalObjectReference).at(3),
  });
  const HTTPIngressPath = struct(named("HTTPIngressPath"), {
    path: elided(string()).at(1),
    backend: IngressBackend.at(2),
    pathType: optional(string()).at(3).default("ImplementationSpecific"),
  });
  const HTTPIngressRuleValue = struct(named("HTTPIngressRuleValue"), {
    paths: list(HTTPIngressPath).at(1),
  });
  const IngressRule = struct(
    named("IngressRule"),
    {
      host: elided(string()).at(1),
      http: optional(HTTPIngressRuleValue).at(1, "ingressRuleValue"),
    },
    { inline: { ingressRuleValue: 2 } },
  );
  const IngressTLS = struct(named("IngressTLS"), {
    hosts: elided(list(string())).at(1),
    secretName: elided(string()).at(2),
  });
  const IngressSpec = struct(named("IngressSpec"), {
    backend: optional(IngressBackend).at(1),
    tls: elided(list(IngressTLS)).at(2),
    rules: elided(list(IngressRule)).at(3),
    ingressClassName: optional(string()).at(4),
  });
  const IngressStatus = struct(named("IngressStatus"), {
    loadBalancer: elided(LoadBalancerStatus).at(1),
  });
  return { IngressBackend, IngressSpec, IngressStatus };
}

type Shape = ReturnType<typeof betaIngress>;
export type IngressBackend = Static<Shape["IngressBackend"]>;
export type IngressSpec = Static<Shape["IngressSpec"]>;
export type IngressStatus = Static<Shape["IngressStatus"]>;
