/** An APIService says who serves a group and version. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, bytes, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";

export const APIServiceCondition = struct("apiregistration.v1.APIServiceCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type APIServiceCondition = Static<typeof APIServiceCondition>;

export const ServiceReference = struct("apiregistration.v1.ServiceReference", {
  namespace: elided(string()).at(1),
  name: elided(string()).at(2),
  port: optional(int32()).at(3),
});
export type ServiceReference = Static<typeof ServiceReference>;

export const APIServiceSpec = struct("apiregistration.v1.APIServiceSpec", {
  service: optional(ServiceReference).at(1),
  group: elided(string()).at(2),
  version: elided(string()).at(3),
  insecureSkipTLSVerify: elided(bool()).at(4),
  caBundle: elided(bytes()).at(5),
  groupPriorityMinimum: int32().at(7),
  versionPriority: int32().at(8),
});
export type APIServiceSpec = Static<typeof APIServiceSpec>;

export const APIServiceStatus = struct("apiregistration.v1.APIServiceStatus", {
  conditions: elided(
    list(APIServiceCondition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  ).at(1),
});
export type APIServiceStatus = Static<typeof APIServiceStatus>;

export const APIService = kind({
  group: "apiregistration.orch.io",
  version: "v1",
  kind: "APIService",
  resource: "apiservices",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "An APIService says who serves a group and version.",
  fields: {
    spec: elided(APIServiceSpec).at(2),
    status: elided(APIServiceStatus).at(3),
  },
  subresources: [status()],
});
export type APIService = Static<typeof APIService>;
