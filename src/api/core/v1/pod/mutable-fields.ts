/** The fields of a pod that an update may change, taken from the old one, so that all others can be compared. */

import type { Container } from "./container.ts";
import type { PodSpec } from "./spec.ts";

/** `spec` with the mutable fields of the old one. */
export function withMutableOf(spec: PodSpec, before: PodSpec, wasGated: boolean): PodSpec {
  const { activeDeadlineSeconds: _deadline, schedulingGates: _gates, ...rest } = spec;
  // A negative number means one second, and an update may say so.
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1)
    rest.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds as number;
  return {
    ...(wasGated ? withGatedOf(rest, before) : rest),
    containers: withImagesOf(spec.containers, before.containers) ?? [],
    ...(spec.initContainers
      ? { initContainers: withImagesOf(spec.initContainers, before.initContainers ?? []) ?? [] }
      : {}),
    ...(before.activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds: before.activeDeadlineSeconds }),
    tolerations: before.tolerations ?? [],
    // New gates are refused one by one.
    ...(before.schedulingGates ? { schedulingGates: before.schedulingGates } : {}),
  };
}

/** `spec` with what a pod with gates may change as it was: the nodes it can run on. */
function withGatedOf(spec: PodSpec, before: PodSpec): PodSpec {
  const { affinity: given, nodeSelector: _selector, ...rest } = spec;
  const { nodeAffinity: _nodes, ...others } = given ?? {};
  const nodes = before.affinity?.nodeAffinity;
  const affinity = { ...others, ...(nodes ? { nodeAffinity: nodes } : {}) };
  const hasAffinity = before.affinity !== undefined || Object.keys(affinity).length > 0;
  return {
    ...rest,
    // An empty selector is not the same as none.
    ...(before.nodeSelector === undefined ? {} : { nodeSelector: before.nodeSelector }),
    ...(hasAffinity ? { affinity } : {}),
  };
}

function withImagesOf(
  containers: readonly Container[] | null,
  before: readonly Container[] | null,
): Container[] | undefined {
  return containers?.map((container, index) => {
    const image = before?.[index]?.image;
    const { image: _image, ...rest } = container;
    return image === undefined ? rest : { ...rest, image };
  });
}
