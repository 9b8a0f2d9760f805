/** The kinds in groups by purpose, as people look for them. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { groupedBy } from "./grouped.ts";
import { listable } from "./kinds.ts";

const purposes = ["Workloads", "Network", "Config", "Storage", "Access", "Cluster", "Custom", "API"] as const;
export type Purpose = (typeof purposes)[number];

/** Of the core group, by plural. What is not named is configuration. */
const core: Readonly<Record<string, Purpose>> = {
  pods: "Workloads",
  replicationcontrollers: "Workloads",
  podtemplates: "Workloads",
  services: "Network",
  endpoints: "Network",
  persistentvolumes: "Storage",
  persistentvolumeclaims: "Storage",
  serviceaccounts: "Access",
  nodes: "Cluster",
  namespaces: "Cluster",
  events: "Cluster",
  componentstatuses: "Cluster",
};

/** Of the other built-in groups, by their neutral names. Groups that are not here came with definitions. */
const groups: Readonly<Record<string, Purpose>> = {
  apps: "Workloads",
  batch: "Workloads",
  autoscaling: "Workloads",
  policy: "Workloads",
  extensions: "Network",
  "networking.orch.io": "Network",
  "discovery.orch.io": "Network",
  "coordination.orch.io": "Config",
  "scheduling.orch.io": "Config",
  "node.orch.io": "Config",
  "resource.orch.io": "Config",
  "storage.orch.io": "Storage",
  "storagemigration.orch.io": "API",
  "rbac.authorization.orch.io": "Access",
  "certificates.orch.io": "Access",
  "authentication.orch.io": "Access",
  "authorization.orch.io": "Access",
  "events.orch.io": "Cluster",
  "metrics.orch.io": "Cluster",
  "apiregistration.orch.io": "API",
  "apiextensions.orch.io": "API",
  "admissionregistration.orch.io": "API",
  "flowcontrol.apiserver.orch.io": "API",
  "internal.apiserver.orch.io": "API",
  "simulation.orch.io": "API",
  "testing.orch.io": "API",
  "access.orch.io": "API",
};

/** What people ask for most stands first in its group; all others follow by name. */
const first: readonly string[] = [
  "pods",
  "deployments",
  "statefulsets",
  "daemonsets",
  "jobs",
  "cronjobs",
  "replicasets",
  "services",
  "ingresses",
  "configmaps",
  "secrets",
  "persistentvolumeclaims",
  "persistentvolumes",
  "serviceaccounts",
  "roles",
  "rolebindings",
  "nodes",
  "namespaces",
  "events",
  "customresourcedefinitions",
];

export function purposeOf({ group, resource }: DiscoveredResource, vocabulary: Pick<Vocabulary, "group">): Purpose {
  if (group === "") return core[resource] ?? "Config";
  return Object.entries(groups).find(([neutral]) => vocabulary.group(neutral) === group)?.[1] ?? "Custom";
}

interface KindGroup {
  readonly purpose: Purpose;
  readonly resources: readonly DiscoveredResource[];
}

/** Groups without kinds are left out, and so is a kind that is there under its newer group as well. */
export function kindGroups(discovery: Discovery): readonly KindGroup[] {
  const { vocabulary } = discovery;
  const all = listable(discovery);
  const isOld = ({ group, resource }: DiscoveredResource) =>
    (group === "extensions" && all.some((one) => one.resource === resource && one.group !== group)) ||
    (group === vocabulary.group("events.orch.io") && resource === "events");
  const byPurpose = groupedBy(
    all.filter((one) => !isOld(one)),
    (one) => purposeOf(one, vocabulary),
  );
  const rank = ({ resource }: DiscoveredResource) => (first.indexOf(resource) + 1 || first.length + 1) - 1;
  return purposes.flatMap((purpose) => {
    const resources = byPurpose.get(purpose);
    if (resources === undefined) return [];
    return [
      { purpose, resources: resources.toSorted((a, b) => rank(a) - rank(b) || a.resource.localeCompare(b.resource)) },
    ];
  });
}

/** "NetworkPolicy" and "networkpolicies" differ by one letter, "PodMetrics" and "pods" by a word. */
const endingCharsMax = 2;

/** "ConfigMaps", "NetworkPolicies": the plural with the capitals of the kind, or the kind, if the plural is that of another word. */
export function pluralOf({ kind, resource }: Pick<DiscoveredResource, "kind" | "resource">): string {
  let same = 0;
  while (same < kind.length && kind[same]?.toLowerCase() === resource[same]) same += 1;
  return kind.length - same > endingCharsMax ? kind : kind.slice(0, same) + resource.slice(same);
}
