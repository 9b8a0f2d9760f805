/** The kinds that have their own description; all others are described by their fields. */

import { binding, role, serviceAccount, signingRequest } from "./access.ts";
import { autoscaler } from "./autoscaler.ts";
import { configMap, secret } from "./configuration.ts";
import { deviceClass, resourceClaim, resourceClaimTemplate, resourceSlice } from "./devices.ts";
import { cronJob, job } from "./jobs.ts";
import { limitRange, namespace, resourceQuota } from "./namespaces.ts";
import { endpointSlice, endpoints, ingress, ingressClass, ipAddress, service, serviceCidr } from "./network.ts";
import { networkPolicy } from "./network-policy.ts";
import { node } from "./nodes.ts";
import { pod } from "./pods.ts";
import type { Rows } from "./row.ts";
import { disruptionBudget, priorityClass } from "./scheduling.ts";
import { claim, persistentVolume, storageClass, volumeAttributesClass } from "./storage.ts";
import { daemonSet, deployment, replicas, statefulSet } from "./workloads.ts";

/** By kind; a kind of another group with the same name is described by its fields. */
const descriptions: Readonly<Record<string, Rows>> = {
  Pod: pod,
  ReplicationController: replicas,
  "ReplicaSet.apps": replicas,
  "Deployment.apps": deployment,
  "DaemonSet.apps": daemonSet,
  "StatefulSet.apps": statefulSet,
  "Job.batch": job,
  "CronJob.batch": cronJob,
  Service: service,
  Endpoints: endpoints,
  "Ingress.networking": ingress,
  "Ingress.extensions": ingress,
  "EndpointSlice.discovery": endpointSlice,
  "IngressClass.networking": ingressClass,
  "NetworkPolicy.networking": networkPolicy,
  "ServiceCIDR.networking": serviceCidr,
  "IPAddress.networking": ipAddress,
  Node: node,
  Namespace: namespace,
  ResourceQuota: resourceQuota,
  LimitRange: limitRange,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: claim,
  "StorageClass.storage": storageClass,
  "VolumeAttributesClass.storage": volumeAttributesClass,
  "DeviceClass.resource": deviceClass,
  "ResourceClaim.resource": resourceClaim,
  "ResourceClaimTemplate.resource": resourceClaimTemplate,
  "ResourceSlice.resource": resourceSlice,
  "PriorityClass.scheduling": priorityClass,
  "HorizontalPodAutoscaler.autoscaling": autoscaler,
  "PodDisruptionBudget.policy": disruptionBudget,
  Secret: secret,
  ConfigMap: configMap,
  ServiceAccount: serviceAccount,
  "Role.rbac.authorization": role,
  "ClusterRole.rbac.authorization": role,
  "RoleBinding.rbac.authorization": binding,
  "ClusterRoleBinding.rbac.authorization": binding,
  "CertificateSigningRequest.certificates": signingRequest,
};

/** Descriptions that do not end with the Events of the object. */
const withoutEvents: ReadonlySet<Rows> = new Set([
  networkPolicy,
  namespace,
  resourceQuota,
  limitRange,
  secret,
  role,
  binding,
]);

/** undefined: the kind has no description of its own. */
export function descriptionOf(kind: string, group: string): Rows | undefined {
  const short = group.replace(/\.(k8s|orch)\.io$/, "");
  const key = short === "" ? kind : `${kind}.${short}`;
  return Object.hasOwn(descriptions, key) ? descriptions[key] : undefined;
}

export const endsWithEvents = (rows: Rows): boolean => !withoutEvents.has(rows);
