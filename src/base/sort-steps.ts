/** Sorts very many texts in steps. */

import type { Steps } from "./time-slice.ts";

/** How many are sorted or merged in one step. */
const sortedAtOnce = 2_000;

type Compare = (one: string, other: string) => number;

/** By UTF-16 code units, as `sort` does. */
const byCodeUnits: Compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

/** The texts in order; the given list may be changed. */
export function* sortSteps(texts: string[], compare: Compare = byCodeUnits): Steps<string[]> {
  if (isSorted(texts, compare)) return texts;
  let runs: string[][] = [];
  for (let from = 0; from < texts.length; from += sortedAtOnce) {
    runs.push(texts.slice(from, from + sortedAtOnce).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeSteps(runs[at] as string[], runs[at + 1] ?? [], compare)); // at is within bounds
    runs = merged;
  }
  return runs[0] ?? [];
}

function isSorted(texts: readonly string[], compare: Compare): boolean {
  for (let at = 1; at < texts.length; at++) {
    if (compare(texts[at - 1] as string, texts[at] as string) > 0) return false; // both are within bounds
  }
  return true;
}

function* mergeSteps(one: readonly string[], other: readonly string[], compare: Compare): Steps<string[]> {
  const result: string[] = [];
  let at = 0;
  let otherAt = 0;
  while (at < one.length && otherAt < other.length) {
    const left = one[at] as string; // both are within bounds
    const right = other[otherAt] as string;
    const isLeft = compare(left, right) <= 0;
    result.push(isLeft ? left : right);
    if (isLeft) at++;
    else otherAt++;
    if (result.length % sortedAtOnce === 0) yield;
  }
  for (; at < one.length; at++) result.push(one[at] as string); // within bounds
  for (; otherAt < other.length; otherAt++) result.push(other[otherAt] as string); // within bounds
  return result;
}
