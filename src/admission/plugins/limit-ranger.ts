/** Sets the default requests and limits of containers, and enforces the bounds of the namespace. */

import { LimitRange } from "../../api/core/v1/limit-range.ts";
import type { LimitRangeItem } from "../../api/core/v1/limit-range-spec.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Container } from "../../api/core/v1/pod/container.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { run, type Steps, TimeSlice } from "../../base/time-slice.ts";
import { aggregate } from "../../machinery/status/aggregate.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { type AdmissionContext, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { askedByClaim, askedByContainer, askedByPod } from "../limit-ranges/asked.ts";
import { brokenBounds } from "../limit-ranges/bounds.ts";
import { fillContainers } from "../limit-ranges/container-defaults.ts";
import { on, plugin, under } from "../on.ts";

/** Containers times resources of the namespace's ranges: every container is compared with every one of them, and may get it as a default. */
export const limitsAppliedMax = 10_000;
const problemsShownMax = 10;

export function createLimitRanger(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  const annotation = vocabulary.word("orch.io/limit-ranger");
  return plugin("LimitRanger", [
    on(Pod, "CREATE", {
      mutate(request) {
        const pod = request.object;
        return withRanges(context, request, (ranges) => {
          checkEffort(request, containersOf(pod).length, ranges);
          for (const { spec } of ranges) {
            const filled = fillContainers(pod, spec?.limits ?? []);
            if (filled.length === 0) continue;
            const told = `LimitRanger plugin set: ${filled.join("; ")}`;
            pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: told };
          }
        });
      },
      validate(request) {
        const pod = request.object;
        return check(context, request, containersOf(pod).length, (item) => podProblems(pod, item));
      },
    }),
    on(under(Pod, "resize"), "UPDATE", {
      validate(request) {
        const pod = request.object;
        return check(context, request, containersOf(pod).length, (item) => podProblems(pod, item));
      },
    }),
    on(PersistentVolumeClaim, ["CREATE", "UPDATE"], {
      validate(request) {
        // A terminating object may still lose its finalizers.
        if (request.old?.metadata.deletionTimestamp !== undefined) return;
        return check(context, request, 1, (item) => claimProblems(request.object, item));
      },
    }),
  ]);
}

function check(
  context: AdmissionContext,
  request: AdmissionRequest,
  count: number,
  problemsOf: (item: LimitRangeItem) => string[],
): void | Promise<void> {
  return withRanges(context, request, (ranges) => {
    checkEffort(request, count, ranges);
    for (const { metadata, spec } of ranges) {
      const problems = (spec?.limits ?? []).flatMap(problemsOf);
      if (problems.length === 0) continue;
      const shown = problems.slice(0, problemsShownMax);
      const text = aggregate(shown, problems.length - shown.length);
      throw refuse(request, `${text} (limit range ${metadata.name})`);
    }
  });
}

/** A namespace may have thousands of ranges, so they are read in steps. */
function withRanges(
  { catalog, registry }: AdmissionContext,
  { namespace }: AdmissionRequest,
  use: (ranges: readonly LimitRange[]) => void,
): void | Promise<void> {
  const ranges = run(readAll(registry.peekAll(catalog.of(LimitRange), namespace)), new TimeSlice());
  return ranges instanceof Promise ? ranges.then(use) : use(ranges);
}

function* readAll(entries: readonly Entry<LimitRange>[]): Steps<LimitRange[]> {
  const ranges: LimitRange[] = [];
  for (const entry of entries) {
    ranges.push(yield* entry.load());
    yield;
  }
  return ranges;
}

/** Refuses what would cost too much to check: a few large ranges and a pod of many containers multiply. */
function checkEffort(request: AdmissionRequest, count: number, ranges: readonly LimitRange[]): void {
  let names = 0;
  for (const item of ranges.flatMap(({ spec }) => spec?.limits ?? [])) {
    for (const bounds of [item.min, item.max, item.maxLimitRequestRatio, item.default, item.defaultRequest]) {
      names += Object.keys(bounds ?? {}).length;
    }
  }
  if (names * count <= limitsAppliedMax) return;
  throw refuse(request, `the pod has too many containers (${count}) for the ${names} limits of its namespace`);
}

function podProblems(pod: Pod, item: LimitRangeItem): string[] {
  if (item.type === "Pod") return brokenBounds(item, askedByPod(pod));
  if (item.type !== "Container") return [];
  return containersOf(pod).flatMap((container) =>
    brokenBounds(item, askedByContainer(container)).map((problem) => `container ${container.name}: ${problem}`),
  );
}

function claimProblems(claim: PersistentVolumeClaim, item: LimitRangeItem): string[] {
  return item.type === "PersistentVolumeClaim" ? brokenBounds(item, askedByClaim(claim)) : [];
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}
