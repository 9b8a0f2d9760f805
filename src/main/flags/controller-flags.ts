/** The flags of the controller manager: those of v1.21 with their defaults, for `orch up` and `orch controller-manager`. */

import { bool, duration, int, string, strings } from "../../base/flags/flag.ts";
import { float } from "../../base/flags/numbers.ts";

const one = { pending: "there is one way to do this" };
const cloud = { pending: "there are no cloud providers here" };
const attach = { pending: "attaching volumes needs an agent on the node" };
const recycle = { pending: "volumes are recycled by a pod, which needs an agent on the node" };

const running = {
  controllers: strings(
    'which run: "*" all that are on by default, "name" this one, "-name" not this one; bootstrapsigner and tokencleaner are off by default; names of 1.35 ("deployment-controller") mean the same ones',
    ["*"],
  ),
  "use-service-account-credentials": bool("use one service account for each controller"),
  "leader-elect": bool(
    "run only while holding the lease, so that one of several managers is active; in `orch up` on etcd and PostgreSQL",
    true,
  ),
  "leader-elect-lease-duration": duration("how long other managers wait before they take over the lease", 15_000),
  "leader-elect-renew-deadline": duration("how long the leader tries to renew the lease before it gives up", 10_000),
  "leader-elect-retry-period": duration("the pause between attempts", 2_000),
  "leader-elect-resource-lock": string("only leases", "leases", one),
  "leader-elect-resource-name": string("the name of the lease", "orch-controller-manager"),
  "leader-elect-resource-namespace": string("the namespace of the lease", "orch-system"),
  "controller-start-interval": duration("time between the starts of two controllers", 0, one),
  "min-resync-period": duration("how often all objects are synced again", 43_200_000, one),
  "cluster-name": string("the name of this cluster for cloud providers", "orch", cloud),
};

const noOp = { deprecated: "This flag is currently no-op and will be deleted." };

/** Flags that v1.21 still accepts. */
const former = {
  "deleting-pods-burst": int("", 0, noOp),
  "deleting-pods-qps": float("", 0.1, noOp),
  "register-retry-count": int("", 10, noOp),
  "horizontal-pod-autoscaler-upscale-delay": duration("", 180_000, noOp),
  "horizontal-pod-autoscaler-downscale-delay": duration("", 300_000, noOp),
};

const workloads = {
  "concurrent-deployment-syncs": int("deployments synced at once", 5),
  "concurrent-endpoint-syncs": int("services whose Endpoints are synced at once", 5),
  "concurrent-gc-syncs": int("objects the garbage collector works on at once", 20),
  "concurrent-namespace-syncs": int("namespaces synced at once", 10),
  "concurrent-rc-syncs": int("replication controllers synced at once", 5),
  "concurrent-replicaset-syncs": int("replica sets synced at once", 5),
  "concurrent-resource-quota-syncs": int("quotas synced at once", 5),
  "concurrent-service-endpoint-syncs": int("services whose EndpointSlices are synced at once", 5),
  "concurrent-service-syncs": int("services synced at once", 1, cloud),
  "concurrent-serviceaccount-token-syncs": int("service accounts whose token Secrets are synced at once", 5),
  "concurrent-statefulset-syncs": int("stateful sets synced at once", 5),
  "concurrent-ttl-after-finished-syncs": int("finished jobs synced at once", 5),
  "mirroring-concurrent-service-endpoint-syncs": int("Endpoints mirrored to EndpointSlices at once", 5),
  "mirroring-endpointslice-updates-batch-period": duration("how long changes of Endpoints are collected before a sync"),
  "mirroring-max-endpoints-per-subset": int("addresses of a subset that are mirrored", 1_000),
  "max-endpoints-per-slice": int("endpoints in one EndpointSlice", 100),
  "endpoint-updates-batch-period": duration("how long changes of pods are collected before a sync"),
  "endpointslice-updates-batch-period": duration("how long changes of pods are collected before a sync"),
  "terminated-pod-gc-threshold": int(
    "terminated pods that are kept before the oldest are deleted; 0 or less: all",
    12_500,
  ),
  "horizontal-pod-autoscaler-sync-period": duration("how often autoscalers are synced", 15_000),
  "horizontal-pod-autoscaler-downscale-stabilization": duration(
    "how long the highest recent recommendation prevents scaling down",
    300_000,
  ),
  "horizontal-pod-autoscaler-tolerance": float(
    "how far a metric may be from its target before anything is scaled",
    0.1,
  ),
  "horizontal-pod-autoscaler-cpu-initialization-period": duration(
    "how long CPU samples of a new pod may be skipped",
    300_000,
  ),
  "horizontal-pod-autoscaler-initial-readiness-delay": duration(
    "how long after its start changes of a pod's readiness count as initial",
    30_000,
  ),
  "horizontal-pod-autoscaler-use-rest-clients": bool("", true, one),
  "namespace-sync-period": duration("how often all namespaces are synced", 300_000, {
    pending: "namespaces are synced when they change, and again after a failure",
  }),
  "resource-quota-sync-period": duration("how often all quotas are recalculated", 300_000),
};

const nodes = {
  "node-monitor-period": duration("how often the state of nodes is checked", 5_000),
  "node-monitor-grace-period": duration("how long a node may be silent before it is marked unhealthy", 40_000),
  "node-startup-grace-period": duration("how long a starting node may be silent before it is marked unhealthy", 60_000),
  "pod-eviction-timeout": duration("how long pods stay on a node that is not ready", 300_000, {
    pending: "taints and tolerations decide",
  }),
  "enable-taint-manager": bool("evict pods that do not tolerate NoExecute taints", true),
  "node-eviction-rate": float("nodes per second whose pods are evicted in a healthy zone", 0.1),
  "secondary-node-eviction-rate": float("nodes per second whose pods are evicted in an unhealthy zone", 0.01),
  "large-cluster-size-threshold": int("an unhealthy zone with fewer nodes stops evicting", 50),
  "unhealthy-zone-threshold": float("the share of nodes that must be not ready for a zone to be unhealthy", 0.55),
  "allocate-node-cidrs": bool("allocate a range of pod addresses to every node"),
  "cluster-cidr": strings("the ranges of pod addresses that nodes get parts of"),
  "node-cidr-mask-size": int("the mask size of a node's range; 0: 24 for IPv4, 64 for IPv6", 0),
  "node-cidr-mask-size-ipv4": int("the mask size of a node's IPv4 range in a dual-stack cluster; 0: 24", 0),
  "node-cidr-mask-size-ipv6": int("the mask size of a node's IPv6 range in a dual-stack cluster; 0: 64", 0),
  "cidr-allocator-type": string("only RangeAllocator", "RangeAllocator", one),
  "configure-cloud-routes": bool("", true, cloud),
  "node-sync-period": duration("", 0, cloud),
  "route-reconciliation-period": duration("", 10_000, cloud),
  "allow-untagged-cloud": bool("", false, cloud),
  "external-cloud-volume-plugin": string("", "", cloud),
};

const volumes = {
  "pvclaimbinder-sync-period": duration("how often all volumes and claims are synced", 15_000),
  "enable-dynamic-provisioning": bool("provision volumes of storage classes", true, one),
  "enable-hostpath-provisioner": bool("", false, attach),
  "flex-volume-plugin-dir": string("", "", attach),
  "volume-host-allow-local-loopback": bool("", true, attach),
  "volume-host-cidr-denylist": strings("", [], attach),
  "attach-detach-reconcile-sync-period": duration("", 60_000, attach),
  "disable-attach-detach-reconcile-sync": bool("", false, attach),
  "pv-recycler-increment-timeout-nfs": int("", 30, recycle),
  "pv-recycler-minimum-timeout-hostpath": int("", 60, recycle),
  "pv-recycler-minimum-timeout-nfs": int("", 300, recycle),
  "pv-recycler-pod-template-filepath-hostpath": string("", "", recycle),
  "pv-recycler-pod-template-filepath-nfs": string("", "", recycle),
  "pv-recycler-timeout-increment-hostpath": int("", 30, recycle),
};

const signing = {
  "root-ca-file": string("the CA bundle published in every namespace and in token Secrets (PEM)"),
  "legacy-service-account-token-clean-up-period": duration(
    "from level 1.35: how long a token in a Secret may be unused before it becomes invalid, and invalid before it is deleted",
    31_536_000_000,
  ),
  "service-account-private-key-file": string("the key that signs the tokens of token Secrets (PEM)"),
  "cluster-signing-cert-file": string("the CA certificate that signs certificate requests (PEM)"),
  "cluster-signing-key-file": string("its key (PEM)"),
  "cluster-signing-duration": duration("how long signed certificates are valid", 31_536_000_000, {
    formerNames: { "experimental-cluster-signing-duration": "use --cluster-signing-duration" },
  }),
  "cluster-signing-orch-apiserver-client-cert-file": string(
    "the CA certificate of this signer (PEM); default: --cluster-signing-cert-file",
    "",
    {
      aliases: ["cluster-signing-kube-apiserver-client-cert-file"],
    },
  ),
  "cluster-signing-orch-apiserver-client-key-file": string("its key (PEM)", "", {
    aliases: ["cluster-signing-kube-apiserver-client-key-file"],
  }),
  "cluster-signing-orchlet-client-cert-file": string(
    "the CA certificate of this signer (PEM); default: --cluster-signing-cert-file",
    "",
    {
      aliases: ["cluster-signing-kubelet-client-cert-file"],
    },
  ),
  "cluster-signing-orchlet-client-key-file": string("its key (PEM)", "", {
    aliases: ["cluster-signing-kubelet-client-key-file"],
  }),
  "cluster-signing-orchlet-serving-cert-file": string(
    "the CA certificate of this signer (PEM); default: --cluster-signing-cert-file",
    "",
    {
      aliases: ["cluster-signing-kubelet-serving-cert-file"],
    },
  ),
  "cluster-signing-orchlet-serving-key-file": string("its key (PEM)", "", {
    aliases: ["cluster-signing-kubelet-serving-key-file"],
  }),
  "cluster-signing-legacy-unknown-cert-file": string(
    "the CA certificate of this signer (PEM); default: --cluster-signing-cert-file",
  ),
  "cluster-signing-legacy-unknown-key-file": string("its key (PEM)"),
};

/** In the order of the help. */
export const controllerFlagGroups = {
  "Running controllers": running,
  "Controllers of workloads": workloads,
  "Controllers of nodes": nodes,
  "Controllers of volumes": volumes,
  "Signing and tokens": signing,
};

export const controllerFlags = {
  ...running,
  ...workloads,
  ...nodes,
  ...volumes,
  ...signing,
  ...former,
};
