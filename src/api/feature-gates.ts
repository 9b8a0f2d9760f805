/** Feature gates: the features that v1.21 lets an operator turn on and off, with their defaults. */

import type { FeatureGates } from "../machinery/schema/schema.ts";

/** Alpha: off by default. */
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

/** Beta: on by default. */
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

/** Beta, but off by default. */
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

/** Locked in v1.21: generally available, and removed in one of the next releases. */
const locked = [
  "AllowInsecureBackendProxy",
  "CRIContainerLogRotation",
  "EndpointSlice",
  "EndpointSliceNodeName",
  "ExternalPolicyForExternalIP",
  "ImmutableEphemeralVolumes",
  "NodeDisruptionExclusion",
  "NodeLease",
  "PodDisruptionBudget",
  "RootCAConfigMap",
  "RunAsGroup",
  "RuntimeClass",
  "SCTPSupport",
  "SelectorIndex",
  "ServiceAccountIssuerDiscovery",
  "ServiceAppProtocol",
  "ServiceNodeExclusion",
  "StartupProbe",
  "SupportNodePidsLimit",
  "SupportPodPidsLimit",
  "Sysctls",
  "VolumeSnapshotDataSource",
  "WatchBookmark",
] as const;

/** Generally available, but not locked yet. */
const general = [
  "AdvancedAuditing",
  "DryRun",
  "ExecProbeTimeout",
  "StorageObjectInUseProtection",
  "VolumeSubpath",
] as const;

export interface FeatureGate {
  readonly name: string;
  readonly stage: "ALPHA" | "BETA" | "GA" | "DEPRECATED";
  readonly enabled: boolean;
  /** Whether it can no longer be changed. */
  readonly locked: boolean;
}

const gate =
  (stage: FeatureGate["stage"], enabled: boolean, isLocked = false) =>
  (name: string): FeatureGate => ({ name, stage, enabled, locked: isLocked });

/** All gates with their defaults, by name. */
export const featureGates: readonly FeatureGate[] = [
  gate("ALPHA", false)("AllAlpha"),
  gate("BETA", false)("AllBeta"),
  ...alpha.map(gate("ALPHA", false)),
  ...betaOn.map(gate("BETA", true)),
  ...betaOff.map(gate("BETA", false)),
  ...locked.map(gate("GA", true, true)),
  ...general.map(gate("GA", true)),
  gate("GA", false, true)("LegacyNodeRoleBehavior"),
  gate("DEPRECATED", true)("StreamingProxyRedirects"),
].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * `overrides` wins over everything. AllAlpha and AllBeta set all gates of their stage that it does not name. A gate that
 * is not in the list is off, unless it is overridden.
 */
export function createFeatureGates(overrides: ReadonlyMap<string, boolean>): FeatureGates {
  const state = new Map<string, boolean>();
  for (const { name, stage, enabled } of featureGates) state.set(name, ofStage(overrides, stage) ?? enabled);
  for (const [name, enabled] of overrides) state.set(name, enabled);
  return { enabled: (name) => state.get(name) ?? false };
}

function ofStage(overrides: ReadonlyMap<string, boolean>, stage: FeatureGate["stage"]): boolean | undefined {
  if (stage === "ALPHA") return overrides.get("AllAlpha");
  return stage === "BETA" ? overrides.get("AllBeta") : undefined;
}

export interface GateFindings {
  /** Why a server must not start with these overrides, in the wording of v1.21. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** What is wrong with the overrides of an operator: unknown gates, locked ones, and those that will be removed. */
export function checkFeatureGates(overrides: ReadonlyMap<string, boolean>): GateFindings {
  const known = new Map(featureGates.map((one) => [one.name, one]));
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [name, value] of overrides) {
    const found = known.get(name);
    if (found === undefined) problems.push(`unrecognized feature gate: ${name}`);
    else if (found.locked && found.enabled !== value)
      problems.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${found.enabled}`);
    else if (found.stage === "GA" || found.stage === "DEPRECATED") {
      const stage = found.stage === "GA" ? "GA" : "deprecated";
      warnings.push(`Setting ${stage} feature gate ${name}=${value}. It will be removed in a future release.`);
    }
  }
  return { problems, warnings };
}
