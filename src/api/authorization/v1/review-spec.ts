/** The spec and status of access reviews. Both versions have the same shape under different type names, but for the groups. */

import { bool, elided, list, map, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelectorRequirement } from "../../meta/label-selector.ts";

type Version = "v1" | "v1beta1";

const nonResourceAttributes = (version: Version) =>
  struct(`authorization.${version}.NonResourceAttributes`, {
    path: elided(string()).at(1).doc("The URL path of the request, such as /healthz."),
    verb: elided(string()).at(2).doc("The HTTP method in lower case, such as get."),
  });

const FieldSelectorRequirement = struct("meta.v1.FieldSelectorRequirement", {
  key: string().at(1).doc("The path of the field. Required."),
  operator: string().at(2).doc("In or NotIn."),
  values: elided(list(string(), { topology: "atomic" }))
    .at(3)
    .doc("The value that the field is compared with."),
});

const rawSelector = () =>
  elided(string()).at(1).doc("The selector as a query of a request states it. Excludes requirements.");

const FieldSelectorAttributes = struct("authorization.v1.FieldSelectorAttributes", {
  rawSelector: rawSelector(),
  requirements: elided(list(FieldSelectorRequirement, { topology: "atomic" }))
    .at(2)
    .doc("The parsed selector; all requirements must match."),
});
export type FieldSelectorAttributes = Static<typeof FieldSelectorAttributes>;

const LabelSelectorAttributes = struct("authorization.v1.LabelSelectorAttributes", {
  rawSelector: rawSelector(),
  requirements: elided(list(LabelSelectorRequirement, { topology: "atomic" }))
    .at(2)
    .doc("The parsed selector; all requirements must match."),
});
export type LabelSelectorAttributes = Static<typeof LabelSelectorAttributes>;

const resourceAttributes = (version: Version) =>
  struct(`authorization.${version}.ResourceAttributes`, {
    namespace: elided(string())
      .at(1)
      .doc("The namespace of the request. Empty: all namespaces, or a cluster-scoped resource."),
    verb: elided(string())
      .at(2)
      .doc("get, list, watch, create, update, patch, delete, deletecollection, proxy, or a special verb; * is all."),
    group: elided(string()).at(3).doc("The API group of the resource; * means all. Absent: the core group."),
    version: elided(string()).at(4).doc("The API version of the resource; * means all."),
    resource: elided(string()).at(5).doc("The resource, such as pods; * is all."),
    subresource: elided(string()).at(6).doc("The subresource, such as status. Empty: none."),
    name: elided(string()).at(7).doc("The name of the object. Empty: all."),
    fieldSelector: optional(FieldSelectorAttributes)
      .at(8)
      .since("1.31")
      .doc("What a list, watch or deletecollection selects by fields. Absent: everything."),
    labelSelector: optional(LabelSelectorAttributes)
      .at(9)
      .since("1.31")
      .doc("What a list, watch or deletecollection selects by labels. Absent: everything."),
  });

export const groupsField = () =>
  elided(list(string())).at(4).doc("The groups of the user. A user or a group is required.");

/** `groups`: the one field whose name differs. */
export const reviewSpec = <G>(version: Version, groups: G) =>
  struct(`authorization.${version}.SubjectAccessReviewSpec`, {
    resourceAttributes: optional(resourceAttributes(version))
      .at(1)
      .doc(
        "The request for a resource to ask about; exactly one of resourceAttributes and nonResourceAttributes must be set.",
      ),
    nonResourceAttributes: optional(nonResourceAttributes(version))
      .at(2)
      .doc("The request for a path that is not a resource to ask about; exactly one of the two must be set."),
    user: elided(string())
      .at(3)
      .doc("The user to ask about. With groups but no user, the question is about a member of the groups."),
    ...groups,
    extra: elided(map(list(string(), { wrapped: true })))
      .at(5)
      .doc("Further information about the user, by key."),
    uid: elided(string()).at(6).doc("The uid of the user. Absent: none."),
  });

export const reviewStatus = (version: Version) =>
  struct(`authorization.${version}.SubjectAccessReviewStatus`, {
    allowed: bool().at(1).doc("Whether the user may make the request. Set by the server."),
    reason: elided(string()).at(2).doc("Why the request is allowed or denied, for people."),
    evaluationError: elided(string()).at(3).doc("What went wrong while deciding; the decision may still be right."),
    denied: elided(bool())
      .at(4)
      .doc(
        "Whether an authorizer denied the request explicitly; allowed and denied are both false if none had an opinion.",
      ),
  });

export const NonResourceAttributes = nonResourceAttributes("v1");
export type NonResourceAttributes = Static<typeof NonResourceAttributes>;

export const ResourceAttributes = resourceAttributes("v1");
export type ResourceAttributes = Static<typeof ResourceAttributes>;

export const SubjectAccessReviewSpec = reviewSpec("v1", { groups: groupsField() });
export type SubjectAccessReviewSpec = Static<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReviewStatus = reviewStatus("v1");
export type SubjectAccessReviewStatus = Static<typeof SubjectAccessReviewStatus>;
