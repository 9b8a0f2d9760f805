/**
 * The built-in kinds as clients know them: their names, and the types of their objects. The declarations themselves are part of the
 * server and are imported as types only. A test compares the names.
 */

import type { MutatingWebhookConfiguration as MutatingWebhookConfigurationObject } from "../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import type { ValidatingWebhookConfiguration as ValidatingWebhookConfigurationObject } from "../api/admissionregistration/v1/validating-webhook-configuration.ts";
import type { CustomResourceDefinition as CustomResourceDefinitionObject } from "../api/apiextensions/v1/custom-resource-definition.ts";
import type { APIService as APIServiceObject } from "../api/apiregistration/v1/api-service.ts";
import type { ControllerRevision as ControllerRevisionObject } from "../api/apps/v1/controller-revision.ts";
import type { DaemonSet as DaemonSetObject } from "../api/apps/v1/daemon-set.ts";
import type { Deployment as DeploymentObject } from "../api/apps/v1/deployment.ts";
import type { ReplicaSet as ReplicaSetObject } from "../api/apps/v1/replica-set.ts";
import type { StatefulSet as StatefulSetObject } from "../api/apps/v1/stateful-set.ts";
import type { TokenReview as TokenReviewObject } from "../api/authentication/v1/token-review.ts";
import type { LocalSubjectAccessReview as LocalSubjectAccessReviewObject } from "../api/authorization/v1/local-subject-access-review.ts";
import type { SelfSubjectAccessReview as SelfSubjectAccessReviewObject } from "../api/authorization/v1/self-subject-access-review.ts";
import type { SelfSubjectRulesReview as SelfSubjectRulesReviewObject } from "../api/authorization/v1/self-subject-rules-review.ts";
import type { SubjectAccessReview as SubjectAccessReviewObject } from "../api/authorization/v1/subject-access-review.ts";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerObject } from "../api/autoscaling/v1/horizontal-pod-autoscaler.ts";
import type { CronJob as CronJobObject } from "../api/batch/v1/cron-job.ts";
import type { Job as JobObject } from "../api/batch/v1/job.ts";
import type { CertificateSigningRequest as CertificateSigningRequestObject } from "../api/certificates/v1/certificate-signing-request.ts";
import type { Lease as LeaseObject } from "../api/coordination/v1/lease.ts";
import type { ConfigMap as ConfigMapObject } from "../api/core/v1/config-map.ts";
import type { Endpoints as EndpointsObject } from "../api/core/v1/endpoints.ts";
import type { Event as EventObject } from "../api/core/v1/event.ts";
import type { LimitRange as LimitRangeObject } from "../api/core/v1/limit-range.ts";
import type { Namespace as NamespaceObject } from "../api/core/v1/namespace.ts";
import type { Node as NodeObject } from "../api/core/v1/node.ts";
import type { PersistentVolume as PersistentVolumeObject } from "../api/core/v1/persistent-volume.ts";
import type { PersistentVolumeClaim as PersistentVolumeClaimObject } from "../api/core/v1/persistent-volume-claim.ts";
import type { Pod as PodObject } from "../api/core/v1/pod.ts";
import type { PodTemplate as PodTemplateObject } from "../api/core/v1/pod-template.ts";
import type { ReplicationController as ReplicationControllerObject } from "../api/core/v1/replication-controller.ts";
import type { ResourceQuota as ResourceQuotaObject } from "../api/core/v1/resource-quota.ts";
import type { Secret as SecretObject } from "../api/core/v1/secret.ts";
import type { Service as ServiceObject } from "../api/core/v1/service.ts";
import type { ServiceAccount as ServiceAccountObject } from "../api/core/v1/service-account.ts";
import type { EndpointSlice as EndpointSliceObject } from "../api/discovery/v1/endpoint-slice.ts";
import type { FlowSchema as FlowSchemaObject } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import type { PriorityLevelConfiguration as PriorityLevelConfigurationObject } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import type { Ingress as IngressObject } from "../api/networking/v1/ingress.ts";
import type { IngressClass as IngressClassObject } from "../api/networking/v1/ingress-class.ts";
import type { NetworkPolicy as NetworkPolicyObject } from "../api/networking/v1/network-policy.ts";
import type { RuntimeClass as RuntimeClassObject } from "../api/node/v1/runtime-class.ts";
import type { PodDisruptionBudget as PodDisruptionBudgetObject } from "../api/policy/v1/pod-disruption-budget.ts";
import type { PodSecurityPolicy as PodSecurityPolicyObject } from "../api/policy/v1beta1/pod-security-policy.ts";
import type { ClusterRole as ClusterRoleObject } from "../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding as ClusterRoleBindingObject } from "../api/rbac/v1/cluster-role-binding.ts";
import type { Role as RoleObject } from "../api/rbac/v1/role.ts";
import type { RoleBinding as RoleBindingObject } from "../api/rbac/v1/role-binding.ts";
import type { PriorityClass as PriorityClassObject } from "../api/scheduling/v1/priority-class.ts";
import type { CSIDriver as CSIDriverObject } from "../api/storage/v1/csi-driver.ts";
import type { CSINode as CSINodeObject } from "../api/storage/v1/csi-node.ts";
import type { StorageClass as StorageClassObject } from "../api/storage/v1/storage-class.ts";
import type { VolumeAttachment as VolumeAttachmentObject } from "../api/storage/v1/volume-attachment.ts";
import type { CSIStorageCapacity as CSIStorageCapacityObject } from "../api/storage/v1beta1/csi-storage-capacity.ts";
import type { AnyObject, ServedKind } from "../client/contract.ts";

const builtIn = <T extends AnyObject>(names: ServedKind<T>): ServedKind<T> => names;

export const APIService = builtIn<APIServiceObject>({
  group: "apiregistration.orch.io",
  version: "v1",
  kind: "APIService",
  resource: "apiservices",
  scope: "Cluster",
});
export type APIService = APIServiceObject;
export const CSIDriver = builtIn<CSIDriverObject>({
  group: "storage.orch.io",
  version: "v1",
  kind: "CSIDriver",
  resource: "csidrivers",
  scope: "Cluster",
});
export type CSIDriver = CSIDriverObject;
export const CSINode = builtIn<CSINodeObject>({
  group: "storage.orch.io",
  version: "v1",
  kind: "CSINode",
  resource: "csinodes",
  scope: "Cluster",
});
export type CSINode = CSINodeObject;
export const CSIStorageCapacity = builtIn<CSIStorageCapacityObject>({
  group: "storage.orch.io",
  version: "v1beta1",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  scope: "Namespaced",
});
export type CSIStorageCapacity = CSIStorageCapacityObject;
export const CertificateSigningRequest = builtIn<CertificateSigningRequestObject>({
  group: "certificates.orch.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  resource: "certificatesigningrequests",
  scope: "Cluster",
});
export type CertificateSigningRequest = CertificateSigningRequestObject;
export const ClusterRole = builtIn<ClusterRoleObject>({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "ClusterRole",
  resource: "clusterroles",
  scope: "Cluster",
});
export type ClusterRole = ClusterRoleObject;
export const ClusterRoleBinding = builtIn<ClusterRoleBindingObject>({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  resource: "clusterrolebindings",
  scope: "Cluster",
});
export type ClusterRoleBinding = ClusterRoleBindingObject;
export const ConfigMap = builtIn<ConfigMapObject>({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  scope: "Namespaced",
});
export type ConfigMap = ConfigMapObject;
export const ControllerRevision = builtIn<ControllerRevisionObject>({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  resource: "controllerrevisions",
  scope: "Namespaced",
});
export type ControllerRevision = ControllerRevisionObject;
export const CronJob = builtIn<CronJobObject>({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  resource: "cronjobs",
  scope: "Namespaced",
});
export type CronJob = CronJobObject;
export const CustomResourceDefinition = builtIn<CustomResourceDefinitionObject>({
  group: "apiextensions.orch.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
});
export type CustomResourceDefinition = CustomResourceDefinitionObject;
export const DaemonSet = builtIn<DaemonSetObject>({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  resource: "daemonsets",
  scope: "Namespaced",
});
export type DaemonSet = DaemonSetObject;
export const Deployment = builtIn<DeploymentObject>({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  resource: "deployments",
  scope: "Namespaced",
});
export type Deployment = DeploymentObject;
export const EndpointSlice = builtIn<EndpointSliceObject>({
  group: "discovery.orch.io",
  version: "v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  scope: "Namespaced",
});
export type EndpointSlice = EndpointSliceObject;
export const Endpoints = builtIn<EndpointsObject>({
  group: "",
  version: "v1",
  kind: "Endpoints",
  resource: "endpoints",
  scope: "Namespaced",
});
export type Endpoints = EndpointsObject;
export const Event = builtIn<EventObject>({
  group: "",
  version: "v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
});
export type Event = EventObject;
export const FlowSchema = builtIn<FlowSchemaObject>({
  group: "flowcontrol.apiserver.orch.io",
  version: "v1beta1",
  kind: "FlowSchema",
  resource: "flowschemas",
  scope: "Cluster",
});
export type FlowSchema = FlowSchemaObject;
export const HorizontalPodAutoscaler = builtIn<HorizontalPodAutoscalerObject>({
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  resource: "horizontalpodautoscalers",
  scope: "Namespaced",
});
export type HorizontalPodAutoscaler = HorizontalPodAutoscalerObject;
export const Ingress = builtIn<IngressObject>({
  group: "networking.orch.io",
  version: "v1",
  kind: "Ingress",
  resource: "ingresses",
  scope: "Namespaced",
});
export type Ingress = IngressObject;
export const IngressClass = builtIn<IngressClassObject>({
  group: "networking.orch.io",
  version: "v1",
  kind: "IngressClass",
  resource: "ingressclasses",
  scope: "Cluster",
});
export type IngressClass = IngressClassObject;
export const Job = builtIn<JobObject>({
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  scope: "Namespaced",
});
export type Job = JobObject;
export const Lease = builtIn<LeaseObject>({
  group: "coordination.orch.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  scope: "Namespaced",
});
export type Lease = LeaseObject;
export const LimitRange = builtIn<LimitRangeObject>({
  group: "",
  version: "v1",
  kind: "LimitRange",
  resource: "limitranges",
  scope: "Namespaced",
});
export type LimitRange = LimitRangeObject;
export const LocalSubjectAccessReview = builtIn<LocalSubjectAccessReviewObject>({
  group: "authorization.orch.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  resource: "localsubjectaccessreviews",
  scope: "Namespaced",
});
export type LocalSubjectAccessReview = LocalSubjectAccessReviewObject;
export const MutatingWebhookConfiguration = builtIn<MutatingWebhookConfigurationObject>({
  group: "admissionregistration.orch.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  resource: "mutatingwebhookconfigurations",
  scope: "Cluster",
});
export type MutatingWebhookConfiguration = MutatingWebhookConfigurationObject;
export const Namespace = builtIn<NamespaceObject>({
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
});
export type Namespace = NamespaceObject;
export const NetworkPolicy = builtIn<NetworkPolicyObject>({
  group: "networking.orch.io",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  scope: "Namespaced",
});
export type NetworkPolicy = NetworkPolicyObject;
export const Node = builtIn<NodeObject>({
  group: "",
  version: "v1",
  kind: "Node",
  resource: "nodes",
  scope: "Cluster",
});
export type Node = NodeObject;
export const PersistentVolume = builtIn<PersistentVolumeObject>({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  scope: "Cluster",
});
export type PersistentVolume = PersistentVolumeObject;
export const PersistentVolumeClaim = builtIn<PersistentVolumeClaimObject>({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  scope: "Namespaced",
});
export type PersistentVolumeClaim = PersistentVolumeClaimObject;
export const Pod = builtIn<PodObject>({ group: "", version: "v1", kind: "Pod", resource: "pods", scope: "Namespaced" });
export type Pod = PodObject;
export const PodDisruptionBudget = builtIn<PodDisruptionBudgetObject>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  resource: "poddisruptionbudgets",
  scope: "Namespaced",
});
export type PodDisruptionBudget = PodDisruptionBudgetObject;
export const PodSecurityPolicy = builtIn<PodSecurityPolicyObject>({
  group: "policy",
  version: "v1beta1",
  kind: "PodSecurityPolicy",
  resource: "podsecuritypolicies",
  scope: "Cluster",
});
export type PodSecurityPolicy = PodSecurityPolicyObject;
export const PodTemplate = builtIn<PodTemplateObject>({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  resource: "podtemplates",
  scope: "Namespaced",
});
export type PodTemplate = PodTemplateObject;
export const PriorityClass = builtIn<PriorityClassObject>({
  group: "scheduling.orch.io",
  version: "v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  scope: "Cluster",
});
export type PriorityClass = PriorityClassObject;
export const PriorityLevelConfiguration = builtIn<PriorityLevelConfigurationObject>({
  group: "flowcontrol.apiserver.orch.io",
  version: "v1beta1",
  kind: "PriorityLevelConfiguration",
  resource: "prioritylevelconfigurations",
  scope: "Cluster",
});
export type PriorityLevelConfiguration = PriorityLevelConfigurationObject;
export const ReplicaSet = builtIn<ReplicaSetObject>({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  resource: "replicasets",
  scope: "Namespaced",
});
export type ReplicaSet = ReplicaSetObject;
export const ReplicationController = builtIn<ReplicationControllerObject>({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  scope: "Namespaced",
});
export type ReplicationController = ReplicationControllerObject;
export const ResourceQuota = builtIn<ResourceQuotaObject>({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  resource: "resourcequotas",
  scope: "Namespaced",
});
export type ResourceQuota = ResourceQuotaObject;
export const Role = builtIn<RoleObject>({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "Role",
  resource: "roles",
  scope: "Namespaced",
});
export type Role = RoleObject;
export const RoleBinding = builtIn<RoleBindingObject>({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "RoleBinding",
  resource: "rolebindings",
  scope: "Namespaced",
});
export type RoleBinding = RoleBindingObject;
export const RuntimeClass = builtIn<RuntimeClassObject>({
  group: "node.orch.io",
  version: "v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  scope: "Cluster",
});
export type RuntimeClass = RuntimeClassObject;
export const Secret = builtIn<SecretObject>({
  group: "",
  version: "v1",
  kind: "Secret",
  resource: "secrets",
  scope: "Namespaced",
});
export type Secret = SecretObject;
export const SelfSubjectAccessReview = builtIn<SelfSubjectAccessReviewObject>({
  group: "authorization.orch.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  resource: "selfsubjectaccessreviews",
  scope: "Cluster",
});
export type SelfSubjectAccessReview = SelfSubjectAccessReviewObject;
export const SelfSubjectRulesReview = builtIn<SelfSubjectRulesReviewObject>({
  group: "authorization.orch.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  resource: "selfsubjectrulesreviews",
  scope: "Cluster",
});
export type SelfSubjectRulesReview = SelfSubjectRulesReviewObject;
export const Service = builtIn<ServiceObject>({
  group: "",
  version: "v1",
  kind: "Service",
  resource: "services",
  scope: "Namespaced",
});
export type Service = ServiceObject;
export const ServiceAccount = builtIn<ServiceAccountObject>({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  scope: "Namespaced",
});
export type ServiceAccount = ServiceAccountObject;
export const StatefulSet = builtIn<StatefulSetObject>({
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  resource: "statefulsets",
  scope: "Namespaced",
});
export type StatefulSet = StatefulSetObject;
export const StorageClass = builtIn<StorageClassObject>({
  group: "storage.orch.io",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  scope: "Cluster",
});
export type StorageClass = StorageClassObject;
export const SubjectAccessReview = builtIn<SubjectAccessReviewObject>({
  group: "authorization.orch.io",
  version: "v1",
  kind: "SubjectAccessReview",
  resource: "subjectaccessreviews",
  scope: "Cluster",
});
export type SubjectAccessReview = SubjectAccessReviewObject;
export const TokenReview = builtIn<TokenReviewObject>({
  group: "authentication.orch.io",
  version: "v1",
  kind: "TokenReview",
  resource: "tokenreviews",
  scope: "Cluster",
});
export type TokenReview = TokenReviewObject;
export const ValidatingWebhookConfiguration = builtIn<ValidatingWebhookConfigurationObject>({
  group: "admissionregistration.orch.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  resource: "validatingwebhookconfigurations",
  scope: "Cluster",
});
export type ValidatingWebhookConfiguration = ValidatingWebhookConfigurationObject;
export const VolumeAttachment = builtIn<VolumeAttachmentObject>({
  group: "storage.orch.io",
  version: "v1",
  kind: "VolumeAttachment",
  resource: "volumeattachments",
  scope: "Cluster",
});
export type VolumeAttachment = VolumeAttachmentObject;
