/** An APIService names the server of a group and version. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { timeText } from "../../../machinery/values/time.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import {
  type APIServiceCondition,
  APIServiceSpec,
  APIServiceStatus,
  type ServiceReference,
} from "./api-service-spec.ts";
import { apiServiceRelations, checkStatus, validateApiService } from "./validate-api-service.ts";

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
  compat: { hasNoDocument: true },
  from: { "1.27": { compat: {} } },
  plainFinalizers: true,
  prepareForCreate(service, { clock }) {
    // Groups that this server serves itself need no checks.
    if (service.spec?.service === undefined) service.status = { conditions: [localCondition(timeText(clock.now()))] };
  },
  relations: apiServiceRelations,
  validate: validateApiService,
  columns: (column) => [
    nameColumn,
    column("Service", ({ spec }) => (spec?.service ? serviceText(spec.service) : "Local")),
    column("Available", (service) => conditionText(service.status?.conditions ?? [], availableCondition)),
    ageColumn,
  ],
  subresources: [
    status({
      merge: keepMetadata,
      resets: ["metadata"],
      validate: (next, _old, environment) =>
        checkStatus((next as { status?: APIServiceStatus }).status, "status", environment),
    }),
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
