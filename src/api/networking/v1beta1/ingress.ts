/** Ingress in v1beta1: a backend names its service and port in two flat fields, and rules were laxer. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { Ingress as Hub } from "../v1/ingress.ts";
import { validateIngress, validateIngressUpdate } from "../v1/validate-ingress.ts";
import { ingressFromHub, ingressToHub } from "./convert-ingress.ts";
import { betaIngress } from "./ingress-shape.ts";

const { IngressSpec, IngressStatus } = betaIngress("networking");

export const Ingress = version(Hub, {
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
  deprecated: { since: "1.19", removed: "1.22", replacement: "networking.orch.io/v1 Ingress" },
});
export type Ingress = Static<typeof Ingress>;
