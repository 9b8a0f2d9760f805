/** An AccessExplanation asks why a user may or may not do something. */

import { bool, elided, list, optional, type Static, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { SubjectAccessReviewSpec } from "../../authorization/v1/review-spec.ts";
import { PolicyRule } from "../../rbac/v1/rules.ts";
import { AccessPath, NearestRule } from "./access-path.ts";

export const AccessExplanationStatus = struct("access.v1alpha1.AccessExplanationStatus", {
  allowed: bool().at(1).doc("Whether roles allow the request; other authorizers of the server are not consulted."),
  granted: elided(list(AccessPath)).at(2).doc("Every binding, role and rule that allows the request."),
  nearest: elided(list(NearestRule)).at(3).doc("Rules of the subject that nearly allow the request, closest first."),
  missing: optional(PolicyRule).at(4).doc("The smallest rule that would allow the request."),
});
export type AccessExplanationStatus = Static<typeof AccessExplanationStatus>;

export const AccessExplanation = kind({
  group: "access.orch.io",
  version: "v1alpha1",
  kind: "AccessExplanation",
  resource: "accessexplanations",
  scope: "Cluster",
  verbs: ["create"],
  action: "accessexplanations",
  doc: "An AccessExplanation asks why a user may or may not do something.",
  fields: {
    spec: SubjectAccessReviewSpec.at(2).doc("The user and the request to explain."),
    status: elided(AccessExplanationStatus)
      .at(3)
      .doc("Why the user may or may not make the request, set by the server."),
  },
});
export type AccessExplanation = Static<typeof AccessExplanation>;
