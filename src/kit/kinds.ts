/**
 * The built-in kinds as clients know them: their names, and the types of their objects. The declarations themselves are part of the
 * server and are imported as types only. Printed from the catalog by `npm run golden`.
 */

import type { MutatingWebhookConfiguration as MutatingWebhookConfigurationObject } from "../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import type { ValidatingAdmissionPolicy as ValidatingAdmissionPolicyObject } from "../api/admissionregistration/v1/validating-admission-policy.ts";
import type { ValidatingAdmissionPolicyBinding as ValidatingAdmissionPolicyBindingObject } from "../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import type { ValidatingWebhookConfiguration as ValidatingWebhookConfigurationObject } from "../api/admissionregistration/v1/validating-webhook-configuration.ts";
import type { MutatingAdmissionPolicy as MutatingAdmissionPolicyObject } from "../api/admissionregistration/v1beta1/mutating-admission-policy.ts";
import type { MutatingAdmissionPolicyBinding as MutatingAdmissionPolicyBindingObject } from "../api/admissionregistration/v1beta1/mutating-admission-policy-binding.ts";
import type { CustomResourceDefinition as CustomResourceDefinitionObject } from "../api/apiextensions/v1/custom-resource-definition.ts";
import type { APIService as APIServiceObject } from "../api/apiregistration/v1/api-service.ts";
import type { ControllerRevision as ControllerRevisionObject } from "../api/apps/v1/controller-revision.ts";
import type { DaemonSet as DaemonSetObject } from "../api/apps/v1/daemon-set.ts";
import type { Deployment as DeploymentObject } from "../api/apps/v1/deployment.ts";
import type { ReplicaSet as ReplicaSetObject } from "../api/apps/v1/replica-set.ts";
import type { StatefulSet as StatefulSetObject } from "../api/apps/v1/stateful-set.ts";
import type { SelfSubjectReview as SelfSubjectReviewObject } from "../api/authentication/v1/self-subject-review.ts";
import type { TokenReview as TokenReviewObject } from "../api/authentication/v1/token-review.ts";
import type { LocalSubjectAccessReview as LocalSubjectAccessReviewObject } from "../api/authorization/v1/local-subject-access-review.ts";
import type { SelfSubjectAccessReview as SelfSubjectAccessReviewObject } from "../api/authorization/v1/self-subject-access-review.ts";
import type { SelfSubjectRulesReview as SelfSubjectRulesReviewObject } from "../api/authorization/v1/self-subject-rules-review.ts";
import type { SubjectAccessReview as SubjectAccessReviewObject } from "../api/authorization/v1/subject-access-review.ts";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerObject } from "../api/autoscaling/v1/horizontal-pod-autoscaler.ts";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV2Object } from "../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { CronJob as CronJobObject } from "../api/batch/v1/cron-job.ts";
import type { Job as JobObject } from "../api/batch/v1/job.ts";
import type { CertificateSigningRequest as CertificateSigningRequestObject } from "../api/certificates/v1/certificate-signing-request.ts";
import type { ClusterTrustBundle as ClusterTrustBundleObject } from "../api/certificates/v1/cluster-trust-bundle.ts";
import type { PodCertificateRequest as PodCertificateRequestObject } from "../api/certificates/v1/pod-certificate-request.ts";
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
import type { FlowSchema as FlowSchemaV1Object } from "../api/flowcontrol/v1/flow-schema.ts";
import type { PriorityLevelConfiguration as PriorityLevelConfigurationV1Object } from "../api/flowcontrol/v1/priority-level-configuration.ts";
import type { FlowSchema as FlowSchemaObject } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import type { PriorityLevelConfiguration as PriorityLevelConfigurationObject } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import type { Ingress as IngressObject } from "../api/networking/v1/ingress.ts";
import type { IngressClass as IngressClassObject } from "../api/networking/v1/ingress-class.ts";
import type { IPAddress as IPAddressObject } from "../api/networking/v1/ip-address.ts";
import type { NetworkPolicy as NetworkPolicyObject } from "../api/networking/v1/network-policy.ts";
import type { ServiceCIDR as ServiceCIDRObject } from "../api/networking/v1/service-cidr.ts";
import type { RuntimeClass as RuntimeClassObject } from "../api/node/v1/runtime-class.ts";
import type { PodDisruptionBudget as PodDisruptionBudgetObject } from "../api/policy/v1/pod-disruption-budget.ts";
import type { PodSecurityPolicy as PodSecurityPolicyObject } from "../api/policy/v1beta1/pod-security-policy.ts";
import type { ClusterRole as ClusterRoleObject } from "../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding as ClusterRoleBindingObject } from "../api/rbac/v1/cluster-role-binding.ts";
import type { Role as RoleObject } from "../api/rbac/v1/role.ts";
import type { RoleBinding as RoleBindingObject } from "../api/rbac/v1/role-binding.ts";
import type { DeviceClass as DeviceClassObject } from "../api/resource/v1/device-class.ts";
import type { DeviceTaintRule as DeviceTaintRuleObject } from "../api/resource/v1/device-taint-rule.ts";
import type { ResourceClaim as ResourceClaimObject } from "../api/resource/v1/resource-claim.ts";
import type { ResourceClaimTemplate as ResourceClaimTemplateObject } from "../api/resource/v1/resource-claim-template.ts";
import type { ResourceSlice as ResourceSliceObject } from "../api/resource/v1/resource-slice.ts";
import type { PriorityClass as PriorityClassObject } from "../api/scheduling/v1/priority-class.ts";
import type { CSIDriver as CSIDriverObject } from "../api/storage/v1/csi-driver.ts";
import type { CSINode as CSINodeObject } from "../api/storage/v1/csi-node.ts";
import type { CSIStorageCapacity as CSIStorageCapacityV1Object } from "../api/storage/v1/csi-storage-capacity.ts";
import type { StorageClass as StorageClassObject } from "../api/storage/v1/storage-class.ts";
import type { VolumeAttachment as VolumeAttachmentObject } from "../api/storage/v1/volume-attachment.ts";
import type { VolumeAttributesClass as VolumeAttributesClassObject } from "../api/storage/v1/volume-attributes-class.ts";
import type { CSIStorageCapacity as CSIStorageCapacityObject } from "../api/storage/v1beta1/csi-storage-capacity.ts";
import type { StorageVersionMigration as StorageVersionMigrationObject } from "../api/storagemigration/v1beta1/storage-version-migration.ts";
import type { Answered, AnyObject, ClusterWide, KindTraits, Namespaced, ServedKind } from "../client/contract.ts";

/** Servers write the status, so an object is created without one, even where it is always printed. */
type CreatedBare<T extends { status: unknown }> = Omit<T, "status"> & Partial<Pick<T, "status">>;

type Names = readonly [version: string, kind: string, resource: string];

/** The kinds of a group, under its neutral name. `P`: the paths that objects of the kind have and that have calls of their own. */
function kindsOf(group: string) {
  const kind = <T extends AnyObject, K extends KindTraits>(
    scope: K["scope"],
    [version, name, resource]: Names,
  ): ServedKind<T, K> => ({ group, version, kind: name, resource, scope });
  return {
    namespaced: <T extends AnyObject, P extends string = never>(...names: Names) =>
      kind<T, Namespaced<P>>("Namespaced", names),
    cluster: <T extends AnyObject, P extends string = never>(...names: Names) =>
      kind<T, ClusterWide<P>>("Cluster", names),
    namespacedReview: <T extends AnyObject>(...names: Names) => kind<T, Answered<"Namespaced">>("Namespaced", names),
    review: <T extends AnyObject>(...names: Names) => kind<T, Answered<"Cluster">>("Cluster", names),
  };
}

const admissionregistration = kindsOf("admissionregistration.orch.io");
export const MutatingWebhookConfiguration = admissionregistration.cluster<MutatingWebhookConfigurationObject>(
  "v1",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
);
export type MutatingWebhookConfiguration = MutatingWebhookConfigurationObject;
export const ValidatingAdmissionPolicy = admissionregistration.cluster<ValidatingAdmissionPolicy, "status">(
  "v1",
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
);
export type ValidatingAdmissionPolicy = CreatedBare<ValidatingAdmissionPolicyObject>;
export const ValidatingAdmissionPolicyBinding = admissionregistration.cluster<ValidatingAdmissionPolicyBindingObject>(
  "v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
);
export type ValidatingAdmissionPolicyBinding = ValidatingAdmissionPolicyBindingObject;
export const MutatingAdmissionPolicy = admissionregistration.cluster<MutatingAdmissionPolicyObject>(
  "v1beta1",
  "MutatingAdmissionPolicy",
  "mutatingadmissionpolicies",
);
export type MutatingAdmissionPolicy = MutatingAdmissionPolicyObject;
export const MutatingAdmissionPolicyBinding = admissionregistration.cluster<MutatingAdmissionPolicyBindingObject>(
  "v1beta1",
  "MutatingAdmissionPolicyBinding",
  "mutatingadmissionpolicybindings",
);
export type MutatingAdmissionPolicyBinding = MutatingAdmissionPolicyBindingObject;
export const ValidatingWebhookConfiguration = admissionregistration.cluster<ValidatingWebhookConfigurationObject>(
  "v1",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
);
export type ValidatingWebhookConfiguration = ValidatingWebhookConfigurationObject;

const apiextensions = kindsOf("apiextensions.orch.io");
export const CustomResourceDefinition = apiextensions.cluster<CustomResourceDefinitionObject, "status">(
  "v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
);
export type CustomResourceDefinition = CustomResourceDefinitionObject;

const apiregistration = kindsOf("apiregistration.orch.io");
export const APIService = apiregistration.cluster<APIServiceObject, "status">("v1", "APIService", "apiservices");
export type APIService = APIServiceObject;

const apps = kindsOf("apps");
export const ControllerRevision = apps.namespaced<ControllerRevisionObject>(
  "v1",
  "ControllerRevision",
  "controllerrevisions",
);
export type ControllerRevision = ControllerRevisionObject;
export const DaemonSet = apps.namespaced<DaemonSetObject, "status">("v1", "DaemonSet", "daemonsets");
export type DaemonSet = DaemonSetObject;
export const Deployment = apps.namespaced<DeploymentObject, "scale" | "status">("v1", "Deployment", "deployments");
export type Deployment = DeploymentObject;
export const ReplicaSet = apps.namespaced<ReplicaSetObject, "scale" | "status">("v1", "ReplicaSet", "replicasets");
export type ReplicaSet = ReplicaSetObject;
export const StatefulSet = apps.namespaced<StatefulSetObject, "scale" | "status">("v1", "StatefulSet", "statefulsets");
export type StatefulSet = StatefulSetObject;

const authentication = kindsOf("authentication.orch.io");
export const SelfSubjectReview = authentication.review<SelfSubjectReviewObject>(
  "v1",
  "SelfSubjectReview",
  "selfsubjectreviews",
);
export type SelfSubjectReview = SelfSubjectReviewObject;
export const TokenReview = authentication.review<TokenReviewObject>("v1", "TokenReview", "tokenreviews");
export type TokenReview = TokenReviewObject;

const authorization = kindsOf("authorization.orch.io");
export const LocalSubjectAccessReview = authorization.namespacedReview<LocalSubjectAccessReviewObject>(
  "v1",
  "LocalSubjectAccessReview",
  "localsubjectaccessreviews",
);
export type LocalSubjectAccessReview = LocalSubjectAccessReviewObject;
export const SelfSubjectAccessReview = authorization.review<SelfSubjectAccessReviewObject>(
  "v1",
  "SelfSubjectAccessReview",
  "selfsubjectaccessreviews",
);
export type SelfSubjectAccessReview = SelfSubjectAccessReviewObject;
export const SelfSubjectRulesReview = authorization.review<SelfSubjectRulesReviewObject>(
  "v1",
  "SelfSubjectRulesReview",
  "selfsubjectrulesreviews",
);
export type SelfSubjectRulesReview = SelfSubjectRulesReviewObject;
export const SubjectAccessReview = authorization.review<SubjectAccessReviewObject>(
  "v1",
  "SubjectAccessReview",
  "subjectaccessreviews",
);
export type SubjectAccessReview = SubjectAccessReviewObject;

const autoscaling = kindsOf("autoscaling");
export const HorizontalPodAutoscaler = autoscaling.namespaced<HorizontalPodAutoscalerObject, "status">(
  "v1",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
);
export type HorizontalPodAutoscaler = HorizontalPodAutoscalerObject;
/** In the version v2, which servers of v1.23 and later serve. */
export const HorizontalPodAutoscalerV2 = autoscaling.namespaced<HorizontalPodAutoscalerV2Object, "status">(
  "v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
);
export type HorizontalPodAutoscalerV2 = HorizontalPodAutoscalerV2Object;

const batch = kindsOf("batch");
export const CronJob = batch.namespaced<CronJobObject, "status">("v1", "CronJob", "cronjobs");
export type CronJob = CronJobObject;
export const Job = batch.namespaced<JobObject, "status">("v1", "Job", "jobs");
export type Job = JobObject;

const certificates = kindsOf("certificates.orch.io");
export const CertificateSigningRequest = certificates.cluster<CertificateSigningRequestObject, "status">(
  "v1",
  "CertificateSigningRequest",
  "certificatesigningrequests",
);
export type CertificateSigningRequest = CertificateSigningRequestObject;
export const ClusterTrustBundle = certificates.cluster<ClusterTrustBundleObject>(
  "v1",
  "ClusterTrustBundle",
  "clustertrustbundles",
);
export type ClusterTrustBundle = ClusterTrustBundleObject;
export const PodCertificateRequest = certificates.namespaced<PodCertificateRequestObject, "status">(
  "v1",
  "PodCertificateRequest",
  "podcertificaterequests",
);
export type PodCertificateRequest = PodCertificateRequestObject;

const coordination = kindsOf("coordination.orch.io");
export const Lease = coordination.namespaced<LeaseObject>("v1", "Lease", "leases");
export type Lease = LeaseObject;

const core = kindsOf("");
export const ConfigMap = core.namespaced<ConfigMapObject>("v1", "ConfigMap", "configmaps");
export type ConfigMap = ConfigMapObject;
export const Endpoints = core.namespaced<EndpointsObject>("v1", "Endpoints", "endpoints");
export type Endpoints = EndpointsObject;
export const Event = core.namespaced<EventObject>("v1", "Event", "events");
export type Event = EventObject;
export const LimitRange = core.namespaced<LimitRangeObject>("v1", "LimitRange", "limitranges");
export type LimitRange = LimitRangeObject;
export const Namespace = core.cluster<NamespaceObject, "status">("v1", "Namespace", "namespaces");
export type Namespace = NamespaceObject;
export const Node = core.cluster<NodeObject, "status">("v1", "Node", "nodes");
export type Node = NodeObject;
export const PersistentVolume = core.cluster<PersistentVolumeObject, "status">(
  "v1",
  "PersistentVolume",
  "persistentvolumes",
);
export type PersistentVolume = PersistentVolumeObject;
export const PersistentVolumeClaim = core.namespaced<PersistentVolumeClaimObject, "status">(
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);
export type PersistentVolumeClaim = PersistentVolumeClaimObject;
export const Pod = core.namespaced<PodObject, "log" | "status">("v1", "Pod", "pods");
export type Pod = PodObject;
export const PodTemplate = core.namespaced<PodTemplateObject>("v1", "PodTemplate", "podtemplates");
export type PodTemplate = PodTemplateObject;
export const ReplicationController = core.namespaced<ReplicationControllerObject, "scale" | "status">(
  "v1",
  "ReplicationController",
  "replicationcontrollers",
);
export type ReplicationController = ReplicationControllerObject;
export const ResourceQuota = core.namespaced<ResourceQuotaObject, "status">("v1", "ResourceQuota", "resourcequotas");
export type ResourceQuota = ResourceQuotaObject;
export const Secret = core.namespaced<SecretObject>("v1", "Secret", "secrets");
export type Secret = SecretObject;
export const Service = core.namespaced<ServiceObject, "status">("v1", "Service", "services");
export type Service = ServiceObject;
export const ServiceAccount = core.namespaced<ServiceAccountObject, "token">("v1", "ServiceAccount", "serviceaccounts");
export type ServiceAccount = ServiceAccountObject;

const discovery = kindsOf("discovery.orch.io");
export const EndpointSlice = discovery.namespaced<EndpointSliceObject>("v1", "EndpointSlice", "endpointslices");
export type EndpointSlice = EndpointSliceObject;

const flowcontrol = kindsOf("flowcontrol.apiserver.orch.io");
/** In the version v1, which servers of v1.29 and later serve. */
export const FlowSchemaV1 = flowcontrol.cluster<FlowSchemaV1Object, "status">("v1", "FlowSchema", "flowschemas");
export type FlowSchemaV1 = FlowSchemaV1Object;
/** In the version v1, which servers of v1.29 and later serve. */
export const PriorityLevelConfigurationV1 = flowcontrol.cluster<PriorityLevelConfigurationV1Object, "status">(
  "v1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
);
export type PriorityLevelConfigurationV1 = PriorityLevelConfigurationV1Object;
export const FlowSchema = flowcontrol.cluster<FlowSchemaObject, "status">("v1beta1", "FlowSchema", "flowschemas");
export type FlowSchema = FlowSchemaObject;
export const PriorityLevelConfiguration = flowcontrol.cluster<PriorityLevelConfigurationObject, "status">(
  "v1beta1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
);
export type PriorityLevelConfiguration = PriorityLevelConfigurationObject;

const networking = kindsOf("networking.orch.io");
export const Ingress = networking.namespaced<IngressObject, "status">("v1", "Ingress", "ingresses");
export type Ingress = IngressObject;
export const IngressClass = networking.cluster<IngressClassObject>("v1", "IngressClass", "ingressclasses");
export type IngressClass = IngressClassObject;
export const NetworkPolicy = networking.namespaced<NetworkPolicyObject, "status">(
  "v1",
  "NetworkPolicy",
  "networkpolicies",
);
export type NetworkPolicy = NetworkPolicyObject;
export const IPAddress = networking.cluster<IPAddressObject>("v1", "IPAddress", "ipaddresses");
export type IPAddress = IPAddressObject;
export const ServiceCIDR = networking.cluster<ServiceCIDRObject, "status">("v1", "ServiceCIDR", "servicecidrs");
export type ServiceCIDR = ServiceCIDRObject;

const node = kindsOf("node.orch.io");
export const RuntimeClass = node.cluster<RuntimeClassObject>("v1", "RuntimeClass", "runtimeclasses");
export type RuntimeClass = RuntimeClassObject;

const policy = kindsOf("policy");
export const PodDisruptionBudget = policy.namespaced<PodDisruptionBudgetObject, "status">(
  "v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
);
export type PodDisruptionBudget = PodDisruptionBudgetObject;
export const PodSecurityPolicy = policy.cluster<PodSecurityPolicyObject>(
  "v1beta1",
  "PodSecurityPolicy",
  "podsecuritypolicies",
);
export type PodSecurityPolicy = PodSecurityPolicyObject;

const rbac = kindsOf("rbac.authorization.orch.io");
export const ClusterRole = rbac.cluster<ClusterRoleObject>("v1", "ClusterRole", "clusterroles");
export type ClusterRole = ClusterRoleObject;
export const ClusterRoleBinding = rbac.cluster<ClusterRoleBindingObject>(
  "v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
);
export type ClusterRoleBinding = ClusterRoleBindingObject;
export const Role = rbac.namespaced<RoleObject>("v1", "Role", "roles");
export type Role = RoleObject;
export const RoleBinding = rbac.namespaced<RoleBindingObject>("v1", "RoleBinding", "rolebindings");
export type RoleBinding = RoleBindingObject;

const resource = kindsOf("resource.orch.io");
export const DeviceClass = resource.cluster<DeviceClassObject>("v1", "DeviceClass", "deviceclasses");
export type DeviceClass = DeviceClassObject;
export const DeviceTaintRule = resource.cluster<DeviceTaintRuleObject, "status">(
  "v1",
  "DeviceTaintRule",
  "devicetaintrules",
);
export type DeviceTaintRule = DeviceTaintRuleObject;
export const ResourceClaim = resource.namespaced<ResourceClaimObject, "status">(
  "v1",
  "ResourceClaim",
  "resourceclaims",
);
export type ResourceClaim = ResourceClaimObject;
export const ResourceClaimTemplate = resource.namespaced<ResourceClaimTemplateObject>(
  "v1",
  "ResourceClaimTemplate",
  "resourceclaimtemplates",
);
export type ResourceClaimTemplate = ResourceClaimTemplateObject;
export const ResourceSlice = resource.cluster<ResourceSliceObject>("v1", "ResourceSlice", "resourceslices");
export type ResourceSlice = ResourceSliceObject;

const scheduling = kindsOf("scheduling.orch.io");
export const PriorityClass = scheduling.cluster<PriorityClassObject>("v1", "PriorityClass", "priorityclasses");
export type PriorityClass = PriorityClassObject;

const storage = kindsOf("storage.orch.io");
export const CSIDriver = storage.cluster<CSIDriverObject>("v1", "CSIDriver", "csidrivers");
export type CSIDriver = CSIDriverObject;
export const CSINode = storage.cluster<CSINodeObject, "status">("v1", "CSINode", "csinodes");
export type CSINode = CSINodeObject;
export const StorageClass = storage.cluster<StorageClassObject>("v1", "StorageClass", "storageclasses");
export type StorageClass = StorageClassObject;
export const VolumeAttachment = storage.cluster<VolumeAttachmentObject, "status">(
  "v1",
  "VolumeAttachment",
  "volumeattachments",
);
export type VolumeAttachment = VolumeAttachmentObject;
export const VolumeAttributesClass = storage.cluster<VolumeAttributesClassObject>(
  "v1",
  "VolumeAttributesClass",
  "volumeattributesclasses",
);
export type VolumeAttributesClass = VolumeAttributesClassObject;
/** In the version v1, which servers of v1.24 and later serve. */
export const CSIStorageCapacityV1 = storage.namespaced<CSIStorageCapacityV1Object>(
  "v1",
  "CSIStorageCapacity",
  "csistoragecapacities",
);
export type CSIStorageCapacityV1 = CSIStorageCapacityV1Object;
export const CSIStorageCapacity = storage.namespaced<CSIStorageCapacityObject>(
  "v1beta1",
  "CSIStorageCapacity",
  "csistoragecapacities",
);
export type CSIStorageCapacity = CSIStorageCapacityObject;

const storagemigration = kindsOf("storagemigration.orch.io");
export const StorageVersionMigration = storagemigration.cluster<StorageVersionMigrationObject, "status">(
  "v1beta1",
  "StorageVersionMigration",
  "storageversionmigrations",
);
export type StorageVersionMigration = StorageVersionMigrationObject;
