/** A policy that was applied to a request, as the trace of the request notes it. */

import type { AdmissionStep, StepOutcome } from "../../registry/contract/admission.ts";
import type { CompiledBinding } from "./compiled-policy.ts";
import type { Judgement } from "./judge.ts";

export const policyStep = (
  phase: AdmissionStep["phase"],
  policy: { readonly name: string },
  binding: CompiledBinding,
): AdmissionStep => ({
  plugin: phase === "mutate" ? "MutatingAdmissionPolicy" : "ValidatingAdmissionPolicy",
  phase,
  policy: { name: policy.name, binding: binding.name },
});

/** A binding may only warn of a violation, or only write it to the audit log. */
export function outcomeOf(
  { verdicts, failures }: Judgement,
  { ignoresErrors }: { readonly ignoresErrors: boolean },
  { actions }: CompiledBinding,
): StepOutcome {
  const message = [...failures, ...verdicts.map((verdict) => verdict.message)].join("; ");
  if (message === "") return { outcome: "allowed" };
  const isRefused = (failures.length > 0 && !ignoresErrors) || (verdicts.length > 0 && actions.includes("Deny"));
  return { outcome: isRefused ? "refused" : "ignored", message };
}

/** `problems`: what the policy did wrong. */
export function mutationOutcome(
  problems: readonly string[],
  { ignoresErrors }: { readonly ignoresErrors: boolean },
): StepOutcome {
  if (problems.length === 0) return { outcome: "allowed" };
  return { outcome: ignoresErrors ? "ignored" : "refused", message: problems.join("; ") };
}
