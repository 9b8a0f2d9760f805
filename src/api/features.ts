/**
 * What kinds do at some levels only, where neither a field nor a feature gate says it: mostly rules and warnings that came with a release
 * and concern several fields. Code asks `has(environment, "podWarnings")`.
 */

import { existsIn, type Release, type Span } from "../base/release.ts";
import type { Environment } from "../machinery/schema/environment.ts";

const features = {
  /** A Scale of 0 replicas omits the field, so the field has no owner. */
  emptyScales: { since: "1.22" },
  /** The namespace of the path counts where a Scale names none. */
  namespacesOfScales: { since: "1.22" },
  /** Classes, volumes and claims warn about deprecated labels and annotations, and about fractions of bytes. */
  storageWarnings: { since: "1.26" },
  /** An ingress may name one class twice, in the annotation and in the field. */
  doubledIngressClasses: { since: "1.28" },
  /** What an Event of the new form says of what happened is immutable. */
  keptEvents: { since: "1.22" },
  /** Every change of a field of a CSIDriver that may change counts as a generation. */
  countedDriverChanges: { since: "1.22" },
  /** Autoscalers are stored as v2: what an annotation leaves out of the behavior gets the defaults of v2. */
  filledBehaviors: { since: "1.25" },
  /** Autoscalers check the groups of what they refer to. */
  checkedReferences: { since: "1.33" },
  /** A negative limit of revisions is worth a warning. */
  historyWarnings: { since: "1.33" },
  /** The pods of a StatefulSet are validated with the volumes of its claims. */
  checkedPodsOfSets: { since: "1.34" },
  /** The status of a StatefulSet has a number of available replicas, which is compared with the others. */
  countedAvailable: { since: "1.22" },
  /** Jobs with more indexes than their status has room for are worth a warning. */
  largeJobWarnings: { since: "1.27" },
  /** The status of a job must fit its spec and the status before. */
  checkedJobStatus: { since: "1.32" },
  /** Where the pods of a suspended job may run can be changed before it starts. */
  adjustableTemplates: { since: "1.23" },
  /** Names after which pods cannot have a host name are worth a warning. */
  podNameWarnings: { since: "1.27" },
  /** The name of an indexed job must leave room for the host names of its pods. */
  hostNamesOfIndexes: { since: "1.24" },
  /** Traffic from outside comes also to the external addresses of a service of type ClusterIP, so it has a policy for it. */
  trafficOfExternalIps: { since: "1.29" },
  /** Only a service of type LoadBalancer has addresses of one in its status. */
  checkedLoadBalancers: { since: "1.29" },
  /** A negative grace period of a pod means one second. */
  leastPodGrace: { since: "1.25" },
  /** Profiles of seccomp are in fields alone; before, annotations and fields followed each other. */
  seccompFields: { since: "1.27" },
  /** Profiles of AppArmor are in fields, which are filled in from annotations. */
  appArmorFields: { since: "1.30" },
  /** Terms of affinity select by the labels of the pod itself that they name. */
  mergedLabelKeys: { since: "1.29" },
  /** Problems of the conditions of a pod are at `status`; before, they were at `metadata`. */
  namedStatus: { since: "1.33" },
  /** The status of a pod is checked as a whole. */
  checkedPodStatus: { since: "1.22" },
  /** What a writer of the status of a pod leaves out may stay as it was. */
  keptPodStatus: { since: "1.22" },
  /** Ports that differ in the host network are the fault of the port on the host. */
  namedHostPorts: { since: "1.28" },
  /** Pods and templates are worth warnings. */
  podWarnings: { since: "1.22" },
  /** Authors of pod templates are warned as those of pods are. */
  templateWarnings: { since: "1.26" },
  /** Sources of one volume whose paths overlap are worth a warning. */
  overlapWarnings: { since: "1.31" },
  /** A mirror pod must belong to its node. */
  checkedMirrors: { since: "1.34" },
  /** Ephemeral containers are checked one by one, as other containers are, and their target must be one of those. */
  plainEphemeralContainers: { since: "1.23" },
  /** A mirror pod with ephemeral containers is an invalid pod; before, the request was forbidden. */
  invalidInMirrors: { since: "1.25" },
  /** The condition of a new pod with scheduling gates has a time. */
  timesOfGates: { since: "1.30" },
  /** Users of containers of Windows are reported at their place. */
  namedUsers: { since: "1.33" },
  /** Profiles of AppArmor in fields are written into annotations, too, for nodes that know only these. */
  appArmorAnnotations: { since: "1.30", until: "1.34" },
  /** Keys of spread constraints become requirements of the selector, so that it must not have them. */
  mergedSpreadKeys: { since: "1.34" },
  /** Services warn of addresses that libraries may refuse one day, and FQDN slices that nothing uses them. */
  addressWarnings: { since: "1.25" },
  /** The disks of Google Compute Engine that several pods mount must be read-only. */
  sharedDisks: { since: "1.21", until: "1.29" },
  /** Slices of endpoints have IPv6 addresses in their canonical form. */
  canonicalEndpoints: { since: "1.33" },
  /** Quotas count claims by their class of attributes. */
  quotasOfAttributes: { since: "1.33" },
  /** Nodes no longer fetch repositories of git unless they are told to. */
  closedRepositories: { since: "1.33" },
  /** A time zone in front of the schedule of a cron job is taken, with a warning. */
  zonesInSchedules: { since: "1.22", until: "1.29" },
  /** Such a time zone is worth a warning. */
  timeZoneWarnings: { since: "1.23" },
  /** Each field of a StatefulSet that cannot change is named; before, they were one problem of the spec. */
  namedSetChanges: { since: "1.36" },
  /** Autoscalers must say how many replicas they may make. */
  requiredReplicas: { since: "1.36" },
  /** That processes are shared with the pod and the node is a problem of the field for the former. */
  namedProcessSharing: { since: "1.36" },
  /** Too many rules or exit codes of a container are counted as items, not as bytes. */
  countedRestartRules: { since: "1.36" },
  /** Names of attributes and capacities of devices are reported for their map. */
  namedDeviceMaps: { since: "1.36" },
  /** Sidecars may have rules for restarts, too. */
  rulesOfSidecars: { since: "1.36" },
  /** The volume of an image must name it even in a template. */
  namedImagesOfTemplates: { since: "1.36" },
  /** The column of a node's kernel shows the processor, too. */
  shownProcessors: { since: "1.36" },
  /** The status of definitions shows generations where the gate for them is on; later it is on, and yet they are not shown. */
  seenGenerations: { since: "1.35", until: "1.36" },
  /** A change of the pods of a job is reported for their spec. */
  namedTemplateChanges: { since: "1.36" },
  /** Amounts of huge pages must be a multiple of the size of a page. */
  checkedHugePages: { since: "1.22" },
  /** Variables may have all addresses of the host. */
  variablesOfHosts: { since: "1.28" },
  /** States of ephemeral containers that have ended are final. */
  checkedEphemeralStates: { since: "1.31" },
  /** Init containers that are always restarted may have probes and hooks. */
  restartableInitContainers: { since: "1.28" },
  /** A service that is only a name has no policy for traffic inside of the cluster. */
  internalPolicies: { since: "1.22" },
  /** An annotation with the mode took the place of the one for hints. */
  topologyModes: { since: "1.27" },
  /** A change of addresses does not matter where they do not fit each other. */
  unfitAddresses: { since: "1.23" },
  /** Claims may get a class later, when there is a default one. */
  lateClasses: { since: "1.26" },
  /** The class of attributes of bound claims may change, and an expansion that failed be taken back. */
  changedAttributes: { since: "1.29" },
  /** The group of a data source is checked as a name. */
  checkedSourceGroups: { since: "1.29" },
  /** The two fields for the source of a volume stand for each other. */
  dataSourceRefs: { since: "1.24" },
  /** Labels of nodes that were renamed may be replaced in the affinity of a volume. */
  stableNodeLabels: { since: "1.26" },
  /** A new volume keeps the status that it is sent with. */
  givenVolumeStatus: { since: "1.24", until: "1.25" },
  /** The external id of a node is worth a warning. */
  externalIdWarnings: { since: "1.22" },
  /** A service keeps the node ports that it has even where no more are allocated for it. */
  keptNodePorts: { since: "1.22", until: "1.29" },
  /** The annotation that carries the behavior of an autoscaler has its tolerances. */
  carriedTolerances: { since: "1.33" },
  /** A writer of the status of a pod may leave out its QoS class. */
  keptQosClass: { since: "1.32" },
  /** The node that a bound pod was nominated for may not change. */
  finalNominations: { since: "1.33" },
  /** Each wrong range of sources of a service is named; before, the list was. */
  namedSourceRanges: { since: "1.32" },
  /** The annotation of accounts for mountable secrets is worth a warning. */
  mountableSecretsWarnings: { since: "1.32" },
  /** The annotation for the class of an ingress is worth a warning. */
  ingressClassWarnings: { since: "1.26" },
  /** An Indexed job may be scaled. */
  elasticJobs: { since: "1.27" },
  /** That a certificate request is both approved and denied is a problem of its conditions, not of one. */
  decisionsOfRequests: { since: "1.34" },
  /** A slash may separate the parts of the name of a sysctl. */
  slashesInSysctls: { since: "1.23" },
  /** Problems with the controller of an Event of the core group are reported by the name that the group has for it. */
  reportingComponents: { since: "1.26" },
  /** A certificate and key of a secret that do not fit are worth a warning. */
  keyPairWarnings: { since: "1.26" },
  /** The labels of the pods of jobs have a prefix. */
  prefixedJobLabels: { since: "1.27" },
  /** Addresses may have zeros in front of their decimals, as the first release that parsed them itself took them. */
  oddAddresses: { since: "1.22" },
  /** Addresses in such forms are worth a warning. */
  oddAddressWarnings: { since: "1.33" },
  /** The URL of a webhook may have the form of a service: a control plane may have webhooks in another cluster. */
  servicesOfOtherClusters: { since: "1.22" },
} as const satisfies Record<string, Span>;

type Feature = keyof typeof features;

const bound = new Map<Release, ReadonlySet<Feature>>();

/** Whether kinds do this at the level of a server. */
export function has({ level }: Pick<Environment, "level">, feature: Feature): boolean {
  let known = bound.get(level);
  if (known === undefined) {
    const names = Object.keys(features) as Feature[]; // of this very table
    known = new Set(names.filter((name) => existsIn(level, features[name])));
    bound.set(level, known);
  }
  return known.has(feature);
}
