/** What failed pods mean for a Job, and when succeeded indexes are enough: its policies. */

import { readIndexes } from "../../api/batch/v1/completion-indexes.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { PodFailurePolicyRule } from "../../api/batch/v1/job-policies.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { indexOf, isIndexed } from "./indexes.ts";

export interface PodFailure {
  readonly reason: string;
  readonly message: string;
}

export interface JudgedPods {
  /** Those that count towards the limit of the job. */
  readonly counted: readonly Pod[];
  /** By index: how many pods have failed. */
  readonly failuresOf: ReadonlyMap<number, number>;
  /** Indexes that are not tried again, in order; only with a limit for each. */
  readonly indexes?: readonly number[];
  /** A rule ends the job. */
  readonly failure?: PodFailure;
}

/** `failed`: pods that ended in phase Failed, of an Indexed job those with an index. */
export function judgeFailedPods(job: Job, failed: readonly Pod[], indexKey: string): JudgedPods {
  const { completions = 0, backoffLimitPerIndex: limit, podFailurePolicy } = job.spec ?? {};
  const failuresOf = new Map<number, number>();
  const given = new Set<number>();
  const counted: Pod[] = [];
  let failure: PodFailure | undefined;
  for (const pod of failed) {
    const found = ruleFor(pod, podFailurePolicy?.rules ?? []);
    if (found?.rule.action === "Ignore") continue;
    if (found?.rule.action === "FailJob") failure ??= failureBy(pod, found.at);
    counted.push(pod);
    const index = isIndexed(job) ? indexOf(pod, indexKey, completions) : undefined;
    if (index === undefined) continue;
    failuresOf.set(index, (failuresOf.get(index) ?? 0) + 1);
    if (found?.rule.action === "FailIndex") given.add(index);
  }
  const judged = { counted, failuresOf, ...(failure === undefined ? {} : { failure }) };
  if (limit === undefined) return judged;
  for (const [index, failures] of failuresOf) if (failures > limit) given.add(index);
  return { ...judged, indexes: [...given].sort((a, b) => a - b) };
}

/** The first rule that matches the pod. */
function ruleFor(
  pod: Pod,
  rules: readonly PodFailurePolicyRule[],
): { rule: PodFailurePolicyRule; at: number } | undefined {
  const at = rules.findIndex((rule) => matchesCodes(pod, rule) || matchesConditions(pod, rule));
  const rule = rules[at];
  return rule === undefined ? undefined : { rule, at };
}

function matchesCodes({ status }: Pod, { onExitCodes }: PodFailurePolicyRule): boolean {
  if (onExitCodes === undefined) return false;
  const { containerName, operator, values } = onExitCodes;
  const isOne = (code: number) => (values ?? []).includes(code);
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return operator === "In" ? isOne(code) : !isOne(code);
  });
}

const matchesConditions = ({ status }: Pod, { onPodConditions = [] }: PodFailurePolicyRule): boolean =>
  onPodConditions.some((pattern) =>
    status?.conditions?.some(({ type, status: is }) => type === pattern.type && is === (pattern.status ?? "True")),
  );

const failureBy = ({ metadata }: Pod, rule: number): PodFailure => ({
  reason: "PodFailurePolicy",
  message: `Pod ${metadata.namespace}/${metadata.name} has failed and matches the rule ${rule} of podFailurePolicy`,
});

/** The first rule of the success policy that the succeeded indexes meet; undefined: none is met. */
export function metSuccessRule(job: Job, succeeded: readonly number[]): number | undefined {
  const { successPolicy, completions = 0 } = job.spec ?? {};
  const at = (successPolicy?.rules ?? []).findIndex(({ succeededIndexes: text, succeededCount: count }) => {
    const ranges = text === undefined ? undefined : readIndexes(text, completions);
    const isMeant = (index: number) =>
      ranges === undefined || ranges.some(([low, high]) => index >= low && index <= high);
    const met = succeeded.filter(isMeant).length;
    const wanted = count ?? (ranges ?? []).reduce((sum, [low, high]) => sum + high - low + 1, 0);
    return wanted > 0 && met >= wanted;
  });
  return at < 0 ? undefined : at;
}
