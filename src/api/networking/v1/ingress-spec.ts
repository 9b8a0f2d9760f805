/** The fields of ingresses. */

import { ipVersion, isDns1123Subdomain, isWildcardDns1123Subdomain } from "../../../machinery/meta/names.ts";
import {
  elided,
  int32,
  list,
  nullable,
  optional,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { TypedLocalObjectReference } from "../../core/v1/references.ts";

const isHost = (host: string): readonly string[] =>
  host.includes("*") ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);
const notAnAddress = (host: string): readonly string[] =>
  ipVersion(host) === 0 ? [] : ["must be a DNS name, not an IP address"];

/** An object of any kind in the same namespace. */
const checkReference = checker(
  struct("", {
    apiGroup: nullable(string()).named("subdomain"),
    kind: string().required().named("pathSegment"),
    name: string().required().named("pathSegment"),
  }),
);

export const ServiceBackendPort = struct(
  "networking.v1.ServiceBackendPort",
  {
    name: elided(string()).at(1).named("portName").doc("The name of the port; excludes number."),
    number: elided(int32()).at(2).atLeast(1).atMost(65535).doc("The number of the port; excludes name."),
  },
  { from: { "1.31": { topology: "atomic" } } },
);
export type ServiceBackendPort = Static<typeof ServiceBackendPort>;

export const IngressServiceBackend = struct("networking.v1.IngressServiceBackend", {
  name: string().at(1).required().named("label1035").doc("The name of the service, in the same namespace."),
  port: elided(ServiceBackendPort).at(2).doc("The port of the service, by number or by name."),
});
export type IngressServiceBackend = Static<typeof IngressServiceBackend>;

export const IngressBackend = struct("networking.v1.IngressBackend", {
  resource: optional(TypedLocalObjectReference)
    .at(3)
    .checked(checkReference)
    .doc("Another object in the same namespace that answers; excludes a service."),
  service: optional(IngressServiceBackend).at(4).doc("The service that answers; excludes resource."),
});
export type IngressBackend = Static<typeof IngressBackend>;

export const HTTPIngressPath = struct("networking.v1.HTTPIngressPath", {
  path: elided(string())
    .at(1)
    .doc("The path to match; must begin with / for types Exact and Prefix. Empty: all paths."),
  backend: IngressBackend.at(2).doc("Where matching requests are sent."),
  pathType: optional(string())
    .at(3)
    .required("must be given")
    .oneOf(["Exact", "ImplementationSpecific", "Prefix"])
    .from("1.22", (pathType) => nullable(pathType.listed(true)))
    .doc(
      "Exact, Prefix (element by element) or ImplementationSpecific; required in v1, ImplementationSpecific by default in v1beta1.",
    ),
});
export type HTTPIngressPath = Static<typeof HTTPIngressPath>;

export const HTTPIngressRuleValue = struct("networking.v1.HTTPIngressRuleValue", {
  paths: list(HTTPIngressPath, { topology: "atomic" }).at(1).required().doc("Paths and their backends; at least one."),
});
export type HTTPIngressRuleValue = Static<typeof HTTPIngressRuleValue>;

export const IngressRule = struct(
  "networking.v1.IngressRule",
  {
    host: elided(string())
      .at(1)
      .named(notAnAddress)
      .named(isHost)
      .doc("The host name to match; *.example.com matches one label. Empty: all hosts."),
    http: optional(HTTPIngressRuleValue)
      .at(1, "ingressRuleValue")
      .doc("Paths and their backends. Absent: all requests go to the default backend."),
  },
  { inline: { ingressRuleValue: 2 } },
);
export type IngressRule = Static<typeof IngressRule>;

export const IngressTLS = struct("networking.v1.IngressTLS", {
  hosts: elided(list(string().named(isHost), { topology: "atomic" }))
    .at(1)
    .doc("Hosts that the certificate is for. Empty: all hosts of the ingress."),
  secretName: elided(string())
    .at(2)
    .named("subdomain")
    .doc("The secret with the certificate and its key. Empty: the controller chooses."),
});
export type IngressTLS = Static<typeof IngressTLS>;

export const IngressSpec = struct("networking.v1.IngressSpec", {
  defaultBackend: optional(IngressBackend).at(1).doc("Where requests are sent that no rule matches."),
  tls: elided(list(IngressTLS, { topology: "atomic" }))
    .at(2)
    .doc("Certificates, and the hosts they are for."),
  rules: elided(list(IngressRule, { topology: "atomic" }))
    .at(3)
    .doc("Which host and path leads to which service."),
  ingressClassName: optional(string()).at(4).named("subdomain").doc("The ingress class whose controller serves it."),
});
export type IngressSpec = Static<typeof IngressSpec>;
