/**
 * What controllers do at some levels only, where no feature gate of both levels says it. No other file of this room names a
 * release: a controller asks `context.has("orderedDeletion")`, and says of itself since when it exists.
 */

import type { Span } from "../base/release.ts";

export const features = {
  /** Every account gets a Secret with a token, without being asked. */
  accountTokens: { until: "1.24" },
  /** Jobs: conditions announce how a job will end, before its last pod has. */
  announcedEnds: { since: "1.32" },
  /** Pods that controllers delete say so in a condition, and that they have failed if no node can. */
  disruptionTargets: { since: "1.26" },
  /** Pods that are being deleted on a node that an administrator has marked as off are removed. */
  outOfServiceNodes: { since: "1.26" },
  /** The eviction of pods by taints is a controller of its own. */
  taintEviction: { since: "1.29" },
  /** Autoscalers are read and written as autoscaling/v2. */
  autoscalingV2: { since: "1.23" },
  /** Claims without a class get the default class, even if it is chosen after them. */
  lateDefaultClasses: { since: "1.26" },
  /** What these controllers look after is served: before, they only have their names. */
  policyTypes: { since: "1.30" },
  serviceRanges: { since: "1.33" },
  resourceClaims: { since: "1.34" },
  deviceTaintRules: { since: "1.37" },
  attributeClasses: { since: "1.34" },
  migrations: { since: "1.35" },
  /** Migrations are read and written as storagemigration.orch.io/v1. */
  migrationsV1: { since: "1.37" },
  /** Quotas count the devices that claims ask for. */
  deviceQuotas: { since: "1.34" },
  /** Endpoints have 1,000 addresses at most; before, a larger object was only marked. */
  truncatedEndpoints: { since: "1.22" },
  /** Endpoints and slices have pods that have ended, unless their restart policy says that they stay so. */
  endedEndpoints: { until: "1.22" },
  /** Endpoints: an annotation of a service publishes pods that are not ready. */
  unreadyAnnotation: { until: "1.22" },
  /** Endpoints say in a label that the controller wrote them. */
  labelledEndpoints: { since: "1.33" },
  /** Slices: endpoints have hints by zone where an annotation of the service asks for them. */
  zoneHints: { since: "1.24" },
  /** Slices: services that publish addresses which are not ready have those of pods whose node is missing. */
  unplacedEndpoints: { since: "1.29" },
  /** Namespaces: all pods are gone before anything else is deleted. */
  orderedDeletion: { since: "1.33" },
  /** Jobs: a finalizer keeps each pod until the status of its job counts it. */
  countedPods: { since: "1.26" },
  /** CronJobs: jobs say in an annotation when their run was due. */
  scheduledTimes: { since: "1.28" },
  /** CronJobs: the latest missed run is one of the schedule, even if the distances of its runs differ. */
  exactRuns: { since: "1.28" },
  /** CronJobs: a schedule may begin with a time zone; those that do are still obeyed where new ones are refused. */
  zonesInSchedules: { since: "1.22" },
  /** CronJobs: every second day of the month, with days of the week, is one of both and no longer both at once. */
  stepsOfDays: { since: "1.22" },
  /** StatefulSets: pods have a label with their ordinal. */
  podIndexLabels: { since: "1.28" },
  /** cluster-info is signed with the secret of a token alone, and not with the whole token. */
  secretSignatures: { since: "1.22" },
  /** StatefulSets: replicas that have been ready for `minReadySeconds` are counted. */
  availableReplicas: { since: "1.22" },
} as const satisfies Record<string, Span>;

export type ControllerFeature = keyof typeof features;
