/** The feature gates that change what a server does. All others are accepted, since command lines name them. */

export const gatesWithEffect = [
  "APIListChunking",
  "APIPriorityAndFairness",
  "APISelfSubjectReview",
  "APIServerIdentity",
  "AnyVolumeDataSource",
  "AtomicWriteVolumeUserFields",
  "AuthorizePodWebsocketUpgradeCreatePermission",
  "BoundServiceAccountTokenVolume",
  "CRDObservedGenerationTracking",
  "CRDValidationRatcheting",
  "CSIInlineVolume",
  "CSINodeExpandSecret",
  "CSIServiceAccountToken",
  "CSIServiceAccountTokenSecrets",
  "CSIStorageCapacity",
  "CSIVolumeFSGroupPolicy",
  "CSIVolumeHealth",
  "ClusterTrustBundle",
  "ClusterTrustBundleProjection",
  "ContainerRestartRules",
  "ContainerStopSignals",
  "CoordinatedLeaderElection",
  "CronJobTimeZone",
  "CrossNamespaceVolumeDataSource",
  "CustomResourceFieldSelectors",
  "CustomResourceValidationExpressions",
  "DRAAdminAccess",
  "DRAConsumableCapacity",
  "DRADerivedAttributes",
  "DRADeviceBindingConditions",
  "DRADeviceCompatibilityGroups",
  "DRADeviceTaints",
  "DRAExtendedResource",
  "DRAListTypeAttributes",
  "DRANodeAllocatableResources",
  "DRAOptionalNodeOperations",
  "DRAPartitionableDevices",
  "DRAPartitionableDevicesType",
  "DRAPrioritizedList",
  "DRAResourceClaimDeviceStatus",
  "DaemonSetUpdateSurge",
  "DeploymentReplicaSetTerminatingReplicas",
  "DownwardAPIHugePages",
  "DynamicKubeletConfig",
  "DynamicResourceAllocation",
  "EmptyDirVolumeMode",
  "EndpointSliceTerminatingCondition",
  "EnvFiles",
  "EphemeralContainers",
  "EvictionRequestAPI",
  "ExpandPersistentVolumes",
  "GRPCContainerProbe",
  "GRPCContainerProbeTLS",
  "GenericEphemeralVolume",
  "GenericWorkload",
  "H2CContainerProbe",
  "HPAConfigurableTolerance",
  "HPAContainerMetrics",
  "HPAScaleToZero",
  "HostnameOverride",
  "IPv6DualStack",
  "IdentifyPodOS",
  "ImageVolume",
  "ImageVolumeWithDigest",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
  "InPlacePodVerticalScalingSchedulerPreemption",
  "IndexedJob",
  "IngressClassNamespacedParams",
  "JobBackoffLimitPerIndex",
  "JobManagedBy",
  "JobPodFailurePolicy",
  "JobPodReplacementPolicy",
  "JobSuccessPolicy",
  "MatchLabelKeysInPodAffinity",
  "MatchLabelKeysInPodTopologySpread",
  "MaxUnavailableStatefulSet",
  "MinDomainsInPodTopologySpread",
  "MixedProtocolLBService",
  "MutableCSINodeAllocatableCount",
  "MutablePodResourcesForSuspendedJobs",
  "MutableSchedulingDirectivesForSuspendedJobs",
  "MutatingAdmissionPolicy",
  "NamespaceDefaultLabelName",
  "NetworkPolicyEndPort",
  "NodeDeclaredFeatures",
  "NodeInclusionPolicyInPodTopologySpread",
  "NonPreemptingPriority",
  "OpenAPIEnums",
  "PDBUnhealthyPodEvictionPolicy",
  "PersistentVolumeLastPhaseTransitionTime",
  "PodAffinityNamespaceSelector",
  "PodCertificateRequest",
  "PodHostIPs",
  "PodLevelResources",
  "PodLevelResourcesFixDefaulting",
  "PodLifecycleSleepAction",
  "PodObservedGenerationTracking",
  "PodOverhead",
  "PodSchedulingReadiness",
  "PodSecurity",
  "PodTopologyLabelsAdmission",
  "PreferSameTrafficDistribution",
  "ProbeTerminationGracePeriod",
  "ProcMountType",
  "ReadWriteOncePod",
  "RecoverVolumeExpansionFailure",
  "RecursiveReadOnlyMounts",
  "RemainingItemCount",
  "RestartAllContainersOnContainerExits",
  "RemoveSelfLink",
  "RelaxedDNSSearchValidation",
  "ResourceHealthStatus",
  "ResourceHealthStatusMessage",
  "SELinuxChangePolicy",
  "SELinuxMount",
  "SELinuxMountReadWriteOncePod",
  "ServerSideApply",
  "ServiceInternalTrafficPolicy",
  "ServiceLBNodePortControl",
  "ServiceLoadBalancerClass",
  "ServiceTopology",
  "ServiceTrafficDistribution",
  "SidecarContainers",
  "StatefulSetAutoDeletePVC",
  "StatefulSetMinReadySeconds",
  "StatefulSetStartOrdinal",
  "StorageVersionAPI",
  "StorageVersionMigrator",
  "StrictIPCIDRValidation",
  "SupplementalGroupsPolicy",
  "SuspendJob",
  "TTLAfterFinished",
  "TokenRequestServiceAccountUIDValidation",
  "TopologyAwareHints",
  "UserNamespacesHostNetworkSupport",
  "UserNamespacesSupport",
  "ValidatingAdmissionPolicy",
  "VolumeAttributesClass",
  "VolumeBindMountOptions",
  "VolumeLimitScaling",
  "WarningHeaders",
  "WatchList",
  "WindowsHostProcessContainers",
  "WorkloadWithJob",
] as const;

export type GateWithEffect = (typeof gatesWithEffect)[number];

/** How a field is behind a feature gate: what happens to it in a write while the gate is off. */
export interface Behind extends BehindOptions {
  readonly gate: GateWithEffect;
}

export interface BehindOptions {
  /**
   * What the old object must use to keep the field although the gate is off: any field of the feature, or this one; "nothing": it is dropped
   * even so, and the kind must not share members with the old object. Default: "feature".
   */
  readonly keeps?: "feature" | "field" | "nothing";
  /** Whether only new objects lose the field, so that an update may bring it. Default: false. */
  readonly onlyNew?: boolean;
  /** Which values use the feature. Default: every one that is given. */
  readonly uses?: (value: object) => boolean;
  /** What a given value becomes in place of being dropped; an object that has it does not use the feature. */
  readonly becomes?: unknown;
  /** Other values that do not use the feature: an object that has one of them keeps it. */
  readonly unused?: readonly unknown[];
  /** A list keeps this many of its first items; an object that has more uses the feature. */
  readonly most?: number;
  /** What is behind the gate is this member of the value, or of its items, and not the field itself. */
  readonly member?: string;
  /** What is behind the gate are these items of a list, and not the list. */
  readonly items?: (item: unknown) => boolean;
  /** With `items`: takes out of the holder what refers to them. In place. */
  readonly forget?: (holder: object, items: readonly unknown[]) => void;
  /** With `member`: whether the field goes as well if nothing else is in it. Default: false. */
  readonly dropsEmptied?: boolean;
}

export interface FeatureGates {
  /** Whether the gate is on; an unknown gate is off. */
  enabled(name: GateWithEffect): boolean;
}
