/** Checks of the status of a job, whichever controller writes it: counts, times and conditions must fit together. */

import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import {
  both,
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  required,
} from "../../../machinery/status/field-error.ts";
import { has } from "../../features.ts";
import { overlap, readIndexes } from "./completion-indexes.ts";
import type { JobSpec } from "./job-spec.ts";
import { JobStatus } from "./job-status.ts";

interface JobParts {
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}

const checkStatus = checker(JobStatus);

export function validateJobStatus(job: JobParts, old: JobParts, environment: Environment): FieldErrors {
  const errors = both(checkStatus(job.status, "status", environment), uncountedPods(job.status));
  if (!has(environment, "checkedJobStatus")) return errors;
  const [next, before] = [job.status ?? {}, old.status ?? {}];
  const change: Change = {
    spec: job.spec ?? { template: {} },
    next,
    before,
    is: (type) => isTrue(next, type),
    turned: (type) => isTrue(next, type) !== isTrue(before, type),
    changed: (...fields) => fields.some((field) => !sameValue(next[field], before[field])),
  };
  return both(
    errors,
    checks.flatMap((check) => [...check(change)]).map((e) => ({ ...e, field: `status.${e.field}` })),
  );
}

/** A write of the status. Most rules only judge what it changes, so that a status that once was accepted can be written again. */
interface Change {
  readonly spec: JobSpec;
  readonly next: JobStatus;
  readonly before: JobStatus;
  /** Whether a condition holds now. */
  is(type: string): boolean;
  /** Whether a condition began or ceased to hold. */
  turned(type: string): boolean;
  changed(...fields: (keyof JobStatus)[]): boolean;
}

const isTrue = ({ conditions = [] }: JobStatus, type: string) =>
  conditions.some((condition) => condition.type === type && condition.status === "True");

const checks: readonly ((change: Change) => FieldErrors)[] = [
  conditions,
  conditionsThatStay,
  times,
  ended,
  counts,
  indexes,
];

function uncountedPods({ uncountedTerminatedPods: pods }: JobStatus = {}): FieldErrors {
  const seen = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((list) =>
    (pods?.[list] ?? []).flatMap((uid, at): FieldError[] => {
      const field = `status.uncountedTerminatedPods.${list}[${at}]`;
      if (uid !== "" && seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

const refused = (why: string) => invalid("conditions", undefined, why);

/** Which conditions go together. */
function conditions({ spec, is, turned }: Change): FieldErrors {
  const errors: FieldError[] = [];
  const exclude = (one: string, other: string, always = false) => {
    if (is(one) && is(other) && (always || turned(one) || turned(other))) {
      errors.push(refused(`${one} and ${other} exclude each other`));
    }
  };
  exclude("Complete", "Failed");
  exclude("Complete", "FailureTarget");
  exclude("SuccessCriteriaMet", "Failed", true);
  exclude("SuccessCriteriaMet", "FailureTarget", true);
  const announce = (end: string, first: string, always = false) => {
    if (is(end) && !is(first) && (always || turned(end) || turned(first))) {
      errors.push(refused(`${end} needs ${first}`));
    }
  };
  announce("Failed", "FailureTarget");
  announce("Complete", "SuccessCriteriaMet", spec.successPolicy !== undefined);
  return errors;
}

/** A job that has ended does not begin again. */
function conditionsThatStay({ before, is, turned }: Change): FieldErrors {
  const errors = ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"]
    .filter((type) => turned(type) && !is(type))
    .map((type) => refused(`${type} cannot be taken back`));
  if (turned("SuccessCriteriaMet") && is("SuccessCriteriaMet") && isTrue(before, "Complete")) {
    errors.push(refused("SuccessCriteriaMet cannot be set on a job that is complete"));
  }
  return errors;
}

function times({ spec, next, before, is, turned, changed }: Change): FieldErrors {
  const { startTime, completionTime } = next;
  const errors: FieldError[] = [];
  if (turned("Complete") || changed("completionTime")) {
    if (completionTime && !is("Complete")) {
      errors.push(invalid("completionTime", completionTime, "only a job that is complete has one"));
    }
    if (!completionTime && is("Complete")) errors.push(required("completionTime", "a job that is complete has one"));
  }
  if (completionTime && before.completionTime && changed("completionTime")) {
    errors.push(invalid("completionTime", completionTime, "cannot be changed"));
  }
  if (!changed("startTime", "completionTime")) return errors;
  if (startTime && completionTime && Date.parse(completionTime) < Date.parse(startTime)) {
    errors.push(invalid("completionTime", completionTime, "must not be before startTime"));
  }
  // A job that is resumed starts again.
  const isResumed = isTrue(before, "Suspended") && !is("Suspended");
  if (before.startTime && changed("startTime") && spec.suspend !== true && !isResumed) {
    errors.push(required("startTime", "cannot be changed unless the job is suspended"));
  }
  return errors;
}

/** What a job that has ended must and must not have. */
function ended({ spec, next, is, turned, changed }: Change): FieldErrors {
  if (!is("Complete") && !is("Failed")) return [];
  const errors: FieldError[] = [];
  const isNew = turned("Complete") || turned("Failed");
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods: uncounted } = next;
  const why = "a job that has ended has none";
  if (active > 0 && (isNew || changed("active"))) errors.push(invalid("active", active, why));
  if (terminating > 0 && (isNew || changed("terminating"))) errors.push(invalid("terminating", terminating, why));
  const isEmpty = spec.suspend === true && spec.completions === 0;
  if (!startTime && !isEmpty && (isNew || changed("startTime"))) {
    errors.push(required("startTime", "a job that has ended has one"));
  }
  const uncountedPodsLeft = (uncounted?.succeeded ?? []).length + (uncounted?.failed ?? []).length;
  if (uncountedPodsLeft > 0 && (isNew || changed("uncountedTerminatedPods"))) {
    errors.push(invalid("uncountedTerminatedPods", uncounted, why));
  }
  return errors;
}

function counts({ spec, next, before, changed }: Change): FieldErrors {
  const errors: FieldError[] = [];
  const notLess = (field: "failed" | "succeeded") => {
    if ((next[field] ?? 0) < (before[field] ?? 0)) errors.push(invalid(field, next[field] ?? 0, "cannot be decreased"));
  };
  notLess("failed");
  // A job whose completions and parallelism are equal can be scaled down.
  const isElastic = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (!isElastic) notLess("succeeded");
  const { ready, active = 0 } = next;
  if (ready !== undefined && ready > active && changed("ready", "active")) {
    errors.push(invalid("ready", ready, "must not be more than the active pods"));
  }
  return errors;
}

function indexes({ spec, next, changed }: Change): FieldErrors {
  const { completedIndexes = "", failedIndexes } = next;
  const { completions, completionMode, backoffLimitPerIndex } = spec;
  const errors: FieldError[] = [];
  const read = (text: string) => (completions === undefined ? [] : readIndexes(text, completions));
  const [done, failed] = [read(completedIndexes), read(failedIndexes ?? "")];
  const notAList = `must be a list of indexes below ${completions}`;
  if (changed("completedIndexes")) {
    if (done === undefined) errors.push(invalid("completedIndexes", completedIndexes, notAList));
    if (completedIndexes !== "" && completionMode !== "Indexed") {
      errors.push(invalid("completedIndexes", completedIndexes, "requires indexed completion mode"));
    }
  }
  if (changed("failedIndexes") && failedIndexes !== undefined) {
    if (backoffLimitPerIndex === undefined) {
      errors.push(invalid("failedIndexes", failedIndexes, "requires backoffLimitPerIndex"));
    } else if (failed === undefined) errors.push(invalid("failedIndexes", failedIndexes, notAList));
  }
  if (changed("failedIndexes", "completedIndexes") && overlap(done ?? [], failed ?? [])) {
    errors.push(invalid("failedIndexes", failedIndexes, "must not have indexes of completedIndexes"));
  }
  return errors;
}
