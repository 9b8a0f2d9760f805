/** A SelfSubjectRulesReview lists everything that the caller may do in a namespace. */

import { bool, elided, list, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

const NonResourceRule = struct("authorization.v1.NonResourceRule", {
  verbs: list(string()).at(1).doc("HTTP verbs in lower case; * allows all."),
  nonResourceURLs: elided(list(string())).at(2).doc("URL paths; * at the end of a path matches everything below it."),
});

const ResourceRule = struct("authorization.v1.ResourceRule", {
  verbs: list(string()).at(1).doc("Verbs that are allowed; * is all."),
  apiGroups: elided(list(string())).at(2).doc("API groups that are allowed; * is all."),
  resources: elided(list(string())).at(3).doc("Resources that are allowed; * is all, pods/log is a subresource."),
  resourceNames: elided(list(string())).at(4).doc("Names of the objects that are allowed. Empty: all."),
});

const SelfSubjectRulesReviewSpec = struct("authorization.v1.SelfSubjectRulesReviewSpec", {
  namespace: elided(string()).at(1).doc("The namespace to list rules for; required."),
});

const SubjectRulesReviewStatus = struct("authorization.v1.SubjectRulesReviewStatus", {
  resourceRules: list(ResourceRule).at(1).doc("What is allowed on resources, in no particular order."),
  nonResourceRules: list(NonResourceRule).at(2).doc("What is allowed on other paths, in no particular order."),
  incomplete: bool()
    .at(3)
    .doc("Whether rules are missing, because an authorizer cannot list them or there are too many."),
  evaluationError: elided(string()).at(4).doc("What went wrong while collecting the rules."),
});

export const SelfSubjectRulesReview = kind({
  group: "authorization.orch.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  resource: "selfsubjectrulesreviews",
  scope: "Cluster",
  verbs: ["create"],
  action: "selfsubjectrulesreviews",
  doc: "A SelfSubjectRulesReview lists everything that the caller may do in a namespace.",
  fields: {
    spec: SelfSubjectRulesReviewSpec.at(2).doc("The namespace to list the rights of the caller in."),
    status: elided(SubjectRulesReviewStatus).at(3).doc("The rights of the caller in the namespace, set by the server."),
  },
});
export type SelfSubjectRulesReview = Static<typeof SelfSubjectRulesReview>;
