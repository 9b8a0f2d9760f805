/** What access reviews ask and answer, in v1beta1. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, list, map, optional, string, struct } from "../../../machinery/schema/build.ts";

export const NonResourceAttributes = struct("authorization.v1beta1.NonResourceAttributes", {
  path: elided(string()).at(1),
  verb: elided(string()).at(2),
});
export type NonResourceAttributes = Static<typeof NonResourceAttributes>;

export const ResourceAttributes = struct("authorization.v1beta1.ResourceAttributes", {
  namespace: elided(string()).at(1),
  verb: elided(string()).at(2),
  group: elided(string()).at(3),
  version: elided(string()).at(4),
  resource: elided(string()).at(5),
  subresource: elided(string()).at(6),
  name: elided(string()).at(7),
});
export type ResourceAttributes = Static<typeof ResourceAttributes>;

export const SubjectAccessReviewSpec = struct("authorization.v1beta1.SubjectAccessReviewSpec", {
  resourceAttributes: optional(ResourceAttributes).at(1),
  nonResourceAttributes: optional(NonResourceAttributes).at(2),
  user: elided(string()).at(3),
  group: elided(list(string())).at(4),
  extra: elided(map(list(string(), { wrapped: true }))).at(5),
  uid: elided(string()).at(6),
});
export type SubjectAccessReviewSpec = Static<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReviewStatus = struct("authorization.v1beta1.SubjectAccessReviewStatus", {
  allowed: bool().at(1),
  reason: elided(string()).at(2),
  evaluationError: elided(string()).at(3),
  denied: elided(bool()).at(4),
});
export type SubjectAccessReviewStatus = Static<typeof SubjectAccessReviewStatus>;
