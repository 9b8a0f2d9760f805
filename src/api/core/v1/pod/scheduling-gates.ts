/** Gates that keep a new pod from being scheduled, and what may change while there are some. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import { type FieldError, forbidden, invalid } from "../../../../machinery/status/field-error.ts";
import { timeText } from "../../../../machinery/values/time.ts";
import { has } from "../../../features.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "./scheduling.ts";
import type { PodSpec } from "./spec.ts";
import type { PodCondition } from "./status.ts";

/** The condition of a new pod that has gates. */
export const gatedCondition = (environment: Environment): PodCondition => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: has(environment, "timesOfGates") ? timeText(environment.clock.now()) : null,
  reason: "SchedulingGated",
  message: "The pod is not scheduled until its scheduling gates are removed.",
});

/** Gates can only be removed. */
export function validateGatesKept(spec: PodSpec, before: PodSpec): FieldError[] {
  const known = new Set((before.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    known.has(name)
      ? []
      : [forbidden(`spec.schedulingGates[${index}].name`, `gates can only be removed, but ${name} is new`)],
  );
}

const additionsOnly = "only additions are allowed, no changes or deletions";

/** While it has gates, a pod may still get narrower in the nodes it can run on. */
export function validateNarrower(spec: PodSpec, before: PodSpec): FieldError[] {
  const selector = spec.nodeSelector ?? {};
  const isKept = Object.entries(before.nodeSelector ?? {}).every(([key, value]) => selector[key] === value);
  return [
    ...(isKept ? [] : [invalid("spec.nodeSelector", selector, additionsOnly)]),
    ...validateTerms(requiredTerms(spec), requiredTerms(before)),
  ];
}

const requiredTerms = ({ affinity }: PodSpec) =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? undefined;

function validateTerms(
  terms: readonly NodeSelectorTerm[] | undefined,
  before: readonly NodeSelectorTerm[] | undefined,
): FieldError[] {
  const path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (before === undefined || before.length === 0) return [];
  if (terms?.length !== before.length) return [invalid(path, terms, "no terms may be added or deleted")];
  return terms.flatMap((term, index) =>
    hasOnlyAdditions(term, before[index] ?? {}) ? [] : [invalid(`${path}[${index}]`, term, additionsOnly)],
  );
}

/** A term without requirements matches nothing, so any that it gets would widen it. */
function hasOnlyAdditions(term: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  const wasEmpty = lists.every((list) => !before[list]?.length);
  if (wasEmpty) return lists.every((list) => !term[list]?.length);
  return lists.every((list) => {
    const now = new Set((term[list] ?? []).map(textOf));
    return (before[list] ?? []).every((one) => now.has(textOf(one)));
  });
}

/** Equal requirements have equal texts: a term may have thousands, so that they are not compared with each other. */
const textOf = ({ key, operator, values }: NodeSelectorRequirement): string =>
  JSON.stringify([key, operator, values ?? []]);
