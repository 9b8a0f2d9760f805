/** Relations between the fields of a job's spec: what needs the Indexed mode, and what policies may say together. */

import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  required,
  together,
  tooLong,
  tooMany,
} from "../../../machinery/status/field-error.ts";
import { repeats } from "../../validation.ts";
import { indexCount, readIndexes } from "./completion-indexes.ts";
import {
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  policyRulesMax,
  type SuccessPolicyRule,
} from "./job-policies.ts";
import { JobSpec } from "./job-spec.ts";

const indexedParallelismMax = 100_000;
const failedIndexesMax = 100_000;
/** Beyond so many completions the list of failed indexes must stay short. */
const completionsWithoutLimits = 100_000;
const parallelismOfManyMax = 10_000;
const failedIndexesOfManyMax = 10_000;
const succeededIndexesBytesMax = 64 * 1024;

export const jobRelations: readonly Relation[] = [
  on(JobSpec, validateIndexed),
  on(JobSpec, validateFailurePolicy),
  on(JobSpec, validateSuccessPolicy),
  on(JobSpec, validateReplacement),
  on(PodFailurePolicyRule, validateRule),
  on(PodFailurePolicyOnExitCodesRequirement, validateExitCodes),
];

const atMost = (max: number) => `must be less than or equal to ${max}`;

function validateIndexed(spec: JobSpec): FieldErrors {
  const { completionMode = "NonIndexed", completions, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  const bound = (field: "parallelism" | "maxFailedIndexes", max: number, why = "") => {
    if ((spec[field] ?? 0) > max) errors.push(invalid(field, spec[field], `${atMost(max)}${why}`));
  };
  if (completionMode === "Indexed") {
    if (completions === undefined) errors.push(required("completions", "when completion mode is Indexed"));
    bound("parallelism", indexedParallelismMax, " when completion mode is Indexed");
    bound("maxFailedIndexes", Math.min(completions ?? Infinity, failedIndexesMax));
    if (backoffLimitPerIndex !== undefined && (completions ?? 0) > completionsWithoutLimits) {
      const why = ` when there are more than ${completionsWithoutLimits} completions and a limit for each index`;
      if (maxFailedIndexes === undefined) errors.push(required("maxFailedIndexes", `must be given${why}`));
      bound("parallelism", parallelismOfManyMax, why);
      bound("maxFailedIndexes", failedIndexesOfManyMax, why);
    }
  } else if (completionMode === "NonIndexed") {
    for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[field] !== undefined) errors.push(invalid(field, spec[field], "requires indexed completion mode"));
    }
  }
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(required("backoffLimitPerIndex", "when maxFailedIndexes is specified"));
  }
  return errors;
}

/** What rules need from the rest of the spec. */
function validateFailurePolicy({ podFailurePolicy, backoffLimitPerIndex, template }: JobSpec): FieldErrors {
  if (podFailurePolicy === undefined) return noErrors;
  const { containers, initContainers = [], restartPolicy = "" } = template.spec ?? {};
  // A list that is required is null when it was not given.
  const names = new Set([...(containers ?? []), ...initContainers].map(({ name }) => name));
  const errors: FieldError[] = [];
  if (restartPolicy === "OnFailure") {
    const why = "must be Never where podFailurePolicy is given";
    errors.push(invalid("template.spec.restartPolicy", restartPolicy, why));
  }
  for (const [at, { action, onExitCodes }] of (podFailurePolicy.rules ?? []).entries()) {
    const path = `podFailurePolicy.rules[${at}]`;
    if (action === "FailIndex" && backoffLimitPerIndex === undefined) {
      errors.push(invalid(`${path}.action`, action, "requires backoffLimitPerIndex"));
    }
    const { containerName } = onExitCodes ?? {};
    if (containerName !== undefined && !names.has(containerName)) {
      errors.push(invalid(`${path}.onExitCodes.containerName`, containerName, "must be a container of the template"));
    }
  }
  return errors;
}

function validateRule(rule: PodFailurePolicyRule): FieldErrors {
  const [hasCodes, hasConditions] = [rule.onExitCodes !== undefined, (rule.onPodConditions ?? []).length > 0];
  if (hasCodes !== hasConditions) return noErrors;
  return [invalid("", rule, "must have one of onExitCodes and onPodConditions, not both")];
}

function validateExitCodes({ operator, values }: PodFailurePolicyOnExitCodesRequirement): FieldErrors {
  const codes = values ?? [];
  if (codes.length === 0) return [invalid("values", codes, "at least one value is required")];
  const repeated = repeats(codes);
  const errors: FieldError[] = [];
  for (const [at, code] of codes.entries()) {
    if (operator === "In" && code === 0) errors.push(invalid(`values[${at}]`, code, "must not be 0 with operator In"));
    if (repeated.has(at)) errors.push(duplicate(`values[${at}]`, code));
  }
  const isOrdered = codes.every((code, at) => at === 0 || (codes[at - 1] ?? 0) <= code);
  return isOrdered ? errors : [...errors, invalid("values", codes, "must be ordered")];
}

function validateSuccessPolicy({ successPolicy, completionMode, completions = 0 }: JobSpec): FieldErrors {
  if (successPolicy === undefined) return noErrors;
  if (completionMode !== "Indexed") {
    return [invalid("successPolicy", successPolicy, "requires indexed completion mode")];
  }
  const rules = successPolicy.rules ?? [];
  if (rules.length === 0) return [required("successPolicy.rules", "at least one rule")];
  return together(
    rules.length > policyRulesMax ? [tooMany("successPolicy.rules", rules.length, policyRulesMax)] : noErrors,
    ...rules.map((rule, at) => validateSuccessRule(rule, `successPolicy.rules[${at}]`, completions)),
  );
}

function validateSuccessRule(rule: SuccessPolicyRule, path: string, completions: number): FieldErrors {
  const { succeededIndexes: text, succeededCount: count } = rule;
  if (text === undefined && count === undefined) {
    return [required(path, "one of succeededCount and succeededIndexes")];
  }
  const errors: FieldError[] = [];
  let named: number | undefined;
  if (text !== undefined) {
    const field = `${path}.succeededIndexes`;
    const ranges = readIndexes(text, completions);
    if (Buffer.byteLength(text) > succeededIndexesBytesMax) {
      errors.push(tooLong(field, text, succeededIndexesBytesMax));
    }
    if (ranges === undefined) errors.push(invalid(field, text, `must be a list of indexes below ${completions}`));
    named = indexCount(ranges ?? []);
  }
  if (count !== undefined && count < 0) {
    errors.push(invalid(`${path}.succeededCount`, count, "must be greater than or equal to 0"));
  }
  if (count !== undefined && count > Math.min(completions, named ?? Infinity)) {
    errors.push(invalid(`${path}.succeededCount`, count, "must not be more than the indexes that can succeed"));
  }
  return errors;
}

function validateReplacement({ podReplacementPolicy: policy, podFailurePolicy }: JobSpec): FieldErrors {
  if (policy === undefined) return noErrors;
  // With a failure policy it must be known how a pod ended before it is replaced.
  const allowed = podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  return allowed.includes(policy) ? noErrors : [notSupported("podReplacementPolicy", policy, allowed)];
}
