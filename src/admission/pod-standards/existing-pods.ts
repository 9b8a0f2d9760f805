/** Warnings about the pods of a namespace that a stricter level would refuse. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { CheckedSpec } from "./contract.ts";
import { checkedPod, violations } from "./evaluate.ts";
import { type LevelVersion, standardText } from "./policy.ts";

/** Pods that are checked when the label of a namespace changes: some milliseconds. */
export const existingPodsMax = 3_000;

interface ExistingPods {
  readonly namespace: string;
  readonly pods: Iterable<Pod>;
  readonly count: number;
  readonly standard: LevelVersion;
  readonly isExempt: (spec: CheckedSpec) => boolean;
  readonly vocabulary: Vocabulary;
}

/** Pods of one controller are alike, so one of them is checked. */
export function existingPodWarnings({
  namespace,
  pods,
  count,
  standard,
  isExempt,
  vocabulary,
}: ExistingPods): string[] {
  const byReasons = new Map<string, { first: string; count: number }>();
  const controllers = new Set<string>();
  let checked = 0;
  for (const { metadata, spec } of pods) {
    if (checked === existingPodsMax) break;
    checked += 1;
    const controller = metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid;
    if (spec === undefined || isExempt(spec as CheckedSpec)) continue; // the members that checks read
    if (controller !== undefined) {
      if (controllers.has(controller)) continue;
      controllers.add(controller);
    }
    const found = violations(
      checkedPod({ annotations: metadata.annotations, spec: spec as CheckedSpec }, vocabulary),
      standard,
    );
    if (found.length === 0) continue;
    const reasons = found.map(({ reason }) => reason).join(", ");
    const known = byReasons.get(reasons);
    if (known === undefined) byReasons.set(reasons, { first: metadata.name ?? "", count: 1 });
    else known.count += 1;
  }
  const large =
    count > existingPodsMax
      ? [`new PodSecurity enforce level only checked against the first ${existingPodsMax} of ${count} existing pods`]
      : [];
  if (byReasons.size === 0) return large;
  const head = `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level`;
  return [
    ...large,
    `${head} ${JSON.stringify(standardText(standard))}`,
    ...[...byReasons].map(([reasons, { first, count: pods }]) => `${first}${others(pods - 1)}: ${reasons}`),
  ];
}

function others(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " (and 1 other pod)" : ` (and ${count} other pods)`;
}
