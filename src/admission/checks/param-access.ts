/**
 * Who writes a policy or a binding must be able to read the parameters that it names: a policy shows them to everybody whom it
 * refuses. Only a change of the reference is checked, so that others can still label such an object.
 */

import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import {
  type ParamRef,
  ValidatingAdmissionPolicyBinding,
} from "../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import { MutatingAdmissionPolicy } from "../../api/admissionregistration/v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding } from "../../api/admissionregistration/v1beta1/mutating-admission-policy-binding.ts";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import { mastersGroup } from "../../authz/masters.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import { type BoundKind, type Catalog, isVersionOf } from "../../machinery/schema/catalog.ts";
import { type FieldError, forbidden } from "../../machinery/status/field-error.ts";
import { invalidObject } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { lookUp } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

interface ParamAccessOptions {
  readonly authorizer: Authorizer;
  readonly registry: Registry;
  readonly catalog: Catalog;
}

type PolicyObject = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;
type BindingObject = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;
type ParamKind = NonNullable<PolicyObject["spec"]["paramKind"]>;
type Target = Pick<Attributes, "group" | "version" | "resource">;

const everything: Target = { group: "*", version: "*", resource: "*" };

export function createParamAccessCheck(options: ParamAccessOptions): AdmissionPlugin {
  const isPolicy = (kind: BoundKind) =>
    isVersionOf(kind, ValidatingAdmissionPolicy) || isVersionOf(kind, MutatingAdmissionPolicy);
  const isBinding = (kind: BoundKind) =>
    isVersionOf(kind, ValidatingAdmissionPolicyBinding) || isVersionOf(kind, MutatingAdmissionPolicyBinding);
  return {
    name: "ParamAccess",
    handles: ({ kind, subresource, operation }) =>
      subresource === "" && (operation === "CREATE" || operation === "UPDATE") && (isPolicy(kind) || isBinding(kind)),
    async validate(request) {
      if (request.user.groups.includes(mastersGroup)) return;
      const error = isPolicy(request.kind) ? await checkPolicy(options, request) : await checkBinding(options, request);
      if (error === undefined) return;
      const { group, kind } = request.kind;
      throw invalidObject({ group, kind }, request.object?.metadata.name ?? request.name, [error]);
    },
  };
}

async function checkPolicy(options: ParamAccessOptions, request: AdmissionRequest): Promise<FieldError | undefined> {
  // The kind of the request has been compared.
  const [next, old] = [request.object, request.old] as (PolicyObject | undefined)[];
  const paramKind = next?.spec.paramKind;
  if (paramKind === undefined || sameJson(paramKind, old?.spec.paramKind)) return undefined;
  const target = targetOf(options.catalog, paramKind);
  return may(options, request, { ...target, verb: "get", namespace: "*", name: "*" }, "spec.paramKind");
}

async function checkBinding(options: ParamAccessOptions, request: AdmissionRequest): Promise<FieldError | undefined> {
  // The kind of the request has been compared.
  const [next, old] = [request.object, request.old] as (BindingObject | undefined)[];
  if (next === undefined) return undefined;
  const { paramRef, policyName = "" } = next.spec;
  if (paramRef === undefined) return undefined;
  if (sameJson(paramRef, old?.spec.paramRef) && policyName === (old?.spec.policyName ?? "")) return undefined;
  const { catalog } = options;
  const policies = isVersionOf(request.kind, MutatingAdmissionPolicyBinding)
    ? catalog.of(MutatingAdmissionPolicy)
    : catalog.of(ValidatingAdmissionPolicy);
  // Both have the field, of one type.
  const policy = await lookUp(options, policies as BoundKind<PolicyObject>, { namespace: "", name: policyName });
  const paramKind = policy?.spec.paramKind;
  // The parameters of a policy that does not exist yet may be anything.
  const target = paramKind === undefined ? everything : targetOf(options.catalog, paramKind);
  return may(options, request, { ...target, ...readsOf(paramRef) }, "spec.paramRef");
}

const readsOf = ({ name = "", namespace = "" }: ParamRef) =>
  name === "" ? { verb: "list", namespace, name: "*" } : { verb: "get", namespace, name };

/** A kind that is not served may become any resource of its group. */
function targetOf(catalog: Catalog, { apiVersion = "", kind = "" }: ParamKind): Target {
  const slash = apiVersion.indexOf("/");
  const [group, version] = [slash < 0 ? "" : apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return { group, version, resource: catalog.byKind(group, version, kind)?.resource ?? "*" };
}

async function may(
  { authorizer }: ParamAccessOptions,
  { user }: AdmissionRequest,
  wanted: Target & Pick<Attributes, "verb" | "namespace" | "name">,
  field: string,
): Promise<FieldError | undefined> {
  const { outcome } = await authorizer.authorize({ user, isResource: true, path: "", subresource: "", ...wanted });
  if (outcome === "allow") return undefined;
  const { verb, resource, group } = wanted;
  const shown = group === "" ? resource : `${resource}.${group}`;
  return forbidden(field, `user "${user.name}" must be allowed to ${verb} the parameters (${shown})`);
}
