/** The usage of a pod: one pod, and the resources of its containers or its own. */

import type { Environment } from "../../machinery/schema/environment.ts";
import type { Quantity } from "../../machinery/values/quantity.ts";
import type { Container } from "../core/v1/pod/container.ts";
import { isSharedResource } from "../core/v1/pod/pod-requests.ts";
import { qosClass } from "../core/v1/pod/qos.ts";
import type { PodAffinityTerm, ScopedResourceSelectorRequirement } from "../core/v1/pod/scheduling.ts";
import type { Pod } from "../core/v1/pod.ts";
import { isExtendedResource, isHugePages, isNativeResource } from "../resource-names.ts";
import { type Amounts, addTo, amountsOf, oneOf, raiseTo } from "./amounts.ts";
import type { Meter } from "./meter.ts";

/** Resources of containers by their plain names, which mean requests. */
const basic = ["cpu", "memory", "ephemeral-storage"];
/** Every container must set these if a quota limits them, as in v1.21, unless the pod has resources of its own. */
const mustBeStated = ["cpu", "memory"];
const plain = new Set(["pods", "count/pods", ...basic.flatMap((name) => [name, `requests.${name}`, `limits.${name}`])]);

export function createPodMeter(environment: Environment): Meter<Pod> {
  return {
    // The resources of existing pods change in one way only.
    onUpdate: false,
    onUpdateThrough: "resize",
    counts: (name) => plain.has(name) || isHugePages(name) || isCountedRequest(name, environment),
    usage({ spec }) {
      return new Map([["count/pods", oneOf], ["pods", oneOf], ...used(spec, environment)]);
    },
    isInScope,
    unstated({ spec }, isLimited) {
      if (hasOwnResources(spec)) return [];
      const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
      return mustBeStated.flatMap((name) =>
        [
          ...(containers.every((container) => states(container, "requests", name)) ? [] : [name, `requests.${name}`]),
          ...(containers.every((container) => states(container, "limits", name)) ? [] : [`limits.${name}`]),
        ].filter(isLimited),
      );
    },
  };
}

function isCountedRequest(name: string, environment: Environment): boolean {
  if (!name.startsWith("requests.")) return false;
  return name.startsWith("requests.hugepages-") || !isNativeResource(name, environment);
}

const states = ({ resources }: Container, column: "requests" | "limits", name: string): boolean =>
  Object.hasOwn(resources?.[column] ?? {}, name);

/** Whether the pod states resources for all its containers together. */
const hasOwnResources = (spec: Pod["spec"]): boolean =>
  Object.keys({ ...spec?.resources?.requests, ...spec?.resources?.limits }).some(isSharedResource);

function used(spec: Pod["spec"], environment: Environment): [string, Quantity][] {
  const requests = [...together(spec, "requests", environment)].flatMap(([name, amount]): [string, Quantity][] => {
    if (basic.includes(name) || isHugePages(name))
      return [
        [name, amount],
        [`requests.${name}`, amount],
      ];
    return isExtendedResource(name, environment) ? [[`requests.${name}`, amount]] : [];
  });
  const limits = [...together(spec, "limits", environment)].filter(([name]) => basic.includes(name));
  return [...requests, ...limits.map(([name, amount]): [string, Quantity] => [`limits.${name}`, amount])];
}

/**
 * Init containers run one by one before the others, so only the largest counts, together with those before it that keep running.
 * What the pod states for itself counts instead of the sum; the overhead comes on top.
 */
function together(spec: Pod["spec"], column: "requests" | "limits", { since }: Environment): Amounts {
  let beside: Amounts = new Map();
  const most = new Map<string, Quantity>();
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    const now = new Map(amountsOf(resources?.[column]));
    addTo(now, beside);
    raiseTo(most, now);
    if (restartPolicy === "Always") beside = now;
  }
  const sum = new Map(beside);
  for (const { resources } of spec?.containers ?? []) addTo(sum, amountsOf(resources?.[column]));
  raiseTo(sum, most);
  for (const [name, amount] of amountsOf(spec?.resources?.[column])) if (isSharedResource(name)) sum.set(name, amount);
  const overhead = [...amountsOf(spec?.overhead)];
  // Since 1.27 a pod that is not limited is not limited by its overhead either.
  addTo(sum, new Map(column === "limits" && since("1.27") ? overhead.filter(([name]) => sum.has(name)) : overhead));
  return sum;
}

function isInScope({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, { spec }: Pod): boolean {
  switch (scopeName) {
    case "Terminating":
      return spec?.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec?.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return qosClass(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClass(spec) !== "BestEffort";
    case "PriorityClass":
      return isSelected(spec?.priorityClassName ?? "", operator, values);
    case "CrossNamespacePodAffinity":
      return affinityTerms(spec).some((term) => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector);
    default:
      return false;
  }
}

/** An object without a class is not in any, and so not in the ones that are named. */
export function isSelected(name: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    case "NotIn":
      return name === "" || !values.includes(name);
    default:
      return false;
  }
}

function affinityTerms(spec: Pod["spec"]): PodAffinityTerm[] {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
