/** The two questions beyond v1.21: why may somebody do something, and who may do it. */

import type { SubjectAccessReviewSpec } from "../../api/authorization/v1/review-spec.ts";
import { explain, whoCan } from "../../authz/explain.ts";
import type { RbacIndex } from "../../authz/rbac-index.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { ActionRequest, CreateAction } from "../../registry/contract.ts";
import { attributesOf, userOf } from "./access-review.ts";

/** Answers a question of the shape of a SubjectAccessReview with the bindings and rules that decide it. */
export function createAccessExplanation(index: RbacIndex): CreateAction {
  return {
    async create(request) {
      const spec = questionOf(request);
      return answer(request, explain(index, attributesOf(userOf(spec), spec)));
    },
  };
}

/** Answers with every subject that may; the question names no user. */
export function createAccessHolders(index: RbacIndex): CreateAction {
  return {
    async create(request) {
      const spec = questionOf(request);
      return answer(request, { holders: whoCan(index, attributesOf(userOf(spec), spec)) });
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

function answer({ body }: ActionRequest, status: object) {
  return { object: { ...body, status }, code: 201 };
}
