/** The flags of the controller manager: those of v1.21 with their defaults, for `orch up` and `orch controller-manager`. */

import { bool, duration, float, int, strings, text } from "./flag.ts";

const one = { pending: "there is one way to do this" };
const cloud = { pending: "there are no cloud providers here" };
const attach = { pending: "attaching volumes needs an agent on the node" };
const recycle = { pending: "volumes are recycled by a pod, which needs an agent on the node" };

const running = {
  controllers: strings(
    'which run: "*" all that are on by default, "name" this one, "-name" not this one; bootstrapsigner and tokencleaner are off by default',
    ["*"],
  ),
  "use-service-account-credentials": bool("ask as one service account for each controller"),
  "leader-elect": bool("run only while holding the lease, so that of several managers one works", true),
  "leader-elect-lease-duration": duration("how long others wait before they take the lease over", 15_000),
  "leader-elect-renew-deadline": duration("how long the holder tries to renew before it gives up", 10_000),
  "leader-elect-retry-period": duration("how long to wait between tries", 2_000),
  "leader-elect-resource-lock": text("only leases", "leases", one),
  "leader-elect-resource-name": text("the name of the lease", "orch-controller-manager"),
  "leader-elect-resource-namespace": text("the namespace of the lease", "orch-system"),
  "controller-start-interval": duration("time between the starts of two controllers", 0, one),
  "min-resync-period": duration("how often everything is looked at again", 43_200_000, one),
  "cluster-name": text("the name of this cluster", "orch"),
};

const workloads = {
  "concurrent-deployment-syncs": int("deployments at once", 5),
  "concurrent-endpoint-syncs": int("services at once whose endpoints are made", 5),
  "concurrent-gc-syncs": int("objects at once that the garbage collector looks at", 20),
  "concurrent-namespace-syncs": int("namespaces at once that are emptied", 10),
  "concurrent-rc-syncs": int("replication controllers at once", 5),
  "concurrent-replicaset-syncs": int("replica sets at once", 5),
  "concurrent-resource-quota-syncs": int("quotas at once", 5),
  "concurrent-service-endpoint-syncs": int("services at once whose endpoint slices are made", 5),
  "concurrent-service-syncs": int("services at once", 1, cloud),
  "concurrent-serviceaccount-token-syncs": int("accounts at once whose tokens are made", 5),
  "concurrent-statefulset-syncs": int("stateful sets at once", 5),
  "concurrent-ttl-after-finished-syncs": int("finished jobs at once", 5),
  "mirroring-concurrent-service-endpoint-syncs": int("endpoints at once that are mirrored to slices", 5),
  "mirroring-endpointslice-updates-batch-period": duration("how long changes of endpoints are gathered"),
  "mirroring-max-endpoints-per-subset": int("endpoints of a subset that are mirrored", 1_000),
  "max-endpoints-per-slice": int("endpoints in one slice", 100),
  "endpoint-updates-batch-period": duration("how long changes of pods are gathered"),
  "endpointslice-updates-batch-period": duration("how long changes of pods are gathered"),
  "terminated-pod-gc-threshold": int("finished pods that may be there before the oldest are deleted", 12_500),
  "horizontal-pod-autoscaler-sync-period": duration("how often autoscalers look at metrics", 15_000),
  "horizontal-pod-autoscaler-downscale-stabilization": duration("how long a higher number is kept", 300_000),
  "horizontal-pod-autoscaler-tolerance": float("how far from the target nothing is done", 0.1),
  "horizontal-pod-autoscaler-cpu-initialization-period": duration("how long CPU of new pods is not counted", 300_000),
  "horizontal-pod-autoscaler-initial-readiness-delay": duration("how long readiness may still change", 30_000),
  "horizontal-pod-autoscaler-use-rest-clients": bool("", true, one),
  "namespace-sync-period": duration("how often all namespaces are looked at", 300_000),
  "resource-quota-sync-period": duration("how often all quotas are counted anew", 300_000),
};

const nodes = {
  "node-monitor-period": duration("how often nodes are looked at", 5_000),
  "node-monitor-grace-period": duration("how long a node may be silent", 40_000),
  "node-startup-grace-period": duration("how long a new node may be silent", 60_000),
  "pod-eviction-timeout": duration("how long pods stay on a node that is not ready", 300_000, {
    pending: "taints and tolerations decide",
  }),
  "enable-taint-manager": bool("evict pods that do not tolerate NoExecute taints", true),
  "node-eviction-rate": float("nodes a second from which pods are evicted", 0.1),
  "secondary-node-eviction-rate": float("the same in a zone that is not healthy", 0.01),
  "large-cluster-size-threshold": int("zones with fewer nodes stop evicting when they are not healthy", 50),
  "unhealthy-zone-threshold": float("the share of nodes that are not ready in a zone that is not healthy", 0.55),
  "allocate-node-cidrs": bool("give every node a range of addresses for its pods"),
  "cluster-cidr": strings("ranges from which nodes get theirs"),
  "node-cidr-mask-size": int("the size of a node's range", 24),
  "node-cidr-mask-size-ipv4": int("the size of a node's IPv4 range where there are two", 24),
  "node-cidr-mask-size-ipv6": int("the size of a node's IPv6 range where there are two", 64),
  "cidr-allocator-type": text("only RangeAllocator", "RangeAllocator", one),
  "configure-cloud-routes": bool("", true, cloud),
  "node-sync-period": duration("", 0, cloud),
  "route-reconciliation-period": duration("", 10_000, cloud),
  "allow-untagged-cloud": bool("", false, cloud),
  "external-cloud-volume-plugin": text("", "", cloud),
};

const volumes = {
  "pvclaimbinder-sync-period": duration("how often all volumes and claims are looked at", 15_000),
  "enable-dynamic-provisioning": bool("let classes provision volumes", true, one),
  "enable-hostpath-provisioner": bool("", false, attach),
  "flex-volume-plugin-dir": text("", "", attach),
  "volume-host-allow-local-loopback": bool("", true, attach),
  "volume-host-cidr-denylist": strings("", [], attach),
  "attach-detach-reconcile-sync-period": duration("", 60_000, attach),
  "disable-attach-detach-reconcile-sync": bool("", false, attach),
  "pv-recycler-increment-timeout-nfs": int("", 30, recycle),
  "pv-recycler-minimum-timeout-hostpath": int("", 60, recycle),
  "pv-recycler-minimum-timeout-nfs": int("", 300, recycle),
  "pv-recycler-pod-template-filepath-hostpath": text("", "", recycle),
  "pv-recycler-pod-template-filepath-nfs": text("", "", recycle),
  "pv-recycler-timeout-increment-hostpath": int("", 30, recycle),
};

const signing = {
  "root-ca-file": text("authorities that are published in every namespace and in token Secrets (PEM)"),
  "service-account-private-key-file": text("the key that signs the tokens of token Secrets (PEM)"),
  "cluster-signing-cert-file": text("the authority that signs certificate requests (PEM)"),
  "cluster-signing-key-file": text("its key (PEM)"),
  "cluster-signing-duration": duration("how long certificates are good", 31_536_000_000, {
    aliases: ["experimental-cluster-signing-duration"],
  }),
  "cluster-signing-orch-apiserver-client-cert-file": text("the authority of this signer alone (PEM)", "", {
    aliases: ["cluster-signing-kube-apiserver-client-cert-file"],
  }),
  "cluster-signing-orch-apiserver-client-key-file": text("its key (PEM)", "", {
    aliases: ["cluster-signing-kube-apiserver-client-key-file"],
  }),
  "cluster-signing-orchlet-client-cert-file": text("the authority of this signer alone (PEM)", "", {
    aliases: ["cluster-signing-kubelet-client-cert-file"],
  }),
  "cluster-signing-orchlet-client-key-file": text("its key (PEM)", "", {
    aliases: ["cluster-signing-kubelet-client-key-file"],
  }),
  "cluster-signing-orchlet-serving-cert-file": text("the authority of this signer alone (PEM)", "", {
    aliases: ["cluster-signing-kubelet-serving-cert-file"],
  }),
  "cluster-signing-orchlet-serving-key-file": text("its key (PEM)", "", {
    aliases: ["cluster-signing-kubelet-serving-key-file"],
  }),
  "cluster-signing-legacy-unknown-cert-file": text("the authority of this signer alone (PEM)"),
  "cluster-signing-legacy-unknown-key-file": text("its key (PEM)"),
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
};
