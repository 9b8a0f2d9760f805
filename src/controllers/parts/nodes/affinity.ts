/** Whether a pod may be scheduled on a node, by the labels and the name of the node. */

import type { Node } from "../../../api/core/v1/node.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../../../api/core/v1/pod/scheduling.ts";
import type { PodSpec } from "../../../api/core/v1/pod/spec.ts";

const valuesPerComparison = 10;

/** By nodeSelector and by what its affinity requires. */
export function fitsNode(spec: Pick<PodSpec, "nodeSelector" | "affinity">, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** How many comparisons `fitsNode` makes at most. Ten values of a list take as long as one requirement. */
export function nodeComparisons({ nodeSelector, affinity }: Pick<PodSpec, "nodeSelector" | "affinity">): number {
  let count = Object.keys(nodeSelector ?? {}).length;
  for (const term of affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [])
    for (const { values } of [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])])
      count += 1 + Math.ceil((values?.length ?? 0) / valuesPerComparison);
  return count;
}

/** An empty term matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const { labels = {}, name } = node.metadata;
  const has = (values: Readonly<Record<string, string | undefined>>) => (requirement: NodeSelectorRequirement) =>
    matches(requirement, Object.hasOwn(values, requirement.key) ? values[requirement.key] : undefined);
  return matchExpressions.every(has(labels)) && matchFields.every(has({ "metadata.name": name }));
}

function matches({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return isInteger(value) && isInteger(values[0]) && BigInt(value) > BigInt(values[0]);
    case "Lt":
      return isInteger(value) && isInteger(values[0]) && BigInt(value) < BigInt(values[0]);
    default:
      return false;
  }
}

const isInteger = (text: string | undefined): text is string => text !== undefined && /^-?[0-9]{1,19}$/.test(text);
