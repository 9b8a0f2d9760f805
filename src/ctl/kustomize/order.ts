/** The order in which built resources are printed: dependencies first, or as they came. */

import { CtlError } from "../errors.ts";
import { apiVersionOf, type Json, kindOf, nameOf, namespaceOf } from "../json.ts";
import { gvkOf, type Id } from "./identity.ts";
import { textsIn } from "./kustomization.ts";
import type { Resource } from "./resource.ts";
import { at, isMembers, type Members, textAt } from "./value.ts";

const defaultFirst = [
  "Namespace",
  "ResourceQuota",
  "StorageClass",
  "CustomResourceDefinition",
  "ServiceAccount",
  "PodSecurityPolicy",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
  "ConfigMap",
  "Secret",
  "Endpoints",
  "Service",
  "LimitRange",
  "PriorityClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Deployment",
  "StatefulSet",
  "CronJob",
  "PodDisruptionBudget",
];
const defaultLast = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

type Ranks = ReadonlyMap<string, number>;
const defaultRanks = ranksOf(defaultFirst, defaultLast);

/** `options`: the `sortOptions` of the kustomization. */
export function sortResources(resources: readonly Resource[], options: Members | undefined): readonly Resource[] {
  const order = options === undefined ? "legacy" : textAt(options, "order");
  const legacy = at(options, "legacySortOptions");
  if (order !== "fifo" && order !== "legacy")
    throw new CtlError("the field 'sortOptions.order' must be one of [fifo, legacy]");
  if (order === "fifo" && legacy !== undefined)
    throw new CtlError(
      "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
    );
  if (order === "fifo") return resources;
  const ranks = isMembers(legacy) ? ranksOf(textsIn(legacy, "orderFirst"), textsIn(legacy, "orderLast")) : defaultRanks;
  return resources
    .map((resource) => ({ resource, ranked: ranked(resource.id, ranks) }))
    .sort((a, b) => compareRanked(a.ranked, b.ranked))
    .map(({ resource }) => resource);
}

/** Compares two objects by the order that kustomize has by default. */
export function legacyOrder(a: Json, b: Json): number {
  return compareRanked(ranked(idOf(a), defaultRanks), ranked(idOf(b), defaultRanks));
}

function idOf(object: Json): Id {
  return { ...gvkOf(apiVersionOf(object), kindOf(object)), name: nameOf(object), namespace: namespaceOf(object) };
}

function ranksOf(first: readonly string[], last: readonly string[]): Ranks {
  return new Map([
    ...first.map((kind, place) => [kind, place - first.length] as const),
    ...last.map((kind, place) => [kind, place + 1] as const),
  ]);
}

interface Ranked {
  readonly rank: number;
  readonly kind: string;
  readonly name: string;
}

/** What is missing sorts after everything else. */
function ranked({ group, version, kind, namespace, name }: Id, ranks: Ranks): Ranked {
  return {
    rank: ranks.get(kind) ?? 0,
    kind: [group || "~G", version || "~V", kind || "~K"].join("_"),
    name: [namespace || "~X", name || "~N"].join("|"),
  };
}

const compareRanked = (a: Ranked, b: Ranked): number =>
  a.rank - b.rank || compare(a.kind, b.kind) || compare(a.name, b.name);

/** By code units, as everywhere in kustomize. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
