/** Merges tolerations of two origins, without those that others contain. */

import type { Toleration } from "../api/core/v1/pod/scheduling.ts";
import { sameValue } from "../machinery/schema/same-value.ts";

/** Merging compares each with each, so more are refused. */
export const tolerationsMergedMax = 256;

export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  all.forEach((toleration, index) => {
    if (merged.some((other) => containsToleration(other, toleration))) return;
    const later = all.slice(index + 1);
    if (later.some((other) => !sameValue(other, toleration) && containsToleration(other, toleration))) return;
    merged.push({ ...toleration });
  });
  return merged;
}

/** The index of the first toleration that says something else about a taint than the defaults do; -1: they agree. */
export function conflictingToleration(own: readonly Toleration[], defaults: readonly Toleration[]): number {
  return own.findIndex((toleration) => defaults.some((other) => isConflict(toleration, other)));
}

/** They are about the same key and effect, with another operator or value. How long they tolerate is not compared. */
function isConflict(first: Toleration, second: Toleration): boolean {
  const isSameTaint = (first.key ?? "") === (second.key ?? "") && (first.effect ?? "") === (second.effect ?? "");
  const isSameMatch =
    (first.operator || "Equal") === (second.operator || "Equal") && (first.value ?? "") === (second.value ?? "");
  return isSameTaint && !isSameMatch;
}

/** Whether everything that `inner` tolerates is tolerated by `outer` too. */
export function containsToleration(outer: Toleration, inner: Toleration): boolean {
  if (sameValue(outer, inner)) return true;
  const isEverything = !outer.key && outer.operator === "Exists";
  if ((outer.key ?? "") !== (inner.key ?? "") && !isEverything) return false;
  if ((outer.effect ?? "") !== (inner.effect ?? "") && outer.effect) return false;
  if (outer.effect === "NoExecute" && outer.tolerationSeconds !== undefined) {
    const { tolerationSeconds: seconds } = inner;
    if (seconds === undefined || seconds > outer.tolerationSeconds) return false;
  }
  if (outer.operator === "Exists") return true;
  const isEqual = (operator: string | undefined) => !operator || operator === "Equal";
  return isEqual(outer.operator) && isEqual(inner.operator) && (outer.value ?? "") === (inner.value ?? "");
}
