/** Which policies apply to a request, with which bindings and parameters. */

import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import { ValidatingAdmissionPolicyBinding } from "../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import { MutatingAdmissionPolicy } from "../../api/admissionregistration/v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding } from "../../api/admissionregistration/v1beta1/mutating-admission-policy-binding.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import { type BoundKind, isVersionOf } from "../../machinery/schema/catalog.ts";
import { timeout } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp } from "../context.ts";
import { createSelection } from "../selection.ts";
import type { CompiledBinding, CompiledPolicy } from "./compiled-policy.ts";
import type { FollowedPolicies } from "./follow-policies.ts";
import { matchedKind } from "./matched-kind.ts";
import { type Param, PolicyProblem, paramKindOf, paramsOf } from "./params.ts";

export interface Invocation<P extends CompiledPolicy> {
  readonly policy: P;
  readonly binding: CompiledBinding;
  /** Undefined: the binding names none. */
  readonly param: Param | undefined;
  /** The version in which expressions see the objects. */
  readonly kind: BoundKind;
}

/** Reports a policy that cannot be applied as it is configured; `binding` is "" where it is the policy itself. */
type Fail<P> = (policy: P, binding: string, problem: string) => void;

/** Bindings that choose more parameters leave the event loop to others before the first of them: many requests may arrive together. */
export const paramsAtOnceMax = 16;

/** Yields to the event loop between evaluations, and between policies and bindings that do not match. Throws when the request was canceled or timed out. */
export async function betweenEvaluations(request: AdmissionRequest, slice: TimeSlice): Promise<void> {
  if (slice.isLong) await slice.next();
  if (request.signal.aborted) throw timeout("the request was canceled or timed out");
}

/** In the order of the names of policies, then of bindings. */
export async function* invocationsOf<P extends CompiledPolicy>(
  context: AdmissionContext,
  request: AdmissionRequest,
  { policies, bound }: FollowedPolicies<P>,
  fail: Fail<P>,
): AsyncGenerator<Invocation<P>> {
  const selection = createSelection(context, request);
  const slice = new TimeSlice();
  for (const [name, ofPolicy] of bound()) {
    await betweenEvaluations(request, slice);
    // There may be none, or it was deleted meanwhile.
    const policy = await policies.get(name);
    if (policy === undefined) continue;
    const kind = matchedKind(policy.match, request);
    if (kind === undefined || !(await selection.chooses(policy.match))) continue;
    if (policy.paramKind !== undefined && paramKindOf(context, policy.paramKind) === undefined) {
      const { apiVersion, kind: paramKind } = policy.paramKind;
      const problem = `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${paramKind}'`;
      fail(policy, "", `failed to configure policy: ${problem}`);
      continue;
    }
    for (const binding of ofPolicy) {
      await betweenEvaluations(request, slice);
      const { match } = binding;
      if (match !== undefined && (matchedKind(match, request) === undefined || !(await selection.chooses(match))))
        continue;
      try {
        const params = await paramsOf(context, policy, binding, request);
        if (params.length > paramsAtOnceMax) await slice.next();
        for (const param of params) {
          await betweenEvaluations(request, slice);
          yield { policy, binding, param, kind };
        }
      } catch (error) {
        if (!(error instanceof PolicyProblem)) throw error;
        fail(policy, binding.name, `failed to configure binding: ${error.message}`);
      }
    }
  }
}

/** A broken policy must be repairable, and questions about access are not writes. */
export function isExemptFromPolicies(kind: BoundKind): boolean {
  const policies = [
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
  ];
  if (policies.some((policy) => isVersionOf(kind, policy))) return true;
  const { group } = kind.declaration;
  return ["authentication.orch.io", "authorization.orch.io"].includes(group) && kind.resource.endsWith("reviews");
}

/** The namespace of the object; undefined: it has none, or is one. */
export function namespaceOf(context: AdmissionContext, request: AdmissionRequest) {
  if (isVersionOf(request.kind, Namespace)) return undefined;
  if (request.namespace === "") return undefined;
  return lookUp(context, context.catalog.of(Namespace), { namespace: "", name: request.namespace }, request);
}
