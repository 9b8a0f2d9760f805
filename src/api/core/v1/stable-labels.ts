/** Labels of nodes that were beta, with those that replaced them and the release that did; in orch's names. */

export const stableLabels = [
  ["beta.orch.io/arch", "orch.io/arch", "1.14"],
  ["beta.orch.io/os", "orch.io/os", "1.14"],
  ["failure-domain.beta.orch.io/region", "topology.orch.io/region", "1.17"],
  ["failure-domain.beta.orch.io/zone", "topology.orch.io/zone", "1.17"],
  ["beta.orch.io/instance-type", "node.orch.io/instance-type", "1.17"],
] as const;
