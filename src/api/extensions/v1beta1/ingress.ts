/** Ingress in extensions/v1beta1: a backend names its service and port in two flat fields, and rules were laxer. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { Ingress as Hub } from "../../networking/v1/ingress.ts";
import { validateIngress, validateIngressUpdate } from "../../networking/v1/validate-ingress.ts";
import { ingressFromHub, ingressToHub } from "../../networking/v1beta1/convert-ingress.ts";
import { betaIngress } from "../../networking/v1beta1/ingress-shape.ts";

const { IngressSpec, IngressStatus } = betaIngress("extensions");

export const Ingress = version(Hub, {
  group: "extensions",
  version: "v1beta1",
  fields: {
    spec: elided(IngressSpec).at(2).doc("The desired state of the ingress, set by its users."),
    status: elided(IngressStatus).at(3).doc("The most recently observed state of the ingress, written by the system."),
  },
  strategy: {
    validate: (ingress, environment) => validateIngress(ingress, "v1beta1", environment),
    validateUpdate: (ingress, old, environment) => validateIngressUpdate(ingress, old, "v1beta1", environment),
  },
  toHub: ingressToHub,
  fromHub: ingressFromHub,
  deprecated: { since: "1.14", removed: "1.22", replacement: "networking.orch.io/v1 Ingress" },
});
export type Ingress = Static<typeof Ingress>;
