/** An IngressClass names the controller that implements ingresses. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const IngressClassParametersReference = struct("networking.v1.IngressClassParametersReference", {
  apiGroup: optional(string()).at(1),
  kind: string().at(2),
  name: string().at(3),
  scope: optional(string()).at(4),
  namespace: optional(string()).at(5),
});
export type IngressClassParametersReference = Static<typeof IngressClassParametersReference>;

export const IngressClassSpec = struct("networking.v1.IngressClassSpec", {
  controller: elided(string()).at(1),
  parameters: optional(IngressClassParametersReference).at(2),
});
export type IngressClassSpec = Static<typeof IngressClassSpec>;

export const IngressClass = kind({
  group: "networking.orch.io",
  version: "v1",
  kind: "IngressClass",
  resource: "ingressclasses",
  scope: "Cluster",
  doc: "An IngressClass names the controller that implements ingresses.",
  fields: {
    spec: elided(IngressClassSpec).at(2),
  },
});
export type IngressClass = Static<typeof IngressClass>;
