/** The settings of the controllers from flags; reads the files that the flags name. */

import { parseSigningKey } from "../../authn/signing-keys.ts";
import { createTokenSigner } from "../../authn/token-signer.ts";
import type { Clock } from "../../base/clock.ts";
import { FlagError, type FlagValues } from "../../base/flags/flag.ts";
import { openAuthority, readSigningKey } from "../../controllers/csrsigning/authority.ts";
import { nodeRanges } from "../../controllers/nodeipam/node-ranges.ts";
import { defaultSettings, type Settings, type SigningAuthority } from "../../controllers/settings.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { controllerFlags } from "./controller-flags.ts";
import { readOptionalFlagFile, useFlagFile } from "./read-file.ts";

export type ControllerFlags = FlagValues<typeof controllerFlags>;

/** By the neutral name of the signer: its part in the names of its flags. */
const signers = {
  "orch.io/orch-apiserver-client": "orch-apiserver-client",
  "orch.io/orch-apiserver-client-orchlet": "orchlet-client",
  "orch.io/orchlet-serving": "orchlet-serving",
  "orch.io/legacy-unknown": "legacy-unknown",
} as const;

export async function readControllerSettings(
  flags: ControllerFlags & { readonly "service-cluster-ip-range": string },
  { vocabulary, clock }: { readonly vocabulary: Vocabulary; readonly clock: Clock },
): Promise<Settings> {
  const [signingAuthorities, signerOf, rootCa] = await Promise.all([
    readSigners(flags),
    readAccountSigner(flags, { vocabulary, clock }),
    readOptionalFlagFile("root-ca-file", flags["root-ca-file"]),
  ]);
  const settings: Settings = {
    ...defaultSettings,
    concurrentDeploymentSyncs: flags["concurrent-deployment-syncs"],
    concurrentEndpointSyncs: flags["concurrent-endpoint-syncs"],
    concurrentGcSyncs: flags["concurrent-gc-syncs"],
    concurrentNamespaceSyncs: flags["concurrent-namespace-syncs"],
    concurrentRcSyncs: flags["concurrent-rc-syncs"],
    concurrentReplicasetSyncs: flags["concurrent-replicaset-syncs"],
    concurrentResourceQuotaSyncs: flags["concurrent-resource-quota-syncs"],
    concurrentServiceEndpointSyncs: flags["concurrent-service-endpoint-syncs"],
    concurrentServiceaccountTokenSyncs: flags["concurrent-serviceaccount-token-syncs"],
    concurrentStatefulsetSyncs: flags["concurrent-statefulset-syncs"],
    concurrentTtlAfterFinishedSyncs: flags["concurrent-ttl-after-finished-syncs"],
    mirroringConcurrentServiceEndpointSyncs: flags["mirroring-concurrent-service-endpoint-syncs"],
    mirroringMaxEndpointsPerSubset: flags["mirroring-max-endpoints-per-subset"],
    mirroringEndpointsliceUpdatesBatchPeriodMs: flags["mirroring-endpointslice-updates-batch-period"],
    maxEndpointsPerSlice: flags["max-endpoints-per-slice"],
    endpointUpdatesBatchPeriodMs: flags["endpoint-updates-batch-period"],
    endpointsliceUpdatesBatchPeriodMs: flags["endpointslice-updates-batch-period"],
    terminatedPodGcThreshold: flags["terminated-pod-gc-threshold"],
    horizontalPodAutoscalerSyncPeriodMs: flags["horizontal-pod-autoscaler-sync-period"],
    horizontalPodAutoscalerDownscaleStabilizationMs: flags["horizontal-pod-autoscaler-downscale-stabilization"],
    horizontalPodAutoscalerTolerance: flags["horizontal-pod-autoscaler-tolerance"],
    horizontalPodAutoscalerCpuInitializationPeriodMs: flags["horizontal-pod-autoscaler-cpu-initialization-period"],
    horizontalPodAutoscalerInitialReadinessDelayMs: flags["horizontal-pod-autoscaler-initial-readiness-delay"],
    resourceQuotaSyncPeriodMs: flags["resource-quota-sync-period"],
    pvclaimbinderSyncPeriodMs: flags["pvclaimbinder-sync-period"],
    nodeMonitorPeriodMs: flags["node-monitor-period"],
    nodeMonitorGracePeriodMs: flags["node-monitor-grace-period"],
    nodeStartupGracePeriodMs: flags["node-startup-grace-period"],
    enableTaintManager: flags["enable-taint-manager"],
    nodeEvictionRate: flags["node-eviction-rate"],
    secondaryNodeEvictionRate: flags["secondary-node-eviction-rate"],
    largeClusterSizeThreshold: flags["large-cluster-size-threshold"],
    unhealthyZoneThreshold: flags["unhealthy-zone-threshold"],
    allocateNodeCidrs: flags["allocate-node-cidrs"],
    clusterCidr: flags["cluster-cidr"],
    serviceClusterIpRange: flags["service-cluster-ip-range"].split(",").filter((range) => range !== ""),
    nodeCidrMaskSize: flags["node-cidr-mask-size"],
    nodeCidrMaskSizeIpv4: flags["node-cidr-mask-size-ipv4"],
    nodeCidrMaskSizeIpv6: flags["node-cidr-mask-size-ipv6"],
    legacyServiceAccountTokenCleanUpPeriodMs: flags["legacy-service-account-token-clean-up-period"],
    signAccountToken: signerOf?.(),
    rootCa,
    clusterInfo: undefined,
    signers: signingAuthorities,
    clusterSigningDurationMs: flags["cluster-signing-duration"],
  };
  if (settings.allocateNodeCidrs) checkNodeRanges(settings);
  return settings;
}

/** Wrong ranges are refused at the start, not when the first node comes. */
function checkNodeRanges(settings: Settings): void {
  try {
    nodeRanges(settings);
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error));
  }
}

type AccountSigner = NonNullable<Settings["signAccountToken"]>;

/** What signs the tokens of accounts of a workspace with this uid, or of the root. Undefined: no key is given. */
export async function readAccountSigner(
  flags: ControllerFlags,
  { vocabulary, clock }: { readonly vocabulary: Vocabulary; readonly clock: Clock },
): Promise<((workspace?: string) => AccountSigner) | undefined> {
  const path = flags["service-account-private-key-file"];
  const pem = await readOptionalFlagFile("service-account-private-key-file", path);
  if (pem === undefined) return undefined;
  const key = useFlagFile("service-account-private-key-file", path, () => parseSigningKey(pem));
  return (workspace) => createTokenSigner({ issuer: "", key: () => key, vocabulary, clock, workspace }).signLegacy;
}

async function readSigners(flags: ControllerFlags): Promise<ReadonlyMap<string, SigningAuthority>> {
  const shared = await readAuthority(
    "cluster-signing",
    flags["cluster-signing-cert-file"],
    flags["cluster-signing-key-file"],
  );
  const found = new Map<string, SigningAuthority>();
  for (const [signer, part] of Object.entries(signers)) {
    const name = `cluster-signing-${part}` as const;
    const own = await readAuthority(name, flags[`${name}-cert-file`], flags[`${name}-key-file`]);
    // As in v1.21: one authority for all signers, or one for each, because both together would be ambiguous.
    if (own !== undefined && shared !== undefined)
      throw new FlagError(`--${name}-cert-file cannot be given together with --cluster-signing-cert-file`);
    const authority = own ?? shared;
    if (authority !== undefined) found.set(signer, authority);
  }
  return found;
}

async function readAuthority(name: string, certPath: string, keyPath: string): Promise<SigningAuthority | undefined> {
  if (certPath === "" && keyPath === "") return undefined;
  if (certPath === "" || keyPath === "")
    throw new FlagError(`--${name}-cert-file and --${name}-key-file must be given together`);
  const certificate = (await readOptionalFlagFile(`${name}-cert-file`, certPath)) ?? "";
  const key = (await readOptionalFlagFile(`${name}-key-file`, keyPath)) ?? "";
  useFlagFile(`${name}-key-file`, keyPath, () => readSigningKey(key));
  useFlagFile(`${name}-cert-file`, certPath, () => openAuthority({ certificate, key }));
  return { certificate, key };
}
