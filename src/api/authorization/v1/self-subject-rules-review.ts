/** A SelfSubjectRulesReview asks for all that the caller may do in a namespace. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, list, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const NonResourceRule = struct("authorization.v1.NonResourceRule", {
  verbs: list(string()).at(1),
  nonResourceURLs: elided(list(string())).at(2),
});
export type NonResourceRule = Static<typeof NonResourceRule>;

export const ResourceRule = struct("authorization.v1.ResourceRule", {
  verbs: list(string()).at(1),
  apiGroups: elided(list(string())).at(2),
  resources: elided(list(string())).at(3),
  resourceNames: elided(list(string())).at(4),
});
export type ResourceRule = Static<typeof ResourceRule>;

export const SelfSubjectRulesReviewSpec = struct("authorization.v1.SelfSubjectRulesReviewSpec", {
  namespace: elided(string()).at(1),
});
export type SelfSubjectRulesReviewSpec = Static<typeof SelfSubjectRulesReviewSpec>;

export const SubjectRulesReviewStatus = struct("authorization.v1.SubjectRulesReviewStatus", {
  resourceRules: list(ResourceRule).at(1),
  nonResourceRules: list(NonResourceRule).at(2),
  incomplete: bool().at(3),
  evaluationError: elided(string()).at(4),
});
export type SubjectRulesReviewStatus = Static<typeof SubjectRulesReviewStatus>;

export const SelfSubjectRulesReview = kind({
  group: "authorization.orch.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  resource: "selfsubjectrulesreviews",
  scope: "Cluster",
  verbs: ["create"],
  action: "selfsubjectrulesreviews",
  doc: "A SelfSubjectRulesReview asks for all that the caller may do in a namespace.",
  fields: {
    spec: SelfSubjectRulesReviewSpec.at(2),
    status: elided(SubjectRulesReviewStatus).at(3),
  },
});
export type SelfSubjectRulesReview = Static<typeof SelfSubjectRulesReview>;
