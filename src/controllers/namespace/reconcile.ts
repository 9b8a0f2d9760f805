/** The status of a namespace while it is emptied, and when it may be removed. */

import { Namespace, type NamespaceCondition } from "../../api/core/v1/namespace.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { withCondition } from "../parts/conditions.ts";
import { type Plan, put, read, updateStatus } from "../plan.ts";

/** The result of one pass over all resources. */
export interface Pass {
  /** Resources that were found not to be empty before anything was deleted. */
  readonly found: number;
  readonly discoveryFailures: readonly string[];
  readonly deletionFailures: readonly string[];
  /** By resource ("configmaps", "deployments.apps"): how many objects are still there. */
  readonly remaining: ReadonlyMap<string, number>;
  /** By finalizer: how many objects it holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface PassContext {
  readonly finalizer: string;
  readonly nowMs: number;
  /** How many passes there were before this one. */
  readonly passes: number;
}

/** The remaining objects are checked again soon, then less and less often. */
const lookAgainMs = 20;
const lookAgainMsMax = 5_000;

/** What follows from a pass over the namespace `known`, which may be another one by now, or gone. */
export function planNamespace(known: Namespace, pass: Pass, context: PassContext): Plan {
  const reading = read(Namespace, { name: known.metadata.name ?? "" });
  return {
    reads: [reading],
    next(done) {
      const current = done.of(reading);
      return current?.metadata.uid === known.metadata.uid ? current && planCurrent(current, pass, context) : undefined;
    },
  };
}

/** Reports what remains; an empty namespace loses our finalizer, with which it goes. */
function planCurrent(current: Namespace, pass: Pass, { finalizer, nowMs, passes }: PassContext): Plan {
  const conditions = conditionsAfter(current.status?.conditions ?? [], pass, nowMs);
  const isCurrent = conditions === current.status?.conditions;
  const write = updateStatus(Namespace, { ...current, status: { ...current.status, conditions: [...conditions] } });
  const waits = pass.remaining.size > 0 || pass.deletionFailures.length > 0 || pass.discoveryFailures.length > 0;
  return {
    status: isCurrent ? undefined : write,
    next(done) {
      if (!isEmpty(pass)) return { reviewInMs: waits ? Math.min(lookAgainMs * 2 ** passes, lookAgainMsMax) : 0 };
      const finished = withoutFinalizer(done.of(write) ?? current, finalizer);
      const ref = { name: current.metadata.name ?? "" };
      return finished && { writes: [put(Namespace, ref, "finalize", finished, { tolerates: ["NotFound"] })] };
    },
  };
}

type Condition = readonly [type: string, isTrue: boolean, reason: string, message: string];

/** The desired conditions; the same value if nothing changes. */
export function conditionsAfter(
  known: readonly NamespaceCondition[],
  pass: Pass,
  nowMs: number,
): readonly NamespaceCondition[] {
  let next = known;
  for (const [type, isTrue, reason, message] of conditionsOf(pass))
    next = withCondition(next, { type, status: isTrue ? "True" : "False", reason, message }, nowMs);
  return sameValue(next, known) ? known : next;
}

function conditionsOf({ discoveryFailures, deletionFailures, remaining, finalizers }: Pass): readonly Condition[] {
  const undiscovered = discoveryFailures.length > 0;
  const undeleted = deletionFailures.length > 0;
  return [
    undiscovered
      ? [
          "NamespaceDeletionDiscoveryFailure",
          true,
          "DiscoveryFailed",
          `Discovery failed for: ${discoveryFailures.join(", ")}`,
        ]
      : ["NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered", "All resources were discovered"],
    ["NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions", "All group versions could be read"],
    undeleted
      ? [
          "NamespaceDeletionContentFailure",
          true,
          "ContentDeletionFailed",
          `Could not be deleted: ${deletionFailures.join("; ")}`,
        ]
      : [
          "NamespaceDeletionContentFailure",
          false,
          "ContentDeleted",
          "All content was deleted, and may wait for finalizers",
        ],
    remaining.size > 0
      ? [
          "NamespaceContentRemaining",
          true,
          "SomeResourcesRemain",
          `Some resources remain: ${counts(remaining, (name, n) => `${name} has ${n} objects`)}`,
        ]
      : ["NamespaceContentRemaining", false, "ContentRemoved", "All content is gone"],
    finalizers.size > 0
      ? [
          "NamespaceFinalizersRemaining",
          true,
          "SomeFinalizersRemain",
          `Some finalizers hold content: ${counts(finalizers, (name, n) => `${name} in ${n} objects`)}`,
        ]
      : ["NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers", "No finalizer holds content"],
  ];
}

function counts(numbers: ReadonlyMap<string, number>, show: (name: string, count: number) => string): string {
  const sorted = [...numbers].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, count]) => show(name, count)).join(", ");
}

/** Only a pass that found nothing proves that nothing is left: the next one finds objects that were created meanwhile. */
export function isEmpty(pass: Pass): boolean {
  return (
    pass.found === 0 &&
    pass.remaining.size === 0 &&
    pass.discoveryFailures.length === 0 &&
    pass.deletionFailures.length === 0
  );
}

/** The namespace without our finalizer; undefined: it has none of ours. */
function withoutFinalizer(namespace: Namespace, finalizer: string): Namespace | undefined {
  const finalizers = namespace.spec?.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return undefined;
  return { ...namespace, spec: { finalizers: finalizers.filter((each) => each !== finalizer) } };
}
