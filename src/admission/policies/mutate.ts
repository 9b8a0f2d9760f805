/** What one mutation of a policy makes of an object. */

import { inTimeSlices } from "../../base/time-slice.ts";
import type { Bindings } from "../../cel/contract.ts";
import { jsonPatchType } from "../../cel/library/patches.ts";
import { MadeObject } from "../../cel/values/made-object.ts";
import { toJson } from "../../cel/values/to-json.ts";
import { EvaluationError, List, type Value } from "../../cel/values/values.ts";
import { mergeConfiguration } from "../../machinery/apply/merge-configuration.ts";
import { FailedTest, jsonPatchSteps } from "../../machinery/patch/json-patch.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { type Budget, evaluate, type PolicyAccess } from "./evaluation.ts";
import type { CompiledMutation } from "./mutating-policy.ts";
import { PolicyProblem } from "./params.ts";

/** `given` has the object as it is; the result is JSON of the kind. Throws a PolicyProblem where the mutation cannot be carried out. */
export async function mutated(
  { expression, isJsonPatch }: CompiledMutation,
  object: unknown,
  {
    kind,
    given,
    budget,
    access,
  }: {
    readonly kind: BoundKind;
    readonly given: Bindings;
    readonly budget: Budget;
    readonly access: PolicyAccess;
  },
): Promise<unknown> {
  const value = await evaluate(expression, given, budget, access);
  if (value instanceof EvaluationError)
    throw new PolicyProblem(`expression '${expression.text.trim()}' resulted in error: ${value.message}`);
  try {
    return isJsonPatch ? await patched(object, value) : await merged(kind, object, value);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code >= 500) throw error;
    throw new PolicyProblem(isJsonPatch ? `JSON patch: ${error.message}` : `error applying patch: ${error.message}`);
  }
}

async function merged(kind: BoundKind, object: unknown, value: Value): Promise<unknown> {
  const configuration = jsonOf(value);
  return inTimeSlices(mergeConfiguration(kind, object, configuration));
}

/** A patch of which a test fails changes nothing. */
async function patched(object: unknown, value: Value): Promise<unknown> {
  if (!(value instanceof List))
    throw new PolicyProblem("type mismatch: the expression must return a list of JSONPatch");
  const operations: unknown[] = [];
  for (let at = 0; at < value.size; at++) {
    const made = value.at(at);
    if (!(made instanceof MadeObject) || made.type.name !== jsonPatchType.name)
      throw new PolicyProblem("type mismatch: the expression must return a list of JSONPatch");
    operations.push(operationOf(made));
  }
  try {
    return await inTimeSlices(jsonPatchSteps(object, operations, { takesWhole: true }));
  } catch (error) {
    if (error instanceof StatusError && error.cause instanceof FailedTest) return object;
    throw error;
  }
}

function operationOf(made: MadeObject): unknown {
  const members = [...made.fields].map(([name, value]) => [name, jsonOf(value)]);
  return Object.fromEntries(members);
}

function jsonOf(value: Value): unknown {
  const json = toJson(value);
  if (json instanceof EvaluationError) throw new PolicyProblem(json.message);
  return json;
}
