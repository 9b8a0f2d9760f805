/** ValidatingAdmissionPolicy: judges requests by the expressions of policies, where bindings apply them. */

import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import { ValidatingAdmissionPolicyBinding } from "../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { jsonValue } from "../../cel/values/json.ts";
import { EvaluationError } from "../../cel/values/values.ts";
import { type BoundKind, isVersionOf } from "../../machinery/schema/catalog.ts";
import { StatusError, type StatusReason } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import {
  type CompiledBinding,
  type CompiledPolicy,
  compileBinding,
  compilePolicy,
} from "../policies/compiled-policy.ts";
import { PolicyAccess } from "../policies/evaluation.ts";
import { conditionsHold, inputsOf, type Judgement, judge, type PolicyVerdict } from "../policies/judge.ts";
import { matchedKind, nameOf } from "../policies/matched-kind.ts";
import { PolicyProblem, paramKindOf, paramsOf } from "../policies/params.ts";
import { createSelection } from "../webhooks/selection.ts";

const name = "ValidatingAdmissionPolicy";

export function createValidatingAdmissionPolicy(context: AdmissionContext): AdmissionPlugin {
  const { registry, catalog } = context;
  const policies = new Map<string, CompiledPolicy>();
  const bindings = new Map<string, CompiledBinding>();
  const policyKind = catalog.of(ValidatingAdmissionPolicy);
  const bindingKind = catalog.of(ValidatingAdmissionPolicyBinding);
  const { level } = catalog.environment;
  registry.observe(policyKind, ({ entry, deleted }) => {
    if (deleted) policies.delete(entry.name);
    else policies.set(entry.name, compilePolicy(entry.object(), level));
  });
  registry.observe(bindingKind, ({ entry, deleted }) => {
    if (deleted) bindings.delete(entry.name);
    else bindings.set(entry.name, compileBinding(entry.object()));
  });
  for (const entry of registry.peekAll(policyKind)) policies.set(entry.name, compilePolicy(entry.object(), level));
  for (const entry of registry.peekAll(bindingKind)) bindings.set(entry.name, compileBinding(entry.object()));
  return {
    name,
    handles: ({ kind }) => bindings.size > 0 && policies.size > 0 && !isExempt(kind),
    validate: (request) => validate(context, request, policies, [...bindings.values()]),
  };
}

/** A broken policy must be repairable, and questions about access are not writes. */
function isExempt(kind: BoundKind): boolean {
  if (isVersionOf(kind, ValidatingAdmissionPolicy) || isVersionOf(kind, ValidatingAdmissionPolicyBinding)) return true;
  const { group } = kind.declaration;
  return ["authentication.orch.io", "authorization.orch.io"].includes(group) && kind.resource.endsWith("reviews");
}

interface Refused extends Pick<PolicyVerdict, "message" | "reason"> {
  readonly policy: string;
  readonly binding: string;
}

/** All policies are asked, so that warnings are complete; the first refusal is the answer. */
async function validate(
  context: AdmissionContext,
  request: AdmissionRequest,
  policies: ReadonlyMap<string, CompiledPolicy>,
  bindings: readonly CompiledBinding[],
): Promise<void> {
  const { vocabulary } = context.catalog.environment;
  const selection = createSelection(context, request);
  const access = new PolicyAccess(context.authorizer, request.user);
  const refused: Refused[] = [];
  const audited: unknown[] = [];
  const annotations = new Map<string, Set<string>>();
  for (const policyName of [...policies.keys()].sort()) {
    const policy = policies.get(policyName)!;
    const ofPolicy = bindings.filter((binding) => binding.policy === policyName);
    if (ofPolicy.length === 0) continue;
    const kind = matchedKind(policy.match, request);
    if (kind === undefined || !(await selection.chooses(policy.match))) continue;
    const fail = (problem: string, binding: string): void => {
      if (!policy.ignoresErrors) refused.push({ policy: policyName, binding, message: problem, reason: "Invalid" });
    };
    if (policy.paramKind !== undefined && paramKindOf(context, policy.paramKind) === undefined) {
      const { apiVersion, kind: paramKind } = policy.paramKind;
      fail(
        `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${paramKind}'`,
        "",
      );
      continue;
    }
    const inputs = await inputsOf(request, kind, await namespaceOf(context, request), access);
    for (const binding of ofPolicy.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const { match } = binding;
      if (match !== undefined && (matchedKind(match, request) === undefined || !(await selection.chooses(match))))
        continue;
      try {
        for (const params of await paramsOf(context, policy, binding, request)) {
          const given = { ...inputs, ...(policy.paramKind === undefined ? {} : { params: jsonValue(params ?? null) }) };
          const holds = await conditionsHold(policy.conditions, given, access);
          if (holds === false) continue;
          const judgement =
            holds instanceof EvaluationError ? unmatched(policy, holds) : await judge(policy, given, access);
          for (const failure of judgement.failures) fail(failure, binding.name);
          for (const [key, value] of judgement.annotations) {
            const known = annotations.get(key) ?? new Set();
            annotations.set(key, known.add(value));
          }
          for (const verdict of judgement.verdicts) {
            const { message, reason, expressionIndex } = verdict;
            if (binding.actions.includes("Deny"))
              refused.push({ policy: policyName, binding: binding.name, message, reason });
            if (binding.actions.includes("Warn"))
              request.warn(`Validation failed for ${name} '${policyName}' with binding '${binding.name}': ${message}`);
            if (binding.actions.includes("Audit"))
              audited.push({
                message,
                policy: policyName,
                binding: binding.name,
                expressionIndex,
                validationActions: binding.actions,
              });
          }
        }
      } catch (error) {
        if (!(error instanceof PolicyProblem)) throw error;
        fail(`failed to configure binding: ${error.message}`, binding.name);
      }
    }
  }
  for (const [key, values] of annotations) request.annotate(key, [...values].join(", "));
  if (audited.length > 0)
    request.annotate(
      vocabulary.word("validation.policy.admission.orch.io/validation_failure"),
      JSON.stringify(audited),
    );
  const first = refused[0];
  if (first !== undefined) throw refusal(request, first);
}

/** A condition that fails counts as a validation that fails. */
function unmatched({ ignoresErrors }: CompiledPolicy, { message }: EvaluationError): Judgement {
  const verdict = { message: `match condition resulted in error: ${message}`, reason: "Invalid", expressionIndex: 0 };
  return { verdicts: ignoresErrors ? [] : [verdict], annotations: new Map(), failures: [] };
}

function namespaceOf(context: AdmissionContext, request: AdmissionRequest) {
  if (isVersionOf(request.kind, Namespace)) return undefined;
  if (request.namespace === "") return undefined;
  return lookUp(context, context.catalog.of(Namespace), { namespace: "", name: request.namespace });
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
