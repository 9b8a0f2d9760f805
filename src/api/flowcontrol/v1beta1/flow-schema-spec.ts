/** The fields of flow schemas. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { changeFields } from "../../common-fields.ts";
import { aloneText, everything, validateNamespaces, validateUrls, validateVerbs } from "./list-rules.ts";

export const precedenceMax = 10_000;
const precedenceText = `must be between 1 and ${precedenceMax}`;
const atLeastOne = "must have at least one";

const FlowDistinguisherMethod = struct("flowcontrol.v1beta1.FlowDistinguisherMethod", {
  type: string()
    .at(1)
    .oneOf(["ByNamespace", "ByUser"])
    .openApiEnum("none")
    .doc("How flows are distinguished: ByUser or ByNamespace."),
});

export const FlowSchemaCondition = struct("flowcontrol.v1beta1.FlowSchemaCondition", {
  type: elided(string())
    .listed(true, "1.37")
    .required()
    .at(1)
    .doc("Dangling: the priority level that the schema names does not exist."),
  status: elided(string()).at(2).doc("Whether the condition holds: True, False or Unknown."),
  ...changeFields(3),
});
export type FlowSchemaCondition = Static<typeof FlowSchemaCondition>;

const PriorityLevelConfigurationReference = struct("flowcontrol.v1beta1.PriorityLevelConfigurationReference", {
  name: string()
    .at(1)
    .required("must name a priority level")
    .named("subdomain")
    .doc("The name of the priority level of matching requests. Required."),
});

const UserSubject = struct("flowcontrol.v1beta1.UserSubject", {
  name: string().at(1).required().doc("The name of the user; * is all users."),
});

const GroupSubject = struct("flowcontrol.v1beta1.GroupSubject", {
  name: string().at(1).required().doc("The name of the group; * is all groups."),
});

const ServiceAccountSubject = struct("flowcontrol.v1beta1.ServiceAccountSubject", {
  namespace: string().at(1).required().named("label").doc("The namespace of the service account."),
  name: string()
    .at(2)
    .required()
    .named((name) => (name === "*" ? [] : isDns1123Subdomain(name)))
    .doc("The name of the service account; * is all of the namespace."),
});

export const Subject = struct(
  "flowcontrol.v1beta1.Subject",
  {
    kind: string()
      .at(1)
      .oneOf(["Group", "ServiceAccount", "User"])
      .openApiEnum("none")
      .doc("User, Group or ServiceAccount; the field of that name must be set."),
    user: optional(UserSubject).at(2).doc("Matches requests of one user; set if kind is User."),
    group: optional(GroupSubject).at(3).doc("Matches requests of the members of a group; set if kind is Group."),
    serviceAccount: optional(ServiceAccountSubject).at(4).doc("The service account that matches."),
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
  verbs: list(string(), { topology: "set" })
    .at(1)
    .required(atLeastOne)
    .checked(validateVerbs)
    .doc("Verbs of the requests; * alone is all."),
  apiGroups: list(string(), { topology: "set" })
    .at(2)
    .required(atLeastOne)
    .alone(everything, aloneText)
    .doc("API groups of the resources; * alone is all."),
  resources: list(string(), { topology: "set" })
    .at(3)
    .required(atLeastOne)
    .alone(everything, aloneText)
    .doc("Resources and subresources, such as services and nodes/status; * alone is all."),
  clusterScope: elided(bool()).at(4).doc("Whether requests that name no namespace match. Default: false."),
  namespaces: list(string(), { topology: "set" })
    .listed(false)
    .at(5)
    .checked(validateNamespaces)
    .doc("Namespaces of the requests; * is all."),
});
export type ResourcePolicyRule = Static<typeof ResourcePolicyRule>;

export const NonResourcePolicyRule = struct("flowcontrol.v1beta1.NonResourcePolicyRule", {
  verbs: list(string(), { topology: "set" })
    .at(1)
    .required(atLeastOne)
    .checked(validateVerbs)
    .doc("HTTP verbs in lower case; * alone is all."),
  nonResourceURLs: list(string(), { topology: "set" })
    .at(6)
    .required(atLeastOne)
    .checked(validateUrls)
    .doc("URL paths such as /healthz or /healthz/*; * alone is all."),
});
export type NonResourcePolicyRule = Static<typeof NonResourcePolicyRule>;

export const PolicyRulesWithSubjects = struct("flowcontrol.v1beta1.PolicyRulesWithSubjects", {
  subjects: list(Subject, { topology: "atomic" }).at(1).required(atLeastOne).doc("Whose requests match; at least one."),
  resourceRules: elided(list(ResourcePolicyRule, { topology: "atomic" }))
    .at(2)
    .doc("Which requests for resources match."),
  nonResourceRules: elided(list(NonResourcePolicyRule, { topology: "atomic" }))
    .at(3)
    .doc("Which requests for other paths match."),
});
export type PolicyRulesWithSubjects = Static<typeof PolicyRulesWithSubjects>;

export const FlowSchemaSpec = struct("flowcontrol.v1beta1.FlowSchemaSpec", {
  priorityLevelConfiguration: PriorityLevelConfigurationReference.at(1).doc(
    "The priority level of requests that match.",
  ),
  matchingPrecedence: int32()
    .listed(false)
    .at(2)
    .default(1000)
    .atLeast(1, precedenceText)
    .atMost(precedenceMax, precedenceText)
    .doc("If several schemas match a request, the one with the lowest number is used, 1 to 10000. Default: 1000."),
  distinguisherMethod: optional(FlowDistinguisherMethod)
    .at(3)
    .doc("How requests are divided into flows. Absent: all requests are one flow."),
  rules: elided(list(PolicyRulesWithSubjects, { topology: "atomic" }))
    .at(4)
    .doc("Which requests match; a request matches if any rule does. Empty: none."),
});
export type FlowSchemaSpec = Static<typeof FlowSchemaSpec>;

export const FlowSchemaStatus = struct("flowcontrol.v1beta1.FlowSchemaStatus", {
  conditions: elided(
    list(FlowSchemaCondition, {
      topology: "map",
      keys: ["type"],
      from: { "1.26": { patchStrategy: "merge", patchMergeKey: "type" } },
    }),
  )
    .uniqueBy("type", { isAbsentCompared: true })
    .at(1)
    .doc("The current state of the object, one entry for each condition type."),
});
export type FlowSchemaStatus = Static<typeof FlowSchemaStatus>;
