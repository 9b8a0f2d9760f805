import { expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { controllerManagerFlags } from "./controller-manager-flags.ts";

test("a command line of v1.21 is accepted, and what has no effect is said once", () => {
  const { values, warnings } = parseFlags(controllerManagerFlags, [
    "--port=0",
    "--cert-dir=/var/run/orch",
    "--tls-min-version=VersionTLS13",
    "--tls-cipher-suites=TLS_AES_128_GCM_SHA256",
    "--requestheader-client-ca-file=front.crt",
    "--requestheader-allowed-names=front",
    "--cloud-provider=external",
    "--cloud-config=cloud.conf",
    "--logging-format=json",
    "--log-dir=/var/log",
    "--log-dir=/tmp",
    "--enable-garbage-collector=false",
    "--experimental-cluster-signing-duration=24h",
    "--deleting-pods-qps=0.5",
    "--orch-api-qps=100",
  ]);
  expect(values).toMatchObject({
    "cert-dir": "/var/run/orch",
    "tls-min-version": "VersionTLS13",
    "log-format": "json",
    "enable-garbage-collector": false,
    "cluster-signing-duration": 86_400_000,
  });
  expect(warnings).toEqual([
    "Flag --port has been deprecated, see --secure-port instead.",
    "--requestheader-client-ca-file is accepted but has no effect: callers of /metrics show a bearer token",
    "--requestheader-allowed-names is accepted but has no effect: callers of /metrics show a bearer token",
    "--cloud-provider is accepted but has no effect: there are no cloud providers here",
    "--cloud-config is accepted but has no effect: there are no cloud providers here",
    "--log-dir is accepted but has no effect: logs go to standard error",
    "Flag --experimental-cluster-signing-duration has been deprecated, use --cluster-signing-duration",
    "Flag --deleting-pods-qps has been deprecated, This flag is currently no-op and will be deleted.",
    "--orch-api-qps is accepted but has no effect: requests are not throttled here; the server limits them",
  ]);
});

test("every flag that v1.21's controller manager has is known", () => {
  const names =
    "add-dir-header address allocate-node-cidrs alsologtostderr attach-detach-reconcile-sync-period authentication-kubeconfig " +
    "authentication-skip-lookup authentication-token-webhook-cache-ttl authentication-tolerate-lookup-failure " +
    "authorization-always-allow-paths authorization-kubeconfig authorization-webhook-cache-authorized-ttl " +
    "authorization-webhook-cache-unauthorized-ttl bind-address cert-dir cidr-allocator-type client-ca-file cloud-config " +
    "cloud-provider cluster-cidr cluster-name cluster-signing-cert-file cluster-signing-duration cluster-signing-key-file " +
    "concurrent-deployment-syncs concurrent-endpoint-syncs concurrent-gc-syncs concurrent-namespace-syncs " +
    "concurrent-replicaset-syncs concurrent-resource-quota-syncs concurrent-service-endpoint-syncs concurrent-service-syncs " +
    "concurrent-serviceaccount-token-syncs concurrent-statefulset-syncs concurrent-ttl-after-finished-syncs " +
    "configure-cloud-routes contention-profiling controller-start-interval controllers deleting-pods-burst deleting-pods-qps " +
    "disable-attach-detach-reconcile-sync enable-dynamic-provisioning enable-garbage-collector enable-hostpath-provisioner " +
    "enable-leader-migration enable-taint-manager endpoint-updates-batch-period endpointslice-updates-batch-period " +
    "experimental-cluster-signing-duration experimental-logging-sanitization external-cloud-volume-plugin feature-gates " +
    "flex-volume-plugin-dir horizontal-pod-autoscaler-cpu-initialization-period horizontal-pod-autoscaler-downscale-delay " +
    "horizontal-pod-autoscaler-downscale-stabilization horizontal-pod-autoscaler-initial-readiness-delay " +
    "horizontal-pod-autoscaler-sync-period horizontal-pod-autoscaler-tolerance horizontal-pod-autoscaler-upscale-delay " +
    "horizontal-pod-autoscaler-use-rest-clients http2-max-streams-per-connection kube-api-burst kube-api-content-type " +
    "kube-api-qps kubeconfig large-cluster-size-threshold leader-elect leader-elect-lease-duration leader-elect-renew-deadline " +
    "leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace leader-elect-retry-period " +
    "leader-migration-config log-backtrace-at log-dir log-file log-file-max-size log-flush-frequency logging-format " +
    "logtostderr master max-endpoints-per-slice min-resync-period mirroring-concurrent-service-endpoint-syncs " +
    "mirroring-endpointslice-updates-batch-period mirroring-max-endpoints-per-subset namespace-sync-period node-cidr-mask-size " +
    "node-cidr-mask-size-ipv4 node-cidr-mask-size-ipv6 node-eviction-rate node-monitor-grace-period node-monitor-period " +
    "node-startup-grace-period one-output permit-address-sharing permit-port-sharing pod-eviction-timeout port profiling " +
    "pv-recycler-increment-timeout-nfs pvclaimbinder-sync-period register-retry-count requestheader-allowed-names " +
    "requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers " +
    "requestheader-username-headers resource-quota-sync-period root-ca-file route-reconciliation-period " +
    "secondary-node-eviction-rate secure-port service-account-private-key-file service-cluster-ip-range " +
    "show-hidden-metrics-for-version skip-headers skip-log-headers stderrthreshold terminated-pod-gc-threshold " +
    "tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file tls-sni-cert-key unhealthy-zone-threshold " +
    "use-service-account-credentials v vmodule volume-host-allow-local-loopback volume-host-cidr-denylist";
  const known = new Set(
    Object.entries(controllerManagerFlags).flatMap(([name, flag]) => [
      name,
      ...(flag.aliases ?? []),
      ...Object.keys(flag.formerNames ?? {}),
    ]),
  );
  expect(names.split(" ").filter((name) => !known.has(name))).toEqual([]);
});
