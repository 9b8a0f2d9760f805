/** SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview: whether a user may do something. */

import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "../../api/authorization/v1/review-spec.ts";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { aggregate } from "../../machinery/status/aggregate.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { ActionRequest, CreateAction } from "../../registry/contract/action.ts";
import { invalidReview, isBlank, reviewAnswer } from "./review.ts";
import { selectorErrors, selectorsOf } from "./review-selectors.ts";

/** The review is about the caller. */
export function createSelfSubjectAccessReview(authorizer: Authorizer): CreateAction {
  return {
    async create(request) {
      const review = request.kind.toHub(request.body);
      const spec = specOf(review);
      refuse(request, [...attributeErrors(spec, request.kind.family.environment), ...metadataErrors(review)]);
      return reviewAnswer(request, review, await check(authorizer, request.context.user, spec));
    },
  };
}

/** About any user: for servers that leave decisions to this one. */
export function createSubjectAccessReview(authorizer: Authorizer): CreateAction {
  return {
    async create(request) {
      const review = request.kind.toHub(request.body);
      const spec = specOf(review);
      refuse(request, [
        ...attributeErrors(spec, request.kind.family.environment),
        ...userErrors(spec),
        ...metadataErrors(review),
      ]);
      return reviewAnswer(request, review, await check(authorizer, userOf(spec), spec));
    },
  };
}

/** About any user, in one namespace. */
export function createLocalSubjectAccessReview(authorizer: Authorizer): CreateAction {
  return {
    async create(request) {
      const review = request.kind.toHub(request.body);
      const spec = specOf(review);
      const namespace = review.metadata.namespace ?? "";
      refuse(request, [
        ...attributeErrors(spec, request.kind.family.environment),
        ...userErrors(spec),
        ...metadataErrors({ ...review, metadata: { ...review.metadata, namespace: "" } }),
        ...localErrors(spec, namespace),
      ]);
      if (namespace !== request.ref.namespace) {
        throw badRequest(`the namespace of the review must be that of its path: ${request.ref.namespace}`);
      }
      return reviewAnswer(request, review, await check(authorizer, userOf(spec), spec));
    },
  };
}

async function check(
  authorizer: Authorizer,
  user: User,
  spec: SubjectAccessReviewSpec,
): Promise<SubjectAccessReviewStatus> {
  const { fields, labels } = selectorsOf(spec);
  const { outcome, reason, error } = await authorizer.authorize(attributesOf(user, spec));
  const errors = [...(error === undefined ? [] : [error]), ...(fields?.errors ?? []), ...(labels?.errors ?? [])];
  return {
    allowed: outcome === "allow",
    ...(reason === "" ? {} : { reason }),
    ...(errors.length === 0 ? {} : { evaluationError: aggregate(errors) }),
    ...(outcome === "deny" ? { denied: true } : {}),
  };
}

export function attributesOf(user: User, spec: SubjectAccessReviewSpec): Attributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const { fields, labels } = selectorsOf(spec);
  return {
    user,
    verb: resource?.verb ?? path?.verb ?? "",
    isResource: resource !== undefined,
    path: path?.path ?? "",
    group: resource?.group ?? "",
    version: resource?.version ?? "",
    resource: resource?.resource ?? "",
    subresource: resource?.subresource ?? "",
    namespace: resource?.namespace ?? "",
    name: resource?.name ?? "",
    fieldSelector: fields?.requirements,
    labelSelector: labels?.requirements,
  };
}

export function userOf(spec: SubjectAccessReviewSpec): User {
  return {
    name: spec.user ?? "",
    uid: spec.uid ?? "",
    groups: spec.groups ?? [],
    extra: new Map(Object.entries(spec.extra ?? {})),
  };
}

/** The body has been decoded by the declaration, so it has this shape; a body without a spec has an empty one. */
function specOf(review: ApiObject): SubjectAccessReviewSpec {
  return (review.spec ?? {}) as SubjectAccessReviewSpec;
}

function attributeErrors(spec: SubjectAccessReviewSpec, { has }: Pick<Environment, "has">): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (resource && path) {
    return [
      invalid(
        has("emptyReviews") ? "spec" : "spec.nonResourceAttributes",
        path,
        "cannot be given together with resourceAttributes",
      ),
    ];
  }
  if (resource) return selectorErrors(resource);
  if (path) return [];
  return [
    invalid(
      has("emptyReviews") ? "spec" : "spec.resourceAttributes",
      null,
      "resourceAttributes or nonResourceAttributes must be given",
    ),
  ];
}

function userErrors(spec: SubjectAccessReviewSpec): FieldError[] {
  return spec.user || spec.groups?.length ? [] : [invalid("spec.user", "", "a user or a group must be given")];
}

function metadataErrors({ metadata }: ApiObject): FieldError[] {
  const { managedFields: _tracked, ...rest } = metadata;
  return Object.values(rest).every(isBlank) ? [] : [invalid("metadata", rest, "must be empty")];
}

function localErrors(spec: SubjectAccessReviewSpec, namespace: string): FieldError[] {
  const errors: FieldError[] = [];
  const asked = spec.resourceAttributes;
  if (asked && (asked.namespace ?? "") !== namespace) {
    errors.push(
      invalid("spec.resourceAttributes.namespace", asked.namespace ?? "", "must be the namespace of the review"),
    );
  }
  if (spec.nonResourceAttributes) {
    errors.push(invalid("spec.nonResourceAttributes", spec.nonResourceAttributes, "a path is in no namespace"));
  }
  return errors;
}

function refuse(request: ActionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidReview(request.kind.group, errors);
}
