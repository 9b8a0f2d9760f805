/** What failed pods mean for a Job, and when succeeded indexes are enough: its policies. */

import { readIndexes } from "../../api/batch/v1/completion-indexes.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { PodFailurePolicyRule } from "../../api/batch/v1/job-policies.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { finishedMs } from "./failure-run.ts";
import { indexOf } from "./indexes.ts";

export interface PodFailure {
  readonly reason: string;
  readonly message: string;
}

/** The annotations of a pod that say how often its index has failed before it. */
export interface FailureKeys {
  readonly counted: string;
  /** Failures that a policy ignores. */
  readonly ignored: string;
}

/** The failures of one index, up to the pod that failed last. */
interface IndexFailures {
  readonly pod: Pod;
  readonly counted: number;
  readonly ignored: number;
}

export interface JudgedPods {
  /** Those that count towards the limit of the job. */
  readonly counted: readonly Pod[];
  /** By index; only with a limit for each. */
  readonly failuresOf: ReadonlyMap<number, IndexFailures>;
  /** Indexes that are not tried again, in order; only with a limit for each. */
  readonly indexes?: readonly number[];
  /** A rule ends the job. */
  readonly failure?: PodFailure;
}

/** `failed`: pods that count as failed, of an Indexed job those with an index. */
export function judgeFailedPods(
  job: Job,
  failed: readonly Pod[],
  { indexKey, failureKeys }: { readonly indexKey: string; readonly failureKeys?: FailureKeys | undefined },
): JudgedPods {
  const { completions = 0, backoffLimitPerIndex: limit, podFailurePolicy } = job.spec ?? {};
  const failuresOf = new Map<number, IndexFailures>();
  const given = new Set<number>();
  const counted: Pod[] = [];
  let failure: PodFailure | undefined;
  for (const pod of failed) {
    const found = ruleFor(pod, podFailurePolicy?.rules ?? []);
    const isCounted = found?.rule.action !== "Ignore";
    if (found?.rule.action === "FailJob") failure ??= { reason: "PodFailurePolicy", message: found.message };
    if (isCounted) counted.push(pod);
    if (limit === undefined || failureKeys === undefined) continue;
    const index = indexOf(pod, indexKey, completions);
    if (index === undefined) continue;
    const failures = failuresWith(pod, isCounted, failureKeys);
    if (isLater(failures, failuresOf.get(index))) failuresOf.set(index, failures);
    if (found?.rule.action === "FailIndex" || (isCounted && failures.counted > limit)) given.add(index);
  }
  const judged = { counted, failuresOf, ...(failure === undefined ? {} : { failure }) };
  return limit === undefined ? judged : { ...judged, indexes: [...given].sort((a, b) => a - b) };
}

function failuresWith(pod: Pod, isCounted: boolean, keys: FailureKeys): IndexFailures {
  const before = (key: string) => {
    const text = pod.metadata.annotations?.[key] ?? "";
    return /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  };
  const [counted, ignored] = [before(keys.counted), before(keys.ignored)];
  return { pod, counted: counted + (isCounted ? 1 : 0), ignored: ignored + (isCounted ? 0 : 1) };
}

/** Each pod of an index has seen one failure more than the one before it. */
function isLater(one: IndexFailures, other: IndexFailures | undefined): boolean {
  if (other === undefined) return true;
  return one.counted + one.ignored >= other.counted + other.ignored && finishedMs(one.pod) >= finishedMs(other.pod);
}

/** Whether a rule leaves the failure of the pod out of all counts. */
export const isIgnored = (pod: Pod, { spec }: Job): boolean =>
  ruleFor(pod, spec?.podFailurePolicy?.rules ?? [])?.rule.action === "Ignore";

/** The first rule that matches the pod, and by what. */
function ruleFor(
  pod: Pod,
  rules: readonly PodFailurePolicyRule[],
): { rule: PodFailurePolicyRule; message: string } | undefined {
  const { namespace, name } = pod.metadata;
  for (const [at, rule] of rules.entries()) {
    const which = `matching ${rule.action} rule at index ${at}`;
    const exit = exitFor(pod, rule);
    if (exit !== undefined) {
      const message = `Container ${exit.name} for pod ${namespace}/${name} failed with exit code ${exit.code} ${which}`;
      return { rule, message };
    }
    const condition = conditionFor(pod, rule);
    if (condition !== undefined) {
      return { rule, message: `Pod ${namespace}/${name} has condition ${condition} ${which}` };
    }
  }
  return undefined;
}

function exitFor({ status }: Pod, { onExitCodes }: PodFailurePolicyRule): { name: string; code: number } | undefined {
  if (onExitCodes === undefined) return undefined;
  const { containerName, operator, values } = onExitCodes;
  const isOne = (code: number) => (values ?? []).includes(code);
  for (const { name, state } of [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]) {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
    if (operator === "In" ? isOne(code) : !isOne(code)) return { name, code };
  }
  return undefined;
}

/** The type of the condition. */
const conditionFor = ({ status }: Pod, { onPodConditions = [] }: PodFailurePolicyRule): string | undefined =>
  onPodConditions.find((pattern) =>
    status?.conditions?.some(({ type, status: is }) => type === pattern.type && is === (pattern.status ?? "True")),
  )?.type;

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
