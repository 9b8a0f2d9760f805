/** An APIService names the server of a group and version. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, bytes, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { timeText } from "../../../machinery/values/time.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import { validateApiService, validateApiServiceStatus } from "./validate-api-service.ts";

export const APIServiceCondition = struct("apiregistration.v1.APIServiceCondition", {
  type: string().at(1).doc("Available: whether requests for the group version can be served."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastTransitionTime: elided(time()).at(3).doc("When status last changed from one value to another."),
  reason: elided(string()).at(4).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(5).doc("A sentence for people about the last change; may be empty."),
});
export type APIServiceCondition = Static<typeof APIServiceCondition>;

export const ServiceReference = struct("apiregistration.v1.ServiceReference", {
  namespace: elided(string()).at(1).doc("The namespace of the service."),
  name: elided(string()).at(2).doc("The name of the service."),
  port: optional(int32()).at(3).default(443).doc("The port of the service, 1 to 65535. Default: 443."),
});
export type ServiceReference = Static<typeof ServiceReference>;

export const APIServiceSpec = struct("apiregistration.v1.APIServiceSpec", {
  service: optional(ServiceReference)
    .at(1)
    .doc("The service that serves the group version. Absent: this server itself."),
  group: elided(string()).at(2).doc("The API group that is served; empty only for the core group."),
  version: elided(string()).at(3).doc("The version of the group that is served, such as v1."),
  insecureSkipTLSVerify: elided(bool())
    .at(4)
    .doc("Accepts any certificate of the server; for tests only, and excludes caBundle. Default: false."),
  caBundle: elided(bytes())
    .at(5)
    .doc(
      "PEM certificates of the authorities that may have signed the certificate of the server. Absent: the trusted roots of the API server.",
    ),
  groupPriorityMinimum: int32()
    .at(7)
    .doc("The least priority of the group, 1 to 20000; in discovery, groups with higher numbers come first."),
  versionPriority: int32().at(8).doc("The priority of the version in its group, 1 to 1000; higher numbers come first."),
});
export type APIServiceSpec = Static<typeof APIServiceSpec>;

export const APIServiceStatus = struct("apiregistration.v1.APIServiceStatus", {
  conditions: elided(
    list(APIServiceCondition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(1)
    .doc("The current state of the API service, one entry for each condition type."),
});
export type APIServiceStatus = Static<typeof APIServiceStatus>;

export const APIService = kind({
  group: "apiregistration.orch.io",
  version: "v1",
  kind: "APIService",
  resource: "apiservices",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "An APIService names the server of a group and version.",
  fields: {
    spec: elided(APIServiceSpec).at(2).doc("The desired state of the API service, set by its users."),
    status: elided(APIServiceStatus)
      .at(3)
      .doc("The most recently observed state of the API service, written by the system."),
  },
  name: "pathSegment",
  unconditionalUpdate: false,
  plainFinalizers: true,
  prepareForCreate(service, { clock }) {
    // Groups that this server serves itself need no checks.
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

/** The condition that reports whether requests for the group and version can be answered. */
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
