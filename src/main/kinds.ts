/** Kinds by name, for programs that write admission plugins: `on(kinds.Pod, "CREATE", …)`. Each means all versions of the kind. */

import { MutatingWebhookConfiguration } from "../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import { ValidatingWebhookConfiguration } from "../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { CustomResourceDefinition } from "../api/apiextensions/v1/custom-resource-definition.ts";
import { APIService } from "../api/apiregistration/v1/api-service.ts";
import { ControllerRevision } from "../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../api/apps/v1/daemon-set.ts";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { TokenRequest } from "../api/authentication/v1/token-request.ts";
import { TokenReview } from "../api/authentication/v1/token-review.ts";
import { LocalSubjectAccessReview } from "../api/authorization/v1/local-subject-access-review.ts";
import { SelfSubjectAccessReview } from "../api/authorization/v1/self-subject-access-review.ts";
import { SelfSubjectRulesReview } from "../api/authorization/v1/self-subject-rules-review.ts";
import { SubjectAccessReview } from "../api/authorization/v1/subject-access-review.ts";
import { HorizontalPodAutoscaler } from "../api/autoscaling/v1/horizontal-pod-autoscaler.ts";
import { Scale } from "../api/autoscaling/v1/scale.ts";
import { CronJob } from "../api/batch/v1/cron-job.ts";
import { Job } from "../api/batch/v1/job.ts";
import { CertificateSigningRequest } from "../api/certificates/v1/certificate-signing-request.ts";
import { Lease } from "../api/coordination/v1/lease.ts";
import { Binding } from "../api/core/v1/binding.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Endpoints } from "../api/core/v1/endpoints.ts";
import { Event } from "../api/core/v1/event.ts";
import { LimitRange } from "../api/core/v1/limit-range.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Node } from "../api/core/v1/node.ts";
import { PersistentVolume } from "../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/persistent-volume-claim.ts";
import { EphemeralContainers } from "../api/core/v1/pod/ephemeral-containers.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { PodTemplate } from "../api/core/v1/pod-template.ts";
import { ReplicationController } from "../api/core/v1/replication-controller.ts";
import { ResourceQuota } from "../api/core/v1/resource-quota.ts";
import { Secret } from "../api/core/v1/secret.ts";
import { Service } from "../api/core/v1/service.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { EndpointSlice } from "../api/discovery/v1/endpoint-slice.ts";
import { FlowSchema } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import { PriorityLevelConfiguration } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import { Ingress } from "../api/networking/v1/ingress.ts";
import { IngressClass } from "../api/networking/v1/ingress-class.ts";
import { NetworkPolicy } from "../api/networking/v1/network-policy.ts";
import { RuntimeClass } from "../api/node/v1/runtime-class.ts";
import { PodDisruptionBudget } from "../api/policy/v1/pod-disruption-budget.ts";
import { Eviction } from "../api/policy/v1beta1/eviction.ts";
import { PodSecurityPolicy } from "../api/policy/v1beta1/pod-security-policy.ts";
import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../api/rbac/v1/role.ts";
import { RoleBinding } from "../api/rbac/v1/role-binding.ts";
import { PriorityClass } from "../api/scheduling/v1/priority-class.ts";
import { CSIDriver } from "../api/storage/v1/csi-driver.ts";
import { CSINode } from "../api/storage/v1/csi-node.ts";
import { StorageClass } from "../api/storage/v1/storage-class.ts";
import { VolumeAttachment } from "../api/storage/v1/volume-attachment.ts";
import { CSIStorageCapacity } from "../api/storage/v1beta1/csi-storage-capacity.ts";

export const kinds = {
  APIService,
  Binding,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  ControllerRevision,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Endpoints,
  EphemeralContainers,
  Event,
  Eviction,
  FlowSchema,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  Job,
  Lease,
  LimitRange,
  LocalSubjectAccessReview,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodSecurityPolicy,
  PodTemplate,
  PriorityClass,
  PriorityLevelConfiguration,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Role,
  RoleBinding,
  RuntimeClass,
  Scale,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
} as const;
