/** The kinds that have their own description; all others are described by their fields. */

import type { Context } from "../context.ts";
import type { Json } from "../json.ts";
import {
  describeBinding,
  describeConfigMap,
  describeRole,
  describeSecret,
  describeServiceAccount,
  describeSigningRequest,
} from "./access.ts";
import { describeAutoscaler } from "./autoscaler.ts";
import {
  describeClaim,
  describeDisruptionBudget,
  describeLimitRange,
  describeNamespace,
  describeNode,
  describePersistentVolume,
  describePriorityClass,
  describeQuota,
  describeStorageClass,
} from "./cluster.ts";
import { describeCronJob, describeJob } from "./jobs.ts";
import {
  describeEndpointSlice,
  describeEndpoints,
  describeIngress,
  describeIngressClass,
  describeNetworkPolicy,
  describeService,
} from "./network.ts";
import {
  describeDaemonSet,
  describeDeployment,
  describePod,
  describeReplicas,
  describeStatefulSet,
} from "./workloads.ts";
import type { DescriptionWriter } from "./writer.ts";

interface Describer {
  readonly write: (w: DescriptionWriter, value: Json, context: Context) => void | Promise<void>;
  /** Whether the Events of the object follow. Default: yes. */
  readonly withoutEvents?: boolean;
}

/** By kind; a kind of another group with the same name is described by its fields. */
const describers: Readonly<Record<string, Describer>> = {
  Pod: { write: describePod },
  ReplicationController: { write: describeReplicas },
  "ReplicaSet.apps": { write: describeReplicas },
  "Deployment.apps": { write: describeDeployment },
  "DaemonSet.apps": { write: describeDaemonSet },
  "StatefulSet.apps": { write: describeStatefulSet },
  "Job.batch": { write: describeJob },
  "CronJob.batch": { write: describeCronJob },
  Service: { write: describeService },
  Endpoints: { write: describeEndpoints },
  "Ingress.networking": { write: describeIngress },
  "Ingress.extensions": { write: describeIngress },
  "EndpointSlice.discovery": { write: describeEndpointSlice },
  "IngressClass.networking": { write: describeIngressClass },
  "NetworkPolicy.networking": { write: describeNetworkPolicy, withoutEvents: true },
  Node: { write: describeNode },
  Namespace: { write: describeNamespace, withoutEvents: true },
  ResourceQuota: { write: describeQuota, withoutEvents: true },
  LimitRange: { write: describeLimitRange, withoutEvents: true },
  PersistentVolume: { write: describePersistentVolume },
  PersistentVolumeClaim: { write: describeClaim },
  "StorageClass.storage": { write: describeStorageClass },
  "PriorityClass.scheduling": { write: describePriorityClass },
  "HorizontalPodAutoscaler.autoscaling": { write: describeAutoscaler },
  "PodDisruptionBudget.policy": { write: describeDisruptionBudget },
  Secret: { write: describeSecret, withoutEvents: true },
  ConfigMap: { write: describeConfigMap },
  ServiceAccount: { write: describeServiceAccount },
  "Role.rbac.authorization": { write: describeRole, withoutEvents: true },
  "ClusterRole.rbac.authorization": { write: describeRole, withoutEvents: true },
  "RoleBinding.rbac.authorization": { write: describeBinding, withoutEvents: true },
  "ClusterRoleBinding.rbac.authorization": { write: describeBinding, withoutEvents: true },
  "CertificateSigningRequest.certificates": { write: describeSigningRequest },
};

export function describerOf(kind: string, group: string): Describer | undefined {
  const short = group.replace(/\.(k8s|orch)\.io$/, "");
  const key = short === "" ? kind : `${kind}.${short}`;
  return Object.hasOwn(describers, key) ? describers[key] : undefined;
}
