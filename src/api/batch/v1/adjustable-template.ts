/** The parts of a template that may change while a job is suspended and has not begun. */

import type { PodTemplateSpec } from "../../core/v1/pod/spec.ts";

/** `sizes`: the resources of containers may change, too. */
export function withoutAdjustable({ metadata, spec, ...template }: PodTemplateSpec, sizes: boolean): PodTemplateSpec {
  const named = without(metadata ?? {}, ["labels", "annotations"]);
  if (spec === undefined) return { ...template, metadata: named };
  const { affinity, ...rest } = without(spec, ["nodeSelector", "tolerations", "schedulingGates"]);
  const others = without(affinity ?? {}, ["nodeAffinity"]);
  if (sizes) withoutSizes(rest);
  return {
    ...template,
    metadata: named,
    spec: Object.keys(others).length === 0 ? rest : { ...rest, affinity: others },
  };
}

/** All of these members may be absent. */
function without<T extends object>(value: T, members: readonly string[]): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !members.includes(name))) as T;
}

/** In place. */
function withoutSizes(spec: NonNullable<PodTemplateSpec["spec"]>): void {
  spec.containers = spec.containers.map((container) => without(container, ["resources"]));
  if (spec.initContainers)
    spec.initContainers = spec.initContainers.map((container) => without(container, ["resources"]));
}
