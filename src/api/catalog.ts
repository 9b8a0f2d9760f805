/** Every built-in kind, one line each. */

import type { Kind } from "../machinery/schema/kind.ts";
import { AccessExplanation } from "./access/v1alpha1/access-explanation.ts";
import { AccessHolders } from "./access/v1alpha1/access-holders.ts";
import { MutatingAdmissionPolicy as AdmissionregistrationV1MutatingAdmissionPolicy } from "./admissionregistration/v1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding as AdmissionregistrationV1MutatingAdmissionPolicyBinding } from "./admissionregistration/v1/mutating-admission-policy-binding.ts";
import { MutatingWebhookConfiguration } from "./admissionregistration/v1/mutating-webhook-configuration.ts";
import { ValidatingAdmissionPolicy } from "./admissionregistration/v1/validating-admission-policy.ts";
import { ValidatingAdmissionPolicyBinding } from "./admissionregistration/v1/validating-admission-policy-binding.ts";
import { ValidatingWebhookConfiguration } from "./admissionregistration/v1/validating-webhook-configuration.ts";
import { MutatingAdmissionPolicy as AdmissionregistrationV1alpha1MutatingAdmissionPolicy } from "./admissionregistration/v1alpha1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding as AdmissionregistrationV1alpha1MutatingAdmissionPolicyBinding } from "./admissionregistration/v1alpha1/mutating-admission-policy-binding.ts";
import { ValidatingAdmissionPolicy as AdmissionregistrationV1alpha1ValidatingAdmissionPolicy } from "./admissionregistration/v1alpha1/validating-admission-policy.ts";
import { ValidatingAdmissionPolicyBinding as AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBinding } from "./admissionregistration/v1alpha1/validating-admission-policy-binding.ts";
import { MutatingAdmissionPolicy } from "./admissionregistration/v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding } from "./admissionregistration/v1beta1/mutating-admission-policy-binding.ts";
import { MutatingWebhookConfiguration as AdmissionregistrationV1beta1MutatingWebhookConfiguration } from "./admissionregistration/v1beta1/mutating-webhook-configuration.ts";
import { ValidatingAdmissionPolicy as AdmissionregistrationV1beta1ValidatingAdmissionPolicy } from "./admissionregistration/v1beta1/validating-admission-policy.ts";
import { ValidatingAdmissionPolicyBinding as AdmissionregistrationV1beta1ValidatingAdmissionPolicyBinding } from "./admissionregistration/v1beta1/validating-admission-policy-binding.ts";
import { ValidatingWebhookConfiguration as AdmissionregistrationV1beta1ValidatingWebhookConfiguration } from "./admissionregistration/v1beta1/validating-webhook-configuration.ts";
import { CustomResourceDefinition } from "./apiextensions/v1/custom-resource-definition.ts";
import { CustomResourceDefinition as ApiextensionsV1beta1CustomResourceDefinition } from "./apiextensions/v1beta1/custom-resource-definition.ts";
import { APIService } from "./apiregistration/v1/api-service.ts";
import { APIService as ApiregistrationV1beta1APIService } from "./apiregistration/v1beta1/api-service.ts";
import { ControllerRevision } from "./apps/v1/controller-revision.ts";
import { DaemonSet } from "./apps/v1/daemon-set.ts";
import { Deployment } from "./apps/v1/deployment.ts";
import { ReplicaSet } from "./apps/v1/replica-set.ts";
import { StatefulSet } from "./apps/v1/stateful-set.ts";
import { SelfSubjectReview } from "./authentication/v1/self-subject-review.ts";
import { TokenRequest } from "./authentication/v1/token-request.ts";
import { TokenReview } from "./authentication/v1/token-review.ts";
import { SelfSubjectReview as AuthenticationV1alpha1SelfSubjectReview } from "./authentication/v1alpha1/self-subject-review.ts";
import { SelfSubjectReview as AuthenticationV1beta1SelfSubjectReview } from "./authentication/v1beta1/self-subject-review.ts";
import { TokenReview as AuthenticationV1beta1TokenReview } from "./authentication/v1beta1/token-review.ts";
import { LocalSubjectAccessReview } from "./authorization/v1/local-subject-access-review.ts";
import { SelfSubjectAccessReview } from "./authorization/v1/self-subject-access-review.ts";
import { SelfSubjectRulesReview } from "./authorization/v1/self-subject-rules-review.ts";
import { SubjectAccessReview } from "./authorization/v1/subject-access-review.ts";
import { LocalSubjectAccessReview as AuthorizationV1beta1LocalSubjectAccessReview } from "./authorization/v1beta1/local-subject-access-review.ts";
import { SelfSubjectAccessReview as AuthorizationV1beta1SelfSubjectAccessReview } from "./authorization/v1beta1/self-subject-access-review.ts";
import { SelfSubjectRulesReview as AuthorizationV1beta1SelfSubjectRulesReview } from "./authorization/v1beta1/self-subject-rules-review.ts";
import { SubjectAccessReview as AuthorizationV1beta1SubjectAccessReview } from "./authorization/v1beta1/subject-access-review.ts";
import { HorizontalPodAutoscaler } from "./autoscaling/v1/horizontal-pod-autoscaler.ts";
import { Scale } from "./autoscaling/v1/scale.ts";
import { HorizontalPodAutoscaler as AutoscalingV2HorizontalPodAutoscaler } from "./autoscaling/v2/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler as AutoscalingV2beta1HorizontalPodAutoscaler } from "./autoscaling/v2beta1/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler as AutoscalingV2beta2HorizontalPodAutoscaler } from "./autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import { CronJob } from "./batch/v1/cron-job.ts";
import { Job } from "./batch/v1/job.ts";
import { CronJob as BatchV1beta1CronJob } from "./batch/v1beta1/cron-job.ts";
import { CertificateSigningRequest } from "./certificates/v1/certificate-signing-request.ts";
import { ClusterTrustBundle } from "./certificates/v1/cluster-trust-bundle.ts";
import { PodCertificateRequest } from "./certificates/v1/pod-certificate-request.ts";
import { ClusterTrustBundle as CertificatesV1alpha1ClusterTrustBundle } from "./certificates/v1alpha1/cluster-trust-bundle.ts";
import { CertificateSigningRequest as CertificatesV1beta1CertificateSigningRequest } from "./certificates/v1beta1/certificate-signing-request.ts";
import { ClusterTrustBundle as CertificatesV1beta1ClusterTrustBundle } from "./certificates/v1beta1/cluster-trust-bundle.ts";
import { Lease } from "./coordination/v1/lease.ts";
import { Lease as CoordinationV1beta1Lease } from "./coordination/v1beta1/lease.ts";
import { Binding } from "./core/v1/binding.ts";
import { ComponentStatus } from "./core/v1/component-status.ts";
import { ConfigMap } from "./core/v1/config-map.ts";
import { Endpoints } from "./core/v1/endpoints.ts";
import { Event } from "./core/v1/event.ts";
import { LimitRange } from "./core/v1/limit-range.ts";
import { Namespace } from "./core/v1/namespace.ts";
import { Node } from "./core/v1/node.ts";
import { PersistentVolume } from "./core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "./core/v1/persistent-volume-claim.ts";
import { EphemeralContainers } from "./core/v1/pod/ephemeral-containers.ts";
import { Pod } from "./core/v1/pod.ts";
import { PodTemplate } from "./core/v1/pod-template.ts";
import { ReplicationController } from "./core/v1/replication-controller.ts";
import { ResourceQuota } from "./core/v1/resource-quota.ts";
import { Secret } from "./core/v1/secret.ts";
import { Service } from "./core/v1/service.ts";
import { ServiceAccount } from "./core/v1/service-account.ts";
import { EndpointSlice } from "./discovery/v1/endpoint-slice.ts";
import { EndpointSlice as DiscoveryV1beta1EndpointSlice } from "./discovery/v1beta1/endpoint-slice.ts";
import { Event as EventsV1Event } from "./events/v1/event.ts";
import { Event as EventsV1beta1Event } from "./events/v1beta1/event.ts";
import { Ingress as ExtensionsV1beta1Ingress } from "./extensions/v1beta1/ingress.ts";
import { FlowSchema as FlowcontrolV1FlowSchema } from "./flowcontrol/v1/flow-schema.ts";
import { PriorityLevelConfiguration as FlowcontrolV1PriorityLevelConfiguration } from "./flowcontrol/v1/priority-level-configuration.ts";
import { FlowSchema } from "./flowcontrol/v1beta1/flow-schema.ts";
import { PriorityLevelConfiguration } from "./flowcontrol/v1beta1/priority-level-configuration.ts";
import { FlowSchema as FlowcontrolV1beta2FlowSchema } from "./flowcontrol/v1beta2/flow-schema.ts";
import { PriorityLevelConfiguration as FlowcontrolV1beta2PriorityLevelConfiguration } from "./flowcontrol/v1beta2/priority-level-configuration.ts";
import { FlowSchema as FlowcontrolV1beta3FlowSchema } from "./flowcontrol/v1beta3/flow-schema.ts";
import { PriorityLevelConfiguration as FlowcontrolV1beta3PriorityLevelConfiguration } from "./flowcontrol/v1beta3/priority-level-configuration.ts";
import { StorageVersion } from "./internal/v1alpha1/storage-version.ts";
import { Ingress } from "./networking/v1/ingress.ts";
import { IngressClass } from "./networking/v1/ingress-class.ts";
import { IPAddress } from "./networking/v1/ip-address.ts";
import { NetworkPolicy } from "./networking/v1/network-policy.ts";
import { ServiceCIDR } from "./networking/v1/service-cidr.ts";
import { IPAddress as NetworkingV1alpha1IPAddress } from "./networking/v1alpha1/ip-address.ts";
import { ServiceCIDR as NetworkingV1alpha1ServiceCIDR } from "./networking/v1alpha1/service-cidr.ts";
import { Ingress as NetworkingV1beta1Ingress } from "./networking/v1beta1/ingress.ts";
import { IngressClass as NetworkingV1beta1IngressClass } from "./networking/v1beta1/ingress-class.ts";
import { IPAddress as NetworkingV1beta1IPAddress } from "./networking/v1beta1/ip-address.ts";
import { ServiceCIDR as NetworkingV1beta1ServiceCIDR } from "./networking/v1beta1/service-cidr.ts";
import { RuntimeClass } from "./node/v1/runtime-class.ts";
import { RuntimeClass as NodeV1alpha1RuntimeClass } from "./node/v1alpha1/runtime-class.ts";
import { RuntimeClass as NodeV1beta1RuntimeClass } from "./node/v1beta1/runtime-class.ts";
import { Eviction as PolicyV1Eviction } from "./policy/v1/eviction.ts";
import { PodDisruptionBudget } from "./policy/v1/pod-disruption-budget.ts";
import { Eviction } from "./policy/v1beta1/eviction.ts";
import { PodDisruptionBudget as PolicyV1beta1PodDisruptionBudget } from "./policy/v1beta1/pod-disruption-budget.ts";
import { PodSecurityPolicy } from "./policy/v1beta1/pod-security-policy.ts";
import { ClusterRole } from "./rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "./rbac/v1/cluster-role-binding.ts";
import { Role } from "./rbac/v1/role.ts";
import { RoleBinding } from "./rbac/v1/role-binding.ts";
import { ClusterRole as RbacV1alpha1ClusterRole } from "./rbac/v1alpha1/cluster-role.ts";
import { ClusterRoleBinding as RbacV1alpha1ClusterRoleBinding } from "./rbac/v1alpha1/cluster-role-binding.ts";
import { Role as RbacV1alpha1Role } from "./rbac/v1alpha1/role.ts";
import { RoleBinding as RbacV1alpha1RoleBinding } from "./rbac/v1alpha1/role-binding.ts";
import { ClusterRole as RbacV1beta1ClusterRole } from "./rbac/v1beta1/cluster-role.ts";
import { ClusterRoleBinding as RbacV1beta1ClusterRoleBinding } from "./rbac/v1beta1/cluster-role-binding.ts";
import { Role as RbacV1beta1Role } from "./rbac/v1beta1/role.ts";
import { RoleBinding as RbacV1beta1RoleBinding } from "./rbac/v1beta1/role-binding.ts";
import { DeviceClass } from "./resource/v1/device-class.ts";
import { DeviceTaintRule } from "./resource/v1/device-taint-rule.ts";
import { ResourceClaim } from "./resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "./resource/v1/resource-claim-template.ts";
import { ResourceSlice } from "./resource/v1/resource-slice.ts";
import { PriorityClass } from "./scheduling/v1/priority-class.ts";
import { PriorityClass as SchedulingV1alpha1PriorityClass } from "./scheduling/v1alpha1/priority-class.ts";
import { PriorityClass as SchedulingV1beta1PriorityClass } from "./scheduling/v1beta1/priority-class.ts";
import { CSIDriver } from "./storage/v1/csi-driver.ts";
import { CSINode } from "./storage/v1/csi-node.ts";
import { CSIStorageCapacity as StorageV1CSIStorageCapacity } from "./storage/v1/csi-storage-capacity.ts";
import { StorageClass } from "./storage/v1/storage-class.ts";
import { VolumeAttachment } from "./storage/v1/volume-attachment.ts";
import { VolumeAttributesClass } from "./storage/v1/volume-attributes-class.ts";
import { CSIStorageCapacity as StorageV1alpha1CSIStorageCapacity } from "./storage/v1alpha1/csi-storage-capacity.ts";
import { VolumeAttachment as StorageV1alpha1VolumeAttachment } from "./storage/v1alpha1/volume-attachment.ts";
import { VolumeAttributesClass as StorageV1alpha1VolumeAttributesClass } from "./storage/v1alpha1/volume-attributes-class.ts";
import { CSIDriver as StorageV1beta1CSIDriver } from "./storage/v1beta1/csi-driver.ts";
import { CSINode as StorageV1beta1CSINode } from "./storage/v1beta1/csi-node.ts";
import { CSIStorageCapacity } from "./storage/v1beta1/csi-storage-capacity.ts";
import { StorageClass as StorageV1beta1StorageClass } from "./storage/v1beta1/storage-class.ts";
import { VolumeAttachment as StorageV1beta1VolumeAttachment } from "./storage/v1beta1/volume-attachment.ts";
import { VolumeAttributesClass as StorageV1beta1VolumeAttributesClass } from "./storage/v1beta1/volume-attributes-class.ts";
import { StorageVersionMigration as StoragemigrationV1StorageVersionMigration } from "./storagemigration/v1/storage-version-migration.ts";
import { StorageVersionMigration } from "./storagemigration/v1beta1/storage-version-migration.ts";

export const catalog: readonly Kind[] = [
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  AdmissionregistrationV1beta1ValidatingAdmissionPolicy,
  AdmissionregistrationV1alpha1ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  AdmissionregistrationV1beta1ValidatingAdmissionPolicyBinding,
  AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBinding,
  MutatingAdmissionPolicy,
  AdmissionregistrationV1MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  AdmissionregistrationV1MutatingAdmissionPolicyBinding,
  AdmissionregistrationV1alpha1MutatingAdmissionPolicy,
  AdmissionregistrationV1alpha1MutatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  AdmissionregistrationV1beta1MutatingWebhookConfiguration,
  AdmissionregistrationV1beta1ValidatingWebhookConfiguration,
  CustomResourceDefinition,
  ApiextensionsV1beta1CustomResourceDefinition,
  APIService,
  ApiregistrationV1beta1APIService,
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
  SelfSubjectReview,
  AuthenticationV1beta1SelfSubjectReview,
  AuthenticationV1alpha1SelfSubjectReview,
  TokenRequest,
  TokenReview,
  AuthenticationV1beta1TokenReview,
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  AuthorizationV1beta1LocalSubjectAccessReview,
  AuthorizationV1beta1SelfSubjectAccessReview,
  AuthorizationV1beta1SelfSubjectRulesReview,
  AuthorizationV1beta1SubjectAccessReview,
  HorizontalPodAutoscaler,
  Scale,
  AutoscalingV2HorizontalPodAutoscaler,
  AutoscalingV2beta1HorizontalPodAutoscaler,
  AutoscalingV2beta2HorizontalPodAutoscaler,
  CronJob,
  Job,
  BatchV1beta1CronJob,
  CertificateSigningRequest,
  CertificatesV1beta1CertificateSigningRequest,
  ClusterTrustBundle,
  CertificatesV1beta1ClusterTrustBundle,
  CertificatesV1alpha1ClusterTrustBundle,
  PodCertificateRequest,
  Lease,
  CoordinationV1beta1Lease,
  Binding,
  ComponentStatus,
  ConfigMap,
  Endpoints,
  EphemeralContainers,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
  EndpointSlice,
  DiscoveryV1beta1EndpointSlice,
  EventsV1Event,
  EventsV1beta1Event,
  ExtensionsV1beta1Ingress,
  FlowcontrolV1FlowSchema,
  FlowcontrolV1PriorityLevelConfiguration,
  FlowcontrolV1beta3FlowSchema,
  FlowcontrolV1beta3PriorityLevelConfiguration,
  FlowcontrolV1beta2FlowSchema,
  FlowcontrolV1beta2PriorityLevelConfiguration,
  FlowSchema,
  PriorityLevelConfiguration,
  Ingress,
  IngressClass,
  NetworkPolicy,
  IPAddress,
  NetworkingV1beta1IPAddress,
  NetworkingV1alpha1IPAddress,
  ServiceCIDR,
  NetworkingV1beta1ServiceCIDR,
  NetworkingV1alpha1ServiceCIDR,
  NetworkingV1beta1Ingress,
  NetworkingV1beta1IngressClass,
  RuntimeClass,
  NodeV1beta1RuntimeClass,
  PodDisruptionBudget,
  PolicyV1Eviction,
  Eviction,
  PolicyV1beta1PodDisruptionBudget,
  PodSecurityPolicy,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  RbacV1beta1ClusterRole,
  RbacV1beta1ClusterRoleBinding,
  RbacV1beta1Role,
  RbacV1beta1RoleBinding,
  DeviceClass,
  DeviceTaintRule,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  PriorityClass,
  SchedulingV1beta1PriorityClass,
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  StorageV1beta1VolumeAttributesClass,
  StorageV1alpha1VolumeAttributesClass,
  StorageV1beta1CSIDriver,
  StorageV1beta1CSINode,
  StorageV1CSIStorageCapacity,
  CSIStorageCapacity,
  StorageV1beta1StorageClass,
  StorageV1beta1VolumeAttachment,
  StorageVersionMigration,
  StoragemigrationV1StorageVersionMigration,
  // Alpha versions: served if --runtime-config enables them.
  StorageVersion,
  NodeV1alpha1RuntimeClass,
  RbacV1alpha1ClusterRole,
  RbacV1alpha1ClusterRoleBinding,
  RbacV1alpha1Role,
  RbacV1alpha1RoleBinding,
  SchedulingV1alpha1PriorityClass,
  StorageV1alpha1CSIStorageCapacity,
  StorageV1alpha1VolumeAttachment,
  // Beyond v1.21: served if --runtime-config enables it.
  AccessExplanation,
  AccessHolders,
];
