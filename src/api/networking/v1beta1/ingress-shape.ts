/** The shape of Ingress in v1beta1, which two groups have: a backend names its service and port in two flat fields. */

import { elided, intOrString, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { TypedLocalObjectReference } from "../../core/v1/references.ts";
import { LoadBalancerStatus } from "../../core/v1/service/load-balancer.ts";

/** The types of one of the groups; only their names differ. */
export function betaIngress(group: "extensions" | "networking") {
  const named = (name: string) => `${group}.v1beta1.${name}`;
  const IngressBackend = struct(named("IngressBackend"), {
    serviceName: elided(string()).at(1).doc("The name of the service."),
    servicePort: elided(intOrString()).at(2).doc("The port of the service, by number or name."),
    resource: optional(TypedLocalObjectReference)
      .at(3)
      .doc("Another object in the same namespace that answers; excludes a service."),
  });
  const HTTPIngressPath = struct(named("HTTPIngressPath"), {
    path: elided(string())
      .at(1)
      .doc("The path to match; must begin with / for types Exact and Prefix. Empty: all paths."),
    backend: IngressBackend.at(2).doc("Where matching requests are sent."),
    pathType: optional(string())
      .at(3)
      .default("ImplementationSpecific")
      .doc(
        "Exact, Prefix (element by element) or ImplementationSpecific; required in v1, ImplementationSpecific by default in v1beta1.",
      ),
  });
  const HTTPIngressRuleValue = struct(named("HTTPIngressRuleValue"), {
    paths: list(HTTPIngressPath).at(1).doc("Paths and their backends; at least one."),
  });
  const IngressRule = struct(
    named("IngressRule"),
    {
      host: elided(string()).at(1).doc("The host name to match; *.example.com matches one label. Empty: all hosts."),
      http: optional(HTTPIngressRuleValue)
        .at(1, "ingressRuleValue")
        .doc("Paths and their backends. Absent: all requests go to the default backend."),
    },
    { inline: { ingressRuleValue: 2 } },
  );
  const IngressTLS = struct(named("IngressTLS"), {
    hosts: elided(list(string())).at(1).doc("Hosts that the certificate is for. Empty: all hosts of the ingress."),
    secretName: elided(string())
      .at(2)
      .doc("The secret with the certificate and its key. Empty: the controller chooses."),
  });
  const IngressSpec = struct(named("IngressSpec"), {
    backend: optional(IngressBackend).at(1).doc("Where requests are sent that no rule matches."),
    tls: elided(list(IngressTLS)).at(2).doc("Certificates, and the hosts they are for."),
    rules: elided(list(IngressRule))
      .at(3)
      .doc("Which hosts and paths lead to which backends. Empty: everything goes to the default backend."),
    ingressClassName: optional(string()).at(4).doc("The ingress class whose controller serves the ingress."),
  });
  const IngressStatus = struct(named("IngressStatus"), {
    loadBalancer: elided(LoadBalancerStatus).at(1).doc("Where the ingress can be reached."),
  });
  return { IngressBackend, IngressSpec, IngressStatus };
}

type Shape = ReturnType<typeof betaIngress>;
export type IngressBackend = Static<Shape["IngressBackend"]>;
export type IngressSpec = Static<Shape["IngressSpec"]>;
export type IngressStatus = Static<Shape["IngressStatus"]>;
