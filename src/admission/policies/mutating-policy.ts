/** A MutatingAdmissionPolicy as it changes objects. */

import type { MutatingAdmissionPolicy } from "../../api/admissionregistration/v1beta1/mutating-admission-policy.ts";
import type { Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import { type CompiledPolicy, compileCommon } from "./compiled-policy.ts";
import type { PolicyExpression } from "./expression.ts";

export interface CompiledMutation {
  readonly expression: PolicyExpression;
  /** Whether it returns operations; otherwise it returns a configuration that is merged. */
  readonly isJsonPatch: boolean;
}

export interface MutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly CompiledMutation[];
  /** Whether it runs again when the object changed afterwards. */
  readonly reinvoked: boolean;
}

export function* compileMutating(policy: MutatingAdmissionPolicy, release: Release): Steps<MutatingPolicy> {
  const { policy: common, more } = yield* compileCommon(policy, release);
  const mutations: CompiledMutation[] = [];
  for (const { patchType, applyConfiguration, jsonPatch } of policy.spec.mutations ?? []) {
    const isJsonPatch = patchType === "JSONPatch";
    const text = (isJsonPatch ? jsonPatch : applyConfiguration)?.expression ?? "";
    mutations.push({ expression: yield* more(text, { makesPatches: true }), isJsonPatch });
    yield;
  }
  return { ...common, mutations, reinvoked: policy.spec.reinvocationPolicy === "IfNeeded" };
}
