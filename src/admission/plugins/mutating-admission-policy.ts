/** MutatingAdmissionPolicy: changes objects by the expressions of policies, where bindings apply them. */

import { MutatingAdmissionPolicy } from "../../api/admissionregistration/v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding } from "../../api/admissionregistration/v1beta1/mutating-admission-policy-binding.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import type { Bindings } from "../../cel/contract.ts";
import { requestCostMax } from "../../cel/limits.ts";
import { EvaluationError } from "../../cel/values/values.ts";
import { bodyBytesMax, nestingMax } from "../../machinery/json/json-gate.ts";
import { jsonBytes } from "../../machinery/json/json-size.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { budgetOf, PolicyAccess, Variables } from "../policies/evaluation.ts";
import { type FollowedPolicies, followPolicies } from "../policies/follow-policies.ts";
import {
  betweenEvaluations,
  type Invocation,
  invocationsOf,
  isExemptFromPolicies,
  namespaceOf,
} from "../policies/invocations.ts";
import { conditionsHold, inputsOf } from "../policies/judge.ts";
import { nameOf } from "../policies/matched-kind.ts";
import { mutated } from "../policies/mutate.ts";
import { compileMutating, type MutatingPolicy } from "../policies/mutating-policy.ts";
import { PolicyProblem, paramBindings } from "../policies/params.ts";
import { mutationOutcome, policyStep } from "../policies/traced-step.ts";
import { createReinvocation, type Reinvocation } from "../webhooks/reinvocation.ts";

const name = "MutatingAdmissionPolicy";

export function createMutatingAdmissionPolicy(context: AdmissionContext): AdmissionPlugin {
  const { registry, catalog } = context;
  if (!catalog.environment.gates.enabled("MutatingAdmissionPolicy")) return { name, handles: () => false };
  const followed = followPolicies(
    registry,
    catalog.of(MutatingAdmissionPolicy),
    catalog.of(MutatingAdmissionPolicyBinding),
    (policy) => compileMutating(policy, catalog.environment.level),
  );
  const underWay = new WeakMap<AdmissionRequest, Reinvocation>();
  return {
    name,
    handles: ({ kind, operation }) =>
      followed.bindings.size > 0 && followed.policies.size > 0 && operation !== "DELETE" && !isExemptFromPolicies(kind),
    async mutate(request) {
      const reinvocation = underWay.get(request) ?? createReinvocation();
      underWay.set(request, reinvocation);
      reinvocation.begin(request);
      await mutateAll(context, request, followed, reinvocation);
      reinvocation.end(request);
    },
  };
}

/** How many failures an answer tells: a policy may fail for each of thousands of parameters. */
export const failuresShownMax = 100;

interface Failure {
  readonly reason: "Forbidden" | "Invalid";
  readonly message: string;
}

/** Which policies match is decided before the first of them changes anything. */
async function mutateAll(
  context: AdmissionContext,
  request: AdmissionRequest,
  followed: FollowedPolicies<MutatingPolicy>,
  reinvocation: Reinvocation,
): Promise<void> {
  const failures: Failure[] = [];
  let untold = 0;
  const fail =
    (reason: Failure["reason"]) =>
    ({ name: policy, ignoresErrors }: MutatingPolicy, binding: string, problem: string): void => {
      if (ignoresErrors) return;
      const by = binding === "" ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
      if (failures.length < failuresShownMax)
        failures.push({ reason, message: `policy ${by} denied request: ${problem}` });
      else untold++;
    };
  const invocations: Invocation<MutatingPolicy>[] = [];
  for await (const invocation of invocationsOf(context, request, followed, fail("Forbidden")))
    invocations.push(invocation);
  const access = new PolicyAccess(context.authorizer, request.user);
  const slice = new TimeSlice();
  for (const invocation of invocations) {
    await betweenEvaluations(request, slice);
    await invoke(context, request, invocation, { access, reinvocation, fail: fail("Invalid") });
  }
  const [first] = failures;
  if (first !== undefined) throw refusal(request, first, failures, untold);
}

interface Invoking {
  readonly access: PolicyAccess;
  readonly reinvocation: Reinvocation;
  fail(policy: MutatingPolicy, binding: string, problem: string): void;
}

async function invoke(
  context: AdmissionContext,
  request: AdmissionRequest,
  { policy, binding, param, kind }: Invocation<MutatingPolicy>,
  { access, reinvocation, fail }: Invoking,
): Promise<void> {
  const params = await paramBindings(policy, param);
  const namespace = await namespaceOf(context, request);
  const inputs = async (): Promise<Bindings> => ({ ...(await inputsOf(request, kind, namespace, access)), ...params });
  const holds = await conditionsHold(policy.conditions, await inputs(), access);
  if (holds === false) return;
  if (holds instanceof EvaluationError)
    return fail(policy, binding.name, `match condition resulted in error: ${holds.message}`);
  const { namespace: of = "", name: named = "" } = param ?? {};
  const invoked = { id: `${policy.name}/${binding.name}/${of}/${named}`, reinvoked: policy.reinvoked };
  if (!reinvocation.calls(request, invoked)) return;
  const traced = request.trace?.begin(request, policyStep("mutate", policy, binding));
  const problems: string[] = [];
  let changed = false;
  for (const mutation of policy.mutations) {
    const { object } = await request.in(kind);
    // A connection may have no options to change.
    if (object === undefined) continue;
    // Each mutation has its own budget, and its own values of the variables: it sees what those before it changed.
    const budget = budgetOf(requestCostMax);
    const seen = await inputs();
    const given = { ...seen, variables: new Variables(policy.variablesType, policy.variables, seen, budget) };
    try {
      const next = await mutated(mutation, object, { kind, given, budget, access });
      if (next === object) continue;
      if (jsonBytes(next, bodyBytesMax, nestingMax) > bodyBytesMax)
        throw new PolicyProblem(`the result is larger than ${bodyBytesMax} bytes`);
      changed = (await request.replace(next, kind)) || changed;
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      fail(policy, binding.name, problem);
      problems.push(problem);
    }
  }
  traced?.(mutationOutcome(problems, policy));
  reinvocation.called(invoked, changed);
  if (changed) request.changedBy(`policy ${policy.name} by ${binding.name}`);
}

/** What the policy did wrong; undefined: it was not the policy. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof PolicyProblem) return error.message;
  return error instanceof StatusError && error.code < 500 ? error.message : undefined;
}

/** As the reference answers: 403, whatever the reason of the first failure. */
/** `untold`: how many more failures there are. */
function refusal(request: AdmissionRequest, first: Failure, failures: readonly Failure[], untold: number): StatusError {
  const causes = failures.map(({ message }) => ({ message }));
  if (untold > 0) causes.push({ message: `and ${untold} more` });
  const { group, resource } = request.kind;
  const objectName = nameOf(request) || request.object?.metadata.generateName || "Unknown";
  return new StatusError(first.reason, first.message, {
    code: 403,
    details: {
      name: objectName,
      ...(group === "" ? {} : { group }),
      kind: resource,
      causes,
    },
  });
}
