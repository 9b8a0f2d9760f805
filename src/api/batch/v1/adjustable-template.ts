/** The parts of a template that may change while a job is suspended and has not begun. */

import type { PodTemplateSpec } from "../../core/v1/pod/spec.ts";

export function withoutAdjustable({ metadata, spec, ...template }: PodTemplateSpec): PodTemplateSpec {
  const named = without(metadata ?? {}, ["labels", "annotations"]);
  if (spec === undefined) return { ...template, metadata: named };
  const { affinity, ...rest } = without(spec, ["nodeSelector", "tolerations", "schedulingGates"]);
  const others = without(affinity ?? {}, ["nodeAffinity"]);
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
