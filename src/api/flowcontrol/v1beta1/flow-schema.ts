/** A FlowSchema sorts requests into priority levels. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import { validateFlowSchema } from "./validate-flow-schema.ts";

export const FlowDistinguisherMethod = struct("flowcontrol.v1beta1.FlowDistinguisherMethod", {
  type: string().at(1).doc("ByUser or ByNamespace."),
});
export type FlowDistinguisherMethod = Static<typeof FlowDistinguisherMethod>;

export const FlowSchemaCondition = struct("flowcontrol.v1beta1.FlowSchemaCondition", {
  type: elided(string()).at(1),
  status: elided(string()).at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type FlowSchemaCondition = Static<typeof FlowSchemaCondition>;

export const PriorityLevelConfigurationReference = struct("flowcontrol.v1beta1.PriorityLevelConfigurationReference", {
  name: string().at(1),
});
export type PriorityLevelConfigurationReference = Static<typeof PriorityLevelConfigurationReference>;

export const UserSubject = struct("flowcontrol.v1beta1.UserSubject", {
  name: string().at(1),
});
export type UserSubject = Static<typeof UserSubject>;

export const GroupSubject = struct("flowcontrol.v1beta1.GroupSubject", {
  name: string().at(1),
});
export type GroupSubject = Static<typeof GroupSubject>;

export const ServiceAccountSubject = struct("flowcontrol.v1beta1.ServiceAccountSubject", {
  namespace: string().at(1),
  name: string().at(2),
});
export type ServiceAccountSubject = Static<typeof ServiceAccountSubject>;

export const Subject = struct(
  "flowcontrol.v1beta1.Subject",
  {
    kind: string().at(1),
    user: optional(UserSubject).at(2),
    group: optional(GroupSubject).at(3),
    serviceAccount: optional(ServiceAccountSubject).at(4),
  },
  {
    unions: [
      {
        discriminator: "kind",
        "fields-to-discriminateBy": { group: "Group", serviceAccount: "ServiceAccount", user: "User" },
      },
    ],
  },
);
export type Subject = Static<typeof Subject>;

export const ResourcePolicyRule = struct("flowcontrol.v1beta1.ResourcePolicyRule", {
  verbs: list(string(), { topology: "set" }).at(1),
  apiGroups: list(string(), { topology: "set" }).at(2),
  resources: list(string(), { topology: "set" }).at(3),
  clusterScope: elided(bool()).at(4),
  namespaces: list(string(), { topology: "set" }).listed(false).at(5),
});
export type ResourcePolicyRule = Static<typeof ResourcePolicyRule>;

export const NonResourcePolicyRule = struct("flowcontrol.v1beta1.NonResourcePolicyRule", {
  verbs: list(string(), { topology: "set" }).at(1),
  nonResourceURLs: list(string(), { topology: "set" }).at(6),
});
export type NonResourcePolicyRule = Static<typeof NonResourcePolicyRule>;

export const PolicyRulesWithSubjects = struct("flowcontrol.v1beta1.PolicyRulesWithSubjects", {
  subjects: list(Subject, { topology: "atomic" }).at(1),
  resourceRules: elided(list(ResourcePolicyRule, { topology: "atomic" })).at(2),
  nonResourceRules: elided(list(NonResourcePolicyRule, { topology: "atomic" })).at(3),
});
export type PolicyRulesWithSubjects = Static<typeof PolicyRulesWithSubjects>;

export const FlowSchemaSpec = struct("flowcontrol.v1beta1.FlowSchemaSpec", {
  priorityLevelConfiguration: PriorityLevelConfigurationReference.at(1),
  matchingPrecedence: int32()
    .listed(false)
    .at(2)
    .default(1000)
    .doc("Of the schemas that match a request the one with the lowest number takes it."),
  distinguisherMethod: optional(FlowDistinguisherMethod)
    .at(3)
    .doc("How the flows of this schema are told apart; absent: it is one flow."),
  rules: elided(list(PolicyRulesWithSubjects, { topology: "atomic" })).at(4),
});
export type FlowSchemaSpec = Static<typeof FlowSchemaSpec>;

export const FlowSchemaStatus = struct("flowcontrol.v1beta1.FlowSchemaStatus", {
  conditions: elided(list(FlowSchemaCondition, { topology: "map", keys: ["type"] })).at(1),
});
export type FlowSchemaStatus = Static<typeof FlowSchemaStatus>;

export const FlowSchema = kind({
  group: "flowcontrol.apiserver.orch.io",
  version: "v1beta1",
  kind: "FlowSchema",
  resource: "flowschemas",
  scope: "Cluster",
  doc: "A FlowSchema sorts requests into priority levels.",
  fields: {
    spec: elided(FlowSchemaSpec).at(2),
    status: elided(FlowSchemaStatus).at(3),
  },
  generation: true,
  validate: validateFlowSchema,
  columns: (column) => [
    nameColumn,
    column("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration.name ?? ""),
    column("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence ?? 0),
    column("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>"),
    ageColumn,
    column("MissingPL", (schema) => schema.status?.conditions?.find(isDangling)?.status ?? "?"),
  ],
  // In the order in which requests are matched.
  rowRank: ({ spec }) => spec?.matchingPrecedence ?? 0,
  subresources: [status({ merge: keepMetadata, resets: ["metadata"], validate: (next) => validateFlowSchema(next) })],
});
export type FlowSchema = Static<typeof FlowSchema>;

/** Says whether the priority level of a schema is missing. */
export const danglingCondition = "Dangling";
const isDangling = ({ type }: FlowSchemaCondition) => type === danglingCondition;
