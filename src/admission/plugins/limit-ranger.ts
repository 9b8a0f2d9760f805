/** Gives containers the default requests and limits of their namespace, and holds objects to its bounds. */

import type { Container } from "../../api/core/v1/container.ts";
import type { LimitRange, LimitRangeItem } from "../../api/core/v1/limit-range.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { type AdmissionContext, findKind, isAbout, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";
import { askedByClaim, askedByContainer, askedByPod } from "./asked.ts";
import { fillContainers } from "./container-defaults.ts";
import { brokenBounds } from "./limit-bounds.ts";

/** Containers times resources of the namespace's ranges: every container is compared with, and may get, every one. */
export const limitsAppliedMax = 100_000;
const problemsShownMax = 10;

export function createLimitRanger(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  const annotation = vocabulary.word("orch.io/limit-ranger");
  return {
    name: "LimitRanger",
    handles: (request) => isNewPod(request) || isClaim(request),
    mutate(request) {
      if (!isNewPod(request)) return;
      const pod = request.object as unknown as Pod; // told apart just above
      const ranges = rangesOf(context, request);
      checkEffort(request, containersOf(pod).length, ranges);
      for (const { spec } of ranges) {
        const filled = fillContainers(pod, spec?.limits ?? []);
        if (filled.length === 0) continue;
        const told = `LimitRanger plugin set: ${filled.join("; ")}`;
        pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: told };
      }
    },
    validate(request) {
      // What is on its way out may still lose its finalizers.
      if (request.old?.metadata.deletionTimestamp !== undefined) return;
      const ranges = rangesOf(context, request);
      checkEffort(request, isNewPod(request) ? containersOf(request.object as unknown as Pod).length : 1, ranges);
      for (const { metadata, spec } of ranges) {
        const problems = (spec?.limits ?? []).flatMap((item) => problemsOf(request, item));
        if (problems.length === 0) continue;
        const more = problems.length > problemsShownMax ? `; and ${problems.length - problemsShownMax} more` : "";
        const shown = problems.slice(0, problemsShownMax).join("; ");
        throw refuse(request, `limit range ${metadata.name}: ${shown}${more}`);
      }
    },
  };
}

const isNewPod = (request: AdmissionRequest) => request.operation === "CREATE" && isAbout(request, "", "pods");
const isClaim = (request: AdmissionRequest) =>
  (request.operation === "CREATE" || request.operation === "UPDATE") && isAbout(request, "", "persistentvolumeclaims");

function rangesOf(context: AdmissionContext, { namespace }: AdmissionRequest): LimitRange[] {
  const kind = findKind(context, "", "v1", "limitranges");
  if (kind === undefined) return [];
  // All that this family holds.
  return [...context.registry.peekAll(kind, namespace)].map((entry) => entry.object() as unknown as LimitRange);
}

/** Refuses what would cost too much to look at: a few large ranges and a pod of many containers multiply. */
function checkEffort(request: AdmissionRequest, count: number, ranges: readonly LimitRange[]): void {
  let names = 0;
  for (const item of ranges.flatMap(({ spec }) => spec?.limits ?? [])) {
    for (const bounds of [item.min, item.max, item.maxLimitRequestRatio, item.default, item.defaultRequest]) {
      names += Object.keys(bounds ?? {}).length;
    }
  }
  if (names * count <= limitsAppliedMax) return;
  throw refuse(request, `its ${count} containers under ${names} limits of the namespace are more than can be applied`);
}

function problemsOf(request: AdmissionRequest, item: LimitRangeItem): string[] {
  if (isNewPod(request)) {
    const pod = request.object as unknown as Pod; // told apart just above
    if (item.type === "Pod") return brokenBounds(item, askedByPod(pod));
    if (item.type !== "Container") return [];
    return containersOf(pod).flatMap((container) =>
      brokenBounds(item, askedByContainer(container)).map((problem) => `container ${container.name}: ${problem}`),
    );
  }
  if (item.type !== "PersistentVolumeClaim") return [];
  return brokenBounds(item, askedByClaim(request.object as unknown as PersistentVolumeClaim)); // no other is handled
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}
