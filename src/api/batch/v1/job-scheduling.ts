/** How the pods of a job are scheduled together. The structs are those of workloads. */

import { elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";

const type = (name: string) => `scheduling.v1alpha3.${name}`;

const TopologyConstraint = struct(type("TopologyConstraint"), {
  key: string().at(1).required().named("qualified").doc("The label of nodes in whose value all pods agree."),
});

const WorkloadPodGroupSchedulingConstraints = struct(type("WorkloadPodGroupSchedulingConstraints"), {
  topology: elided(list(TopologyConstraint, { topology: "atomic" }))
    .at(1)
    .doc("Where the pods may be, together."),
});

const WorkloadPodGroupBasicSchedulingPolicy = struct(type("WorkloadPodGroupBasicSchedulingPolicy"), {});

const WorkloadPodGroupGangSchedulingPolicy = struct(type("WorkloadPodGroupGangSchedulingPolicy"), {
  minCount: optional(int32()).at(1).atLeast(1).doc("How many pods must be schedulable before any of them starts."),
});

const WorkloadPodGroupSchedulingPolicy = struct(
  type("WorkloadPodGroupSchedulingPolicy"),
  {
    basic: optional(WorkloadPodGroupBasicSchedulingPolicy).at(1).doc("Each pod is scheduled by itself."),
    gang: optional(WorkloadPodGroupGangSchedulingPolicy).at(2).doc("The pods are scheduled together or not at all."),
  },
  { unions: [{ "fields-to-discriminateBy": { basic: "Basic", gang: "Gang" } }] },
);

const WorkloadPodGroupSingleDisruptionMode = struct(type("WorkloadPodGroupSingleDisruptionMode"), {});
const WorkloadPodGroupAllDisruptionMode = struct(type("WorkloadPodGroupAllDisruptionMode"), {});

const WorkloadPodGroupDisruptionMode = struct(
  type("WorkloadPodGroupDisruptionMode"),
  {
    single: optional(WorkloadPodGroupSingleDisruptionMode).at(1).doc("Pods are disrupted one by one."),
    all: optional(WorkloadPodGroupAllDisruptionMode).at(2).doc("Pods are disrupted all at once."),
  },
  { unions: [{ "fields-to-discriminateBy": { all: "All", single: "Single" } }] },
);

const WorkloadPodGroupResourceClaim = struct(type("WorkloadPodGroupResourceClaim"), {
  name: string().at(1).required().named("label").doc("The name by which pods refer to the claim."),
  resourceClaimName: optional(string()).at(2).named("subdomain").doc("The claim that all pods share."),
  resourceClaimTemplateName: optional(string()).at(3).named("subdomain").doc("What a claim for all pods is made from."),
});

export const JobSchedulingConfiguration = struct("batch.v1.JobSchedulingConfiguration", {
  schedulingPolicy: optional(WorkloadPodGroupSchedulingPolicy).at(1).doc("Whether pods are scheduled together."),
  schedulingConstraints: optional(WorkloadPodGroupSchedulingConstraints).at(2).doc("Where the pods may be, together."),
  disruptionMode: optional(WorkloadPodGroupDisruptionMode).at(3).doc("How pods are disrupted."),
  resourceClaims: elided(
    list(WorkloadPodGroupResourceClaim, {
      topology: "map",
      keys: ["name"],
      patchStrategy: "merge",
      patchMergeKey: "name",
    }),
  )
    .at(4)
    .uniqueBy("name")
    .doc("Claims that the pods share."),
});
