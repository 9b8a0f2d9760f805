/** The two reviews beyond v1.21: why a user may do something, and who may do it. */

import type { AccessExplanationStatus } from "../../api/access/v1alpha1/access-explanation.ts";
import type { AccessHoldersStatus } from "../../api/access/v1alpha1/access-holders.ts";
import type { AccessPath, NearestRule } from "../../api/access/v1alpha1/access-path.ts";
import type { SubjectAccessReviewSpec } from "../../api/authorization/v1/review-spec.ts";
import type { PolicyRule } from "../../api/rbac/v1/rules.ts";
import { explain, type NearMiss, type Path, pathsShownMax, whoCan } from "../../authz/explain.ts";
import type { PolicyRule as Rule } from "../../authz/policy-rule.ts";
import type { RbacIndex } from "../../authz/rbac-index.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { ActionRequest, CreateAction } from "../../registry/contract/action.ts";
import { attributesOf, userOf } from "./access-review.ts";

/** Answers a review in the shape of a SubjectAccessReview with the bindings and rules that decide it. */
export function createAccessExplanation(index: RbacIndex): CreateAction {
  return {
    async create(request) {
      const spec = questionOf(request);
      if (!spec.user && !spec.groups?.length) throw badRequest("spec.user or spec.groups must be given");
      const { allowed, granted, nearest, missing } = explain(index, attributesOf(userOf(spec), spec));
      const status: AccessExplanationStatus = {
        allowed,
        ...(granted.length > 0 ? { granted: granted.map(shownPath) } : {}),
        ...(nearest.length > 0 ? { nearest: nearest.map(shownNearest) } : {}),
        ...(missing === undefined ? {} : { missing: shownRule(missing) }),
      };
      return answer(request, status);
    },
  };
}

/** Answers with every subject that is allowed; the review does not name a user. */
export function createAccessHolders(index: RbacIndex): CreateAction {
  return {
    async create(request) {
      const spec = questionOf(request);
      const holders = whoCan(index, attributesOf(userOf(spec), spec));
      const status: AccessHoldersStatus = {
        ...(holders.length > 0 ? { holders: holders.map(shownPath) } : {}),
        ...(holders.length >= pathsShownMax ? { incomplete: true } : {}),
      };
      return answer(request, status);
    },
  };
}

function questionOf({ body }: ActionRequest): SubjectAccessReviewSpec {
  const spec = (body.spec ?? {}) as SubjectAccessReviewSpec; // decoded by the declaration
  if (!spec.resourceAttributes === !spec.nonResourceAttributes) {
    throw badRequest("one of spec.resourceAttributes and spec.nonResourceAttributes must be given");
  }
  return spec;
}

function shownPath({ subject, binding, role, rule }: Path): AccessPath {
  const { namespace, name } = binding;
  return {
    subject: { ...subject },
    binding: namespace === "" ? { kind: "ClusterRoleBinding", name } : { kind: "RoleBinding", namespace, name },
    role: { ...role },
    rule: shownRule(rule),
  };
}

function shownNearest(miss: NearMiss): NearestRule {
  return { ...shownPath(miss), differs: [...miss.differs] };
}

function shownRule({ verbs, ...others }: Rule): PolicyRule {
  // Rules of stored roles are frozen, so the answer gets a copy.
  return structuredClone({ verbs: [...(verbs ?? [])], ...others }) as PolicyRule; // of the same shape
}

function answer({ body }: ActionRequest, status: object) {
  return { object: { ...body, status }, code: 201 };
}
