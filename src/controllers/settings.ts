/** The settings of the controller manager from its flags, with v1.21's defaults. Times are milliseconds. */

export interface Settings {
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentEndpointSyncs: number;
  readonly concurrentGcSyncs: number;
  readonly concurrentNamespaceSyncs: number;
  readonly concurrentReplicasetSyncs: number;
  readonly concurrentRcSyncs: number;
  readonly concurrentResourceQuotaSyncs: number;
  readonly concurrentServiceEndpointSyncs: number;
  readonly concurrentServiceaccountTokenSyncs: number;
  readonly concurrentStatefulsetSyncs: number;
  readonly concurrentTtlAfterFinishedSyncs: number;
  readonly mirroringConcurrentServiceEndpointSyncs: number;
  readonly mirroringMaxEndpointsPerSubset: number;
  readonly mirroringEndpointsliceUpdatesBatchPeriodMs: number;
  readonly maxEndpointsPerSlice: number;
  readonly endpointUpdatesBatchPeriodMs: number;
  readonly endpointsliceUpdatesBatchPeriodMs: number;
  readonly terminatedPodGcThreshold: number;
  readonly horizontalPodAutoscalerSyncPeriodMs: number;
  readonly horizontalPodAutoscalerDownscaleStabilizationMs: number;
  readonly horizontalPodAutoscalerTolerance: number;
  readonly horizontalPodAutoscalerCpuInitializationPeriodMs: number;
  readonly horizontalPodAutoscalerInitialReadinessDelayMs: number;
  /** How long the controller waits after the deletion of a namespace, so that every server knows of it. */
  readonly namespaceDeletionGraceMs: number;
  readonly resourceQuotaSyncPeriodMs: number;
  readonly pvclaimbinderSyncPeriodMs: number;
  readonly nodeMonitorPeriodMs: number;
  readonly nodeMonitorGracePeriodMs: number;
  readonly nodeStartupGracePeriodMs: number;
  readonly enableTaintManager: boolean;
  /** Nodes a second. */
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
  readonly allocateNodeCidrs: boolean;
  readonly clusterCidr: readonly string[];
  readonly serviceClusterIpRange: readonly string[];
  /** Bits; 0: as v1.21 chooses. */
  readonly nodeCidrMaskSize: number;
  readonly nodeCidrMaskSizeIpv4: number;
  readonly nodeCidrMaskSizeIpv6: number;
  /** How long a token in a Secret may be unused before it becomes invalid, and invalid before it is deleted. */
  readonly legacyServiceAccountTokenCleanUpPeriodMs: number;
  /** Signs the token of a token Secret; undefined: token Secrets are not made. */
  readonly signAccountToken: ((token: AccountToken) => Promise<string>) | undefined;
  /** PEM; undefined: not published. */
  readonly rootCa: string | undefined;
  /** The client configuration of cluster-info, which the bootstrap signer creates where it is missing; undefined: it creates none. */
  readonly clusterInfo: string | undefined;
  /** By the neutral name of the signer; a signer without an authority signs nothing. */
  readonly signers: ReadonlyMap<string, SigningAuthority>;
  readonly clusterSigningDurationMs: number;
}

/** The claims of a token that is kept in a Secret. */
interface AccountToken {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secretName: string;
}

/** PEM texts. */
export interface SigningAuthority {
  readonly certificate: string;
  readonly key: string;
}

export const defaultSettings: Settings = {
  concurrentDeploymentSyncs: 5,
  concurrentEndpointSyncs: 5,
  concurrentGcSyncs: 20,
  concurrentNamespaceSyncs: 10,
  concurrentReplicasetSyncs: 5,
  concurrentRcSyncs: 5,
  concurrentResourceQuotaSyncs: 5,
  concurrentServiceEndpointSyncs: 5,
  concurrentServiceaccountTokenSyncs: 5,
  concurrentStatefulsetSyncs: 5,
  concurrentTtlAfterFinishedSyncs: 5,
  mirroringConcurrentServiceEndpointSyncs: 5,
  mirroringMaxEndpointsPerSubset: 1_000,
  mirroringEndpointsliceUpdatesBatchPeriodMs: 0,
  maxEndpointsPerSlice: 100,
  endpointUpdatesBatchPeriodMs: 0,
  endpointsliceUpdatesBatchPeriodMs: 0,
  terminatedPodGcThreshold: 12_500,
  horizontalPodAutoscalerSyncPeriodMs: 15_000,
  horizontalPodAutoscalerDownscaleStabilizationMs: 300_000,
  horizontalPodAutoscalerTolerance: 0.1,
  horizontalPodAutoscalerCpuInitializationPeriodMs: 300_000,
  horizontalPodAutoscalerInitialReadinessDelayMs: 30_000,
  namespaceDeletionGraceMs: 0,
  resourceQuotaSyncPeriodMs: 300_000,
  pvclaimbinderSyncPeriodMs: 15_000,
  nodeMonitorPeriodMs: 5_000,
  nodeMonitorGracePeriodMs: 40_000,
  nodeStartupGracePeriodMs: 60_000,
  enableTaintManager: true,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
  allocateNodeCidrs: false,
  clusterCidr: [],
  serviceClusterIpRange: [],
  nodeCidrMaskSize: 0,
  nodeCidrMaskSizeIpv4: 0,
  nodeCidrMaskSizeIpv6: 0,
  legacyServiceAccountTokenCleanUpPeriodMs: 31_536_000_000,
  signAccountToken: undefined,
  rootCa: undefined,
  clusterInfo: undefined,
  signers: new Map(),
  clusterSigningDurationMs: 31_536_000_000,
};
