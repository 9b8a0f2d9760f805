/** Feature gates: what v1.21 lets an operator turn on and off, and what it is when nobody does. */

import type { FeatureGates } from "../machinery/schema/schema.ts";

/** Off unless asked for. */
const alpha = [
  "APIServerIdentity",
  "AnyVolumeDataSource",
  "BalanceAttachedNodeVolumes",
  "CSIVolumeHealth",
  "CustomCPUCFSQuotaPeriod",
  "DaemonSetUpdateSurge",
  "EndpointSliceTerminatingCondition",
  "EphemeralContainers",
  "HPAContainerMetrics",
  "HPAScaleToZero",
  "InTreePluginAWSUnregister",
  "InTreePluginAzureDiskUnregister",
  "InTreePluginAzureFileUnregister",
  "InTreePluginGCEUnregister",
  "InTreePluginOpenStackUnregister",
  "InTreePluginvSphereUnregister",
  "IndexedJob",
  "IngressClassNamespacedParams",
  "KubeletCredentialProviders",
  "KubeletPodResourcesGetAllocatable",
  "LocalStorageCapacityIsolationFSQuotaMonitoring",
  "LogarithmicScaleDown",
  "MemoryManager",
  "MixedProtocolLBService",
  "NetworkPolicyEndPort",
  "PodAffinityNamespaceSelector",
  "PodDeletionCost",
  "PreferNominatedNode",
  "ProbeTerminationGracePeriod",
  "ProcMountType",
  "QOSReserved",
  "ServiceInternalTrafficPolicy",
  "ServiceLBNodePortControl",
  "ServiceLoadBalancerClass",
  "ServiceTopology",
  "SizeMemoryBackedVolumes",
  "StorageVersionAPI",
  "SuspendJob",
  "TopologyAwareHints",
  "VolumeCapacityPriority",
  "WinDSR",
] as const;

/** On unless refused. */
const betaOn = [
  "APIListChunking",
  "APIPriorityAndFairness",
  "APIResponseCompression",
  "AppArmor",
  "BoundServiceAccountTokenVolume",
  "CPUManager",
  "CSIInlineVolume",
  "CSIMigration",
  "CSIMigrationOpenStack",
  "CSIServiceAccountToken",
  "CSIStorageCapacity",
  "CSIVolumeFSGroupPolicy",
  "ConfigurableFSGroupPolicy",
  "CronJobControllerV2",
  "DefaultPodTopologySpread",
  "DevicePlugins",
  "DisableAcceleratorUsageMetrics",
  "DynamicKubeletConfig",
  "EfficientWatchResumption",
  "EndpointSliceProxying",
  "ExpandCSIVolumes",
  "ExpandInUsePersistentVolumes",
  "ExpandPersistentVolumes",
  "GenericEphemeralVolume",
  "GracefulNodeShutdown",
  "HugePageStorageMediumSize",
  "IPv6DualStack",
  "KubeletPodResources",
  "LocalStorageCapacityIsolation",
  "NamespaceDefaultLabelName",
  "NonPreemptingPriority",
  "PodOverhead",
  "RemainingItemCount",
  "RemoveSelfLink",
  "RotateKubeletServerCertificate",
  "ServerSideApply",
  "SetHostnameAsFQDN",
  "StorageVersionHash",
  "TTLAfterFinished",
  "TopologyManager",
  "ValidateProxyRedirects",
  "WarningHeaders",
  "WinOverlay",
  "WindowsEndpointSliceProxying",
] as const;

/** Known well enough, but off unless asked for. */
const betaOff = [
  "CSIMigrationAWS",
  "CSIMigrationAzureDisk",
  "CSIMigrationAzureFile",
  "CSIMigrationGCE",
  "CSIMigrationvSphere",
  "CSIMigrationvSphereComplete",
  "DownwardAPIHugePages",
  "ExperimentalHostUserNamespaceDefaulting",
] as const;

export interface FeatureGate {
  readonly name: string;
  readonly stage: "ALPHA" | "BETA";
  readonly enabled: boolean;
}

const gate = (stage: FeatureGate["stage"], enabled: boolean) => (name: string) => ({ name, stage, enabled });

/** All gates with their defaults, by name. */
export const featureGates: readonly FeatureGate[] = [
  gate("ALPHA", false)("AllAlpha"),
  gate("BETA", false)("AllBeta"),
  ...alpha.map(gate("ALPHA", false)),
  ...betaOn.map(gate("BETA", true)),
  ...betaOff.map(gate("BETA", false)),
].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * `overrides` wins over everything. AllAlpha and AllBeta set all gates of their stage that it does not name. A gate that
 * nobody knows is off, unless it is overridden.
 */
export function createFeatureGates(overrides: ReadonlyMap<string, boolean>): FeatureGates {
  const state = new Map<string, boolean>();
  for (const { name, stage, enabled } of featureGates) {
    state.set(name, overrides.get(stage === "ALPHA" ? "AllAlpha" : "AllBeta") ?? enabled);
  }
  for (const [name, enabled] of overrides) state.set(name, enabled);
  return { enabled: (name) => state.get(name) ?? false };
}

/** The names of `overrides` that are no gates; whoever starts a server refuses them. */
export function unknownFeatureGates(overrides: ReadonlyMap<string, boolean>): readonly string[] {
  const known = new Set(featureGates.map(({ name }) => name));
  return [...overrides.keys()].filter((name) => !known.has(name));
}
