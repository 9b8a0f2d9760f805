/** Which controllers a server in a test runs, by their names. */

/** Those of src/controllers and the scheduler; a test compares them. */
export const controllerNames = [
  "bootstrapsigner",
  "clusterrole-aggregation",
  "cronjob",
  "csrapproving",
  "csrcleaner",
  "csrsigning",
  "daemonset",
  "deployment",
  "disruption",
  "endpoint",
  "endpointslice",
  "endpointslicemirroring",
  "ephemeral-volume",
  "garbagecollector",
  "horizontalpodautoscaling",
  "job",
  "legacy-service-account-token-cleaner",
  "namespace",
  "nodeipam",
  "nodelifecycle",
  "persistentvolume-binder",
  "persistentvolume-expander",
  "podgc",
  "pv-protection",
  "pvc-protection",
  "replicaset",
  "replicationcontroller",
  "resourceclaim",
  "resourcequota",
  "root-ca-cert-publisher",
  "scheduler",
  "service-cidr",
  "serviceaccount",
  "serviceaccount-token",
  "statefulset",
  "storage-version-gc",
  "svm",
  "taint-eviction",
  "tokencleaner",
  "ttl",
  "ttl-after-finished",
  "unscheduled-pods",
  "validatingadmissionpolicy-status",
  "volumeattributesclass-protection",
] as const;

type ControllerName = (typeof controllerNames)[number];

/**
 * An entry of `controllers`: all, one of them, or "not this one". Some have another name in later releases, which ends in "-controller".
 * @example
 * const controllers: ControllerChoice[] = ["*", "-garbagecollector"];
 */
export type ControllerChoice = "*" | ControllerName | `-${ControllerName}` | `${string}-controller`;
