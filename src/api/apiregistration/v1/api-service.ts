/** An APIService says who serves a group and version. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, bytes, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { timeText } from "../../../machinery/values/time.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import { validateApiService, validateApiServiceStatus } from "./validate-api-service.ts";

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
  port: optional(int32()).at(3).default(443),
});
export type ServiceReference = Static<typeof ServiceReference>;

export const APIServiceSpec = struct("apiregistration.v1.APIServiceSpec", {
  service: optional(ServiceReference).at(1).doc("Who serves it; absent: this server itself."),
  group: elided(string()).at(2),
  version: elided(string()).at(3),
  insecureSkipTLSVerify: elided(bool()).at(4),
  caBundle: elided(bytes()).at(5),
  groupPriorityMinimum: int32().at(7).doc("Groups with higher numbers are preferred."),
  versionPriority: int32().at(8).doc("Within its group, versions with higher numbers are preferred."),
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
  name: "pathSegment",
  unconditionalUpdate: false,
  plainFinalizers: true,
  prepareForCreate(service, { clock }) {
    // What this server serves itself needs no looking after.
    if (service.spec?.service === undefined) service.status = { conditions: [localCondition(timeText(clock.now()))] };
  },
  validate: validateApiService,
  columns: (column) => [
    nameColumn,
    column("Service", ({ spec }) => (spec?.service ? serviceText(spec.service) : "Local")),
    column("Available", (service) => conditionText(service.status?.conditions ?? [], availableCondition)),
    ageColumn,
  ],
  subresources: [
    status({ merge: keepMetadata, resets: ["metadata"], validate: (next) => validateApiServiceStatus(next) }),
  ],
});
export type APIService = Static<typeof APIService>;

/** Says whether requests for the group and version can be answered. */
export const availableCondition = "Available";

const localCondition = (now: string): APIServiceCondition => ({
  type: availableCondition,
  status: "True",
  lastTransitionTime: now,
  reason: "Local",
  message: "This server serves it itself, so it is always available",
});

const serviceText = ({ namespace = "", name = "" }: ServiceReference): string => `${namespace}/${name}`;

function conditionText(conditions: readonly APIServiceCondition[], wanted: string): string {
  const condition = conditions.find(({ type }) => type === wanted);
  if (condition === undefined) return "Unknown";
  return condition.status === "True" ? "True" : `${condition.status} (${condition.reason ?? ""})`;
}
