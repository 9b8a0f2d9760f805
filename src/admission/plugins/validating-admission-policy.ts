/** ValidatingAdmissionPolicy: judges requests by the expressions of policies, where bindings apply them. */

import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import { ValidatingAdmissionPolicyBinding } from "../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import type { Bindings } from "../../cel/contract.ts";
import { EvaluationError } from "../../cel/values/values.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { StatusError, type StatusReason } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { PolicyAccess } from "../policies/evaluation.ts";
import { type FollowedPolicies, followPolicies } from "../policies/follow-policies.ts";
import { invocationsOf, isExemptFromPolicies, namespaceOf } from "../policies/invocations.ts";
import { conditionsHold, failed, inputsOf, judge, type PolicyVerdict } from "../policies/judge.ts";
import { nameOf } from "../policies/matched-kind.ts";
import { paramBindings } from "../policies/params.ts";
import { outcomeOf, policyStep } from "../policies/traced-step.ts";
import { compileValidating, type ValidatingPolicy } from "../policies/validating-policy.ts";

const name = "ValidatingAdmissionPolicy";

export function createValidatingAdmissionPolicy(context: AdmissionContext): AdmissionPlugin {
  const { registry, catalog } = context;
  if (!catalog.environment.gates.enabled("ValidatingAdmissionPolicy")) return { name, handles: () => false };
  const followed = followPolicies(
    registry,
    catalog.of(ValidatingAdmissionPolicy),
    catalog.of(ValidatingAdmissionPolicyBinding),
    (policy) => compileValidating(policy, catalog.environment.level),
  );
  return {
    name,
    handles: ({ kind }) => followed.bindings.size > 0 && followed.policies.size > 0 && !isExemptFromPolicies(kind),
    validate: (request) => validate(context, request, followed),
  };
}

/** What one request adds to the audit record: bindings that choose thousands of parameters have as many results. What is over it is left out. */
export const auditedBytesMax = 256 * 1024;

interface Refused extends Pick<PolicyVerdict, "message" | "reason"> {
  readonly policy: string;
  readonly binding: string;
}

/** All policies are asked, so that warnings are complete; the first refusal is the answer. */
async function validate(
  context: AdmissionContext,
  request: AdmissionRequest,
  followed: FollowedPolicies<ValidatingPolicy>,
): Promise<void> {
  const { vocabulary } = context.catalog.environment;
  const access = new PolicyAccess(context.authorizer, request.user);
  let refused: Refused | undefined;
  let auditedBytes = 0;
  const isAudited = (text: string): boolean => {
    auditedBytes += Buffer.byteLength(text);
    return auditedBytes <= auditedBytesMax;
  };
  const audited: unknown[] = [];
  const annotations = new Map<string, Set<string>>();
  const fail = ({ name: policy, ignoresErrors }: ValidatingPolicy, binding: string, message: string): void => {
    if (!ignoresErrors) refused ??= { policy, binding, message, reason: "Invalid" };
  };
  const inputs = new Map<BoundKind, Bindings>();
  for await (const { policy, binding, param, kind } of invocationsOf(context, request, followed, fail)) {
    const seen = inputs.get(kind) ?? (await inputsOf(request, kind, await namespaceOf(context, request), access));
    inputs.set(kind, seen);
    const given = { ...seen, ...(await paramBindings(policy, param)) };
    const holds = await conditionsHold(policy.conditions, given, access);
    if (holds === false) continue;
    const traced = request.trace?.begin(request, policyStep("validate", policy, binding));
    const judgement =
      holds instanceof EvaluationError
        ? failed(policy, `match condition resulted in error: ${holds.message}`)
        : await judge(policy, given, access);
    for (const failure of judgement.failures) fail(policy, binding.name, failure);
    for (const [key, value] of judgement.annotations) {
      const known = annotations.get(key) ?? new Set();
      if (!known.has(value) && isAudited(value)) annotations.set(key, known.add(value));
    }
    traced?.(outcomeOf(judgement, policy, binding));
    const { name: policyName } = policy;
    for (const { message, reason, expressionIndex } of judgement.verdicts) {
      if (binding.actions.includes("Deny")) refused ??= { policy: policyName, binding: binding.name, message, reason };
      if (binding.actions.includes("Warn"))
        request.warn(`Validation failed for ${name} '${policyName}' with binding '${binding.name}': ${message}`);
      if (binding.actions.includes("Audit") && isAudited(message))
        audited.push({
          message,
          policy: policyName,
          binding: binding.name,
          expressionIndex,
          validationActions: binding.actions,
        });
    }
  }
  for (const [key, values] of annotations) request.annotate(key, [...values].join(", "));
  if (audited.length > 0)
    request.annotate(
      vocabulary.word("validation.policy.admission.orch.io/validation_failure"),
      JSON.stringify(audited),
    );
  if (refused !== undefined) throw refusal(request, refused);
}

function refusal(request: AdmissionRequest, { policy, binding, message, reason }: Refused): StatusError {
  const { group, resource } = request.kind;
  const objectName =
    (request.ofCollection ? "" : nameOf(request)) || request.object?.metadata.generateName || "Unknown";
  const by = binding === "" ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `${name} ${by} denied request: ${message}`;
  const subject = `${group === "" ? resource : `${resource}.${group}`} "${objectName}"`;
  return new StatusError(reason as StatusReason, `${subject} is forbidden: ${text}`, {
    // one of the reasons that validation accepts
    details: { name: objectName, ...(group === "" ? {} : { group }), kind: resource, causes: [{ message: text }] },
  });
}
