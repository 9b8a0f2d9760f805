/** Every flag of `orch apiserver`, in the order of the help: the flags of v1.21 with their defaults, then our own. */

import { addressTypesDefault } from "../../actions/proxy/address-types.ts";
import { address, ip } from "../../base/flags/addresses.ts";
import { bool, choice, duration, flag, int, string, stringArray, strings } from "../../base/flags/flag.ts";
import { pairs, switches } from "../../base/flags/maps.ts";
import { atLeastZero, float, port } from "../../base/flags/numbers.ts";
import { levelDefault, levels } from "../../machinery/schema/levels.ts";
import { endpointReconcilerTypes } from "../../upkeep/endpoint-reconcilers.ts";
import { deprecatedFlags } from "./deprecated-flags.ts";
import { historyType, noHistory } from "./history-flag.ts";
import { likeFlag } from "./like.ts";
import { loggingFlags } from "./logging-flags.ts";
import { metricFlags } from "./metric-flags.ts";
import { postgresFlags } from "./postgres-flags.ts";
import { proxyTargetChoices } from "./proxy-addresses.ts";
import { storeType } from "./store-flag.ts";
import { localTargetChoices, workspaceTargetChoices } from "./webhook-addresses.ts";

const nodes = { pending: "connections to nodes are made directly and without a limit of bandwidth" };
const cloud = { pending: "there are no cloud providers here" };
const cache = { pending: "the cache holds everything, its size follows from the objects" };
const services = { pending: "there is one way to do this" };
const etcdOnly = (alias: string) => ({ aliases: [alias] });

/** What clients see of the server, and how long it works on a request. */
const serving = {
  "advertise-address": ip(
    "the IP address at which clients in the cluster reach this server; empty: one of the machine",
  ),
  "bind-address": address("the IP address to listen on, or localhost", "0.0.0.0"),
  "secure-port": port("the port to listen on; 0 takes any free one", 6443),
  "cert-dir": string("where the serving certificate is kept; one is generated there if none is set", "/var/run/orch"),
  "tls-cert-file": string("the serving certificate with its chain (PEM)"),
  "tls-private-key-file": string("the key of --tls-cert-file (PEM)"),
  "tls-sni-cert-key": stringArray("certificate, key and the names they serve: cert.pem,key.pem:*.example.com", {
    pending: "one serving certificate is used for all names",
  }),
  "tls-min-version": choice(["", "VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"], "oldest TLS", ""),
  "tls-cipher-suites": strings("cipher suites by their IANA names; empty: Node's own choice"),
  "http2-max-streams-per-connection": atLeastZero("streams one connection may have open; 0: 250"),
  "permit-address-sharing": bool("SO_REUSEADDR", false, { pending: "Node decides on socket options" }),
  "permit-port-sharing": bool("SO_REUSEPORT", false, { pending: "Node decides on socket options" }),
  "external-hostname": string(
    "the host name that clients outside the cluster use; also in the OpenID discovery document",
  ),
  "cors-allowed-origins": strings("origins that browsers may call from (regular expressions)", [], {
    pending: "cross-origin requests are not built yet",
  }),
  "strict-transport-security-directives": strings("directives of the HSTS header", [], { pending: "not sent yet" }),
  "goaway-chance": float("how often HTTP/2 clients are asked to reconnect", 0, {
    pending: "clients are never asked to",
  }),
  "max-requests-inflight": atLeastZero("read-only requests in flight; 0: no limit", 400),
  "max-mutating-requests-inflight": atLeastZero("mutating requests in flight; 0: no limit", 200),
  "enable-priority-and-fairness": bool(
    "flow schemas and priority levels decide which requests wait; false: the numbers above limit requests alone",
    true,
  ),
  "max-connection-bytes-per-sec": int("bandwidth of user connections", 0, nodes),
  "min-request-timeout": atLeastZero("the minimum duration, in seconds, of a watch without a timeout", 1800),
  "request-timeout": duration("how long a request may take", 60_000),
  "livez-grace-period": duration("how long /livez succeeds while the server starts"),
  "shutdown-delay-duration": duration("how long to keep serving with /readyz failing before shutdown"),
};

/** The store. */
const storage = {
  store: flag(storeType, "embedded", "where objects are kept"),
  ...postgresFlags,
  "data-dir": string("the folder of the embedded store", ".orch"),
  like: likeFlag,
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks", "orch"),
  "emulated-version": choice(levels, "the release whose API is served: its versions, fields and rules", levelDefault),
  "kvstore-servers": strings("URLs of etcd; given: --store=etcd", [], etcdOnly("etcd-servers")),
  "kvstore-cafile": string("the authority of etcd's certificates", "", etcdOnly("etcd-cafile")),
  "kvstore-certfile": string("the client certificate for etcd", "", etcdOnly("etcd-certfile")),
  "kvstore-keyfile": string("the key of --kvstore-certfile", "", etcdOnly("etcd-keyfile")),
  "kvstore-prefix": string("the prefix of all keys in etcd", "/registry", etcdOnly("etcd-prefix")),
  "kvstore-compaction-interval": duration(
    "how long history is kept; 0: a week",
    300_000,
    etcdOnly("etcd-compaction-interval"),
  ),
  history: flag(
    historyType,
    noHistory,
    "keep every change, with who made it, for so long and in so many bytes; empty: none is kept",
  ),
  "history-kinds": strings(
    "kinds that the history leaves out, with a minus, or keeps for a shorter time: -secrets,pods=2h",
  ),
  "kvstore-healthcheck-timeout": duration("how long the store may take to answer a health check", 2_000, {
    aliases: ["etcd-healthcheck-timeout"],
  }),
  "kvstore-count-metric-poll-period": duration("", 60_000, {
    pending: "objects are counted whenever metrics are read",
    aliases: ["etcd-count-metric-poll-period"],
  }),
  "kvstore-db-metric-poll-interval": duration("how often metrics read the size of the store; 0: never", 30_000, {
    aliases: ["etcd-db-metric-poll-interval"],
  }),
  "kvstore-servers-overrides": strings("other servers for some resources", [], {
    refused: "all resources are kept in one store, because they share one resourceVersion",
    aliases: ["etcd-servers-overrides"],
  }),
  "encryption-provider-config": string(
    "the encryption configuration of stored objects; reloaded within seconds when it changes",
    "",
    { formerNames: { "experimental-encryption-provider-config": "use --encryption-provider-config." } },
  ),
  "storage-backend": choice(["", "etcd3"], "only etcd3", "", { pending: "use --store" }),
  "storage-media-type": string("the form of stored objects", "application/vnd.orch.protobuf", {
    pending: "objects are stored as the JSON that clients read",
  }),
  "watch-cache": bool("keep objects in memory", true, { pending: "the cache is always on" }),
  "watch-cache-sizes": strings("", [], cache),
  "default-watch-cache-size": int("", 100, cache),
  "lease-reuse-duration-seconds": int("", 60, { pending: "no store leases are used" }),
  "delete-collection-workers": int("deletes at once of a deletecollection", 1, { pending: "their number is fixed" }),
  "enable-garbage-collector": bool("must match the controller manager's", true, {
    pending: "the collector is a controller: --controllers decides",
  }),
  "event-ttl": duration("how long Events are kept; 0: forever", 3_600_000),
};

/** Authentication. */
const authentication = {
  "anonymous-auth": bool("accept requests without a credential as system:anonymous", true),
  "authentication-config": string("issuers of tokens, and anonymous requests (a file, read again when it changes)"),
  "client-ca-file": string("authorities of client certificates (PEM)"),
  "client-certificate-revocations-file": string(
    "serial numbers of revoked client certificates in hexadecimal, one per line; changes are read within seconds",
  ),
  "token-auth-file": string('tokens: lines of token,user,uid,"group1,group2"'),
  "enable-bootstrap-token-auth": bool("accept bootstrap tokens that are kept as Secrets"),
  "requestheader-client-ca-file": string("authorities of the front proxy's certificates"),
  "requestheader-allowed-names": strings("common names the front proxy may have; empty: any"),
  "requestheader-username-headers": strings("headers that name the user"),
  "requestheader-group-headers": strings("headers that name groups"),
  "requestheader-extra-headers-prefix": strings("prefixes of headers with extra attributes of the user"),
  "service-account-issuer": string("who issues service account tokens"),
  "service-account-key-file": stringArray("keys that verify service account tokens (PEM)"),
  "service-account-signing-key-file": string("the key that signs service account tokens (PEM)"),
  "service-account-lookup": bool("check that a token's account still exists", true),
  "service-account-max-token-expiration": duration("the longest lifetime of a token; 0: no limit"),
  "service-account-extend-token-expiration": bool("accept longer lifetimes for projected tokens", true),
  "service-account-jwks-uri": string("where verifiers find the keys"),
  "api-audiences": strings("audiences of this server; default: the issuer"),
  "authentication-token-webhook-cache-ttl": duration("how long answers of the token webhook are cached", 120_000),
  "authentication-token-webhook-config-file": string("a service that verifies tokens (client configuration)"),
  "authentication-token-webhook-version": choice(
    ["v1", "v1beta1"],
    "the version of the review that is sent",
    "v1beta1",
  ),
  "oidc-ca-file": string("authorities of the OpenID provider; empty: the system's"),
  "oidc-client-id": string("the audience that tokens of the provider must name"),
  "oidc-groups-claim": string("the claim that names groups"),
  "oidc-groups-prefix": string("put before each group"),
  "oidc-issuer-url": string("the OpenID provider"),
  "oidc-required-claim": pairs("claims that tokens must have"),
  "oidc-signing-algs": strings("algorithms the provider may sign with", ["RS256"]),
  "oidc-username-claim": string("the claim that names the user", "sub"),
  "oidc-username-prefix": string("put before the user's name; - for none"),
};

/** Authorization. */
const authorization = {
  "authorization-mode": strings(
    "authorizers, in the order in which they decide: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node",
    ["AlwaysAllow"],
  ),
  "authorization-config": string("authorizers with their webhooks and conditions (a file, read again when it changes)"),
  "authorization-policy-file": string("the ABAC policy, one JSON object per line"),
  "rbac-subject-names": choice(
    ["", "folded", "exact"],
    "whether names of RBAC subjects are case-sensitive (exact) or not (folded)",
    "",
  ),
  "rbac-narrow-edit": bool("omit from the role edit the rights that reach beyond a namespace"),
  "authorization-webhook-cache-authorized-ttl": duration("how long the webhook's allow decisions are cached", 300_000),
  "authorization-webhook-cache-unauthorized-ttl": duration("how long the webhook's deny decisions are cached", 30_000),
  "authorization-webhook-config-file": string("the service of mode Webhook (client configuration)"),
  "authorization-webhook-version": choice(["v1", "v1beta1"], "the version of the review that is sent", "v1beta1"),
};

/** Admission, and which kinds are served. */
const content = {
  "enable-admission-plugins": strings("plugins to run in addition to the default ones"),
  "disable-admission-plugins": strings("default plugins not to run"),
  "admission-control": strings("", [], { refused: "use --enable-admission-plugins and --disable-admission-plugins" }),
  "admission-control-config-file": string("a file with the configuration of admission plugins"),
  "webhook-local-targets": choice(
    localTargetChoices,
    "whether webhooks may be on this machine; auto: on loopback, if --bind-address is loopback too",
    "auto",
  ),
  "default-not-ready-toleration-seconds": int("how long pods stay on a node that is not ready", 300),
  "default-unreachable-toleration-seconds": int("how long pods stay on a node that is unreachable", 300),
  "feature-gates": switches("gates to turn on or off: Name=true,Other=false"),
  "runtime-config": pairs("group versions to serve or not: batch/v1beta1=false, api/all=true"),
  "allow-privileged": bool("allow privileged containers"),
};

const auditModes = ["batch", "blocking", "blocking-strict"] as const;
const auditVersions = ["audit.orch.io/v1", "audit.orch.io/v1beta1", "audit.orch.io/v1alpha1"] as const;
const kubernetesAudit =
  "the version in which events are written, of audit.orch.io or the name the vocabulary has for it";

/** Auditing. */
const auditing = {
  "audit-policy-file": string("which requests are audited, and how much of them; without it none are"),
  "audit-credentials": bool("name the authenticator and the id of the credential in annotations of events"),
  "audit-log-path": string("the file that events are appended to; - is standard output"),
  "audit-log-format": choice(["json", "legacy"], "json, or one line of legacy text for each event", "json"),
  "audit-log-mode": choice(
    auditModes,
    "whether requests wait for their events: batch never waits, blocking-strict fails the request with its event",
    "blocking",
  ),
  "audit-log-version": string(kubernetesAudit, auditVersions[0]),
  "audit-log-maxsize": atLeastZero("megabytes after which the file is rotated; 0: 100"),
  "audit-log-maxbackup": atLeastZero("old files that are kept; 0: all"),
  "audit-log-maxage": atLeastZero("days that old files are kept; 0: forever"),
  "audit-log-compress": bool("compress old files with gzip"),
  "audit-log-truncate-enabled": bool("leave objects out of events that are too large"),
  "audit-log-truncate-max-event-size": int("bytes of one event", 102_400),
  "audit-log-truncate-max-batch-size": int("bytes of one batch", 10_485_760, {
    pending: "lines are written one by one",
  }),
  "audit-log-batch-buffer-size": int("events that may wait in batch mode", 10_000),
  "audit-log-batch-max-size": int("events of one batch", 1),
  "audit-log-batch-max-wait": duration("how long an event waits for others"),
  "audit-log-batch-throttle-enable": bool("bound the rate of batches"),
  "audit-log-batch-throttle-qps": float("batches a second", 0),
  "audit-log-batch-throttle-burst": int("batches that may be sent at once after a pause"),
  "audit-webhook-config-file": string("the client configuration of the service that receives events"),
  "audit-webhook-mode": choice(
    auditModes,
    "whether requests wait for their events: batch never waits, blocking-strict fails the request with its event",
    "batch",
  ),
  "audit-webhook-version": string(kubernetesAudit, auditVersions[0]),
  "audit-webhook-initial-backoff": duration("the pause before a failed post is tried again", 10_000),
  "audit-webhook-truncate-enabled": bool("leave objects out of events that are too large"),
  "audit-webhook-truncate-max-event-size": int("bytes of one event", 102_400),
  "audit-webhook-truncate-max-batch-size": int("bytes of one batch", 10_485_760, {
    pending: "batches are bounded by their number of events",
  }),
  "audit-webhook-batch-buffer-size": int("events that may wait in batch mode", 10_000),
  "audit-webhook-batch-max-size": int("events of one batch", 400),
  "audit-webhook-batch-max-wait": duration("how long an event waits for others", 30_000),
  "audit-webhook-batch-throttle-enable": bool("bound the rate of batches", true),
  "audit-webhook-batch-throttle-qps": float("batches a second", 10),
  "audit-webhook-batch-throttle-burst": int("batches that may be sent at once after a pause", 15),
};

/** Accepted so that command lines of v1.21 work. */
const others = {
  "service-cluster-ip-range": string("addresses of services, one range or one of each IP family; default: 10.0.0.0/24"),
  "service-node-port-range": string("ports of nodes that services may have", "30000-32767"),
  "orch-service-node-port": int("the node port of the server's own service; 0: none", 0, {
    aliases: ["kubernetes-service-node-port"],
  }),
  "apiserver-count": int("how many servers there are, for --endpoint-reconciler-type=master-count", 1),
  "endpoint-reconciler-type": choice(
    endpointReconcilerTypes,
    "how servers on one store agree on the endpoints of their own service",
    "lease",
  ),
  "master-service-namespace": string("", "default", services),
  "enable-aggregator-routing": bool("", false, { pending: "requests always go to endpoints of a service" }),
  "proxy-client-cert-file": string("the client certificate of this server for aggregated servers (PEM)"),
  "proxy-client-key-file": string("the key of --proxy-client-cert-file (PEM)"),
  "egress-selector-config-file": string("", "", nodes),
  "proxy-local-targets": choice(
    proxyTargetChoices,
    "whether requests may be proxied to pods and nodes on this machine or on its link",
    "deny",
  ),
  "proxy-ca-file": string("authorities of the certificates of proxied pods and services (PEM); empty: the system's"),
  "proxy-insecure-skip-tls-verify": bool("proxy to pods, services and nodes without verifying their certificates"),
  "orchlet-certificate-authority": string(
    "authorities of the certificates of node agents (PEM); empty: the system's",
    "",
    { aliases: ["kubelet-certificate-authority"] },
  ),
  "orchlet-client-certificate": string("the client certificate of this server for node agents (PEM)", "", {
    aliases: ["kubelet-client-certificate"],
  }),
  "orchlet-client-key": string("the key of --orchlet-client-certificate (PEM)", "", {
    aliases: ["kubelet-client-key"],
  }),
  "orchlet-preferred-address-types": strings("addresses of nodes, in the order of preference", addressTypesDefault, {
    aliases: ["kubelet-preferred-address-types"],
  }),
  "orchlet-timeout": duration("how long a connection to a node agent may take", 5_000, {
    aliases: ["kubelet-timeout"],
  }),
  "identity-lease-duration-seconds": int("how long the identity lease of a server lasts without being renewed", 3600),
  "identity-lease-renew-interval-seconds": int("how often a server renews its identity lease", 10),
  "cloud-config": string("", "", cloud),
  "cloud-provider": string("", "", cloud),
  "cloud-provider-gce-lb-src-cidrs": string("", "", cloud),
  "cloud-provider-gce-l7lb-src-cidrs": string("", "", cloud),
  console: bool("serve the page of the console at /console/, for people with a token; the page itself needs none"),
  workspaces: bool(
    "serve Workspace objects, each an API server of its own below /clusters/NAME; their controllers run in `orch up`",
  ),
  "workspace-local-targets": choice(
    workspaceTargetChoices,
    "whether webhooks and API services of workspaces may be on this machine or its link; allow: where those of the root may be",
    "deny",
  ),
  profiling: bool("serve profiles and the state of the process below /debug/, to users with a right to these paths"),
  "contention-profiling": bool("", false, { pending: "requests share one thread, so there are no locks to profile" }),
  ...metricFlags,
  ...deprecatedFlags,
};

/** Logs and metrics. */
const logging = {
  "slow-request-threshold": duration("log requests that take longer, with their steps; 0: none", 500),
  ...loggingFlags("0 changes of state, 2 every refused request, 4 every request and why controllers write"),
};

/** In the order of the help. */
export const apiserverFlagGroups = {
  "Serving requests": serving,
  "Where objects are kept": storage,
  Authentication: authentication,
  Authorization: authorization,
  "API and admission": content,
  Auditing: auditing,
  Logging: logging,
  Others: others,
};

export const apiserverFlags = {
  ...serving,
  ...storage,
  ...authentication,
  ...authorization,
  ...content,
  ...auditing,
  ...logging,
  ...others,
};
