/** The flags of `orch controller-manager`: those of the controllers, and how it finds its server and shows itself. */

import { address } from "../../base/flags/addresses.ts";
import { bool, choice, duration, int, string, stringArray, strings } from "../../base/flags/flag.ts";
import type { FlagHelp } from "../../base/flags/help.ts";
import { switches } from "../../base/flags/maps.ts";
import { float, port } from "../../base/flags/numbers.ts";
import { controllerFlagGroups, controllerFlags } from "./controller-flags.ts";
import { deprecatedManagerFlags } from "./deprecated-flags.ts";
import { describeGates } from "./gate-list.ts";
import { loggingFlags } from "./logging-flags.ts";
import { metricFlags } from "./metric-flags.ts";

const unlimited = { pending: "requests are not throttled here; the server limits them" };
const cloud = { pending: "there are no cloud providers here" };
const tokens = { pending: "callers of /metrics show a bearer token" };
const eachCall = { pending: "the server reviews each call to the status port" };
const delegated = { pending: "the configuration of --kubeconfig is used for this too" };

const connecting = {
  kubeconfig: string("the client configuration file; default: found as ctl finds it", "", {
    aliases: ["orchconfig"],
  }),
  master: string("the address of the server, in place of the one in the configuration"),
  vocabulary: choice(
    ["auto", "orch", "kubernetes"],
    "the names that the server speaks; auto: the server is asked",
    "auto",
  ),
  "enable-garbage-collector": bool("whether the garbage collector runs; must match the API server's", true),
  "feature-gates": switches("gates to turn on or off: Name=true,Other=false"),
  "service-cluster-ip-range": string("addresses of services, which nodes must not get"),
  "kube-api-qps": float("", 20, { ...unlimited, aliases: ["orch-api-qps"] }),
  "kube-api-burst": int("", 30, { ...unlimited, aliases: ["orch-api-burst"] }),
  "kube-api-content-type": string("", "", { pending: "JSON is used", aliases: ["orch-api-content-type"] }),
  "authentication-kubeconfig": string("", "", delegated),
  "authorization-kubeconfig": string("", "", delegated),
  "authentication-skip-lookup": bool("", false, delegated),
  "authentication-tolerate-lookup-failure": bool("", false, delegated),
  "authentication-token-webhook-cache-ttl": duration("", 10_000, eachCall),
  "authorization-webhook-cache-authorized-ttl": duration("", 10_000, eachCall),
  "authorization-webhook-cache-unauthorized-ttl": duration("", 10_000, eachCall),
  "client-ca-file": string("", "", tokens),
  "requestheader-client-ca-file": string("", "", tokens),
  "requestheader-allowed-names": strings("", [], tokens),
  "requestheader-username-headers": strings("", ["x-remote-user"], tokens),
  "requestheader-group-headers": strings("", ["x-remote-group"], tokens),
  "requestheader-extra-headers-prefix": strings("", ["x-remote-extra-"], tokens),
  "cloud-provider": string("", "", cloud),
  "cloud-config": string("", "", cloud),
  "external-cloud-volume-plugin": string("", "", cloud),
  "enable-leader-migration": bool("", false, cloud),
  "leader-migration-config": string("", "", cloud),
};

const serving = {
  "bind-address": address("the address to listen on", "0.0.0.0"),
  "secure-port": port("the port of /healthz, /metrics and /configz; 0: none", 10257),
  ...deprecatedManagerFlags,
  "tls-cert-file": string("the serving certificate with its chain (PEM); one is generated if none is set"),
  "tls-private-key-file": string("the key of --tls-cert-file (PEM)"),
  "cert-dir": string("where the serving certificate is kept if --tls-cert-file names none; empty: it is not kept"),
  "tls-min-version": choice(["", "VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"], "oldest TLS", ""),
  "tls-cipher-suites": strings("cipher suites by their IANA names; empty: Node's own choice"),
  "tls-sni-cert-key": stringArray("", { pending: "one serving certificate is used for all names" }),
  "http2-max-streams-per-connection": int("", 0, { pending: "the status port speaks HTTP/1.1" }),
  "permit-address-sharing": bool("", false, { pending: "Node decides on socket options" }),
  "permit-port-sharing": bool("", false, { pending: "Node decides on socket options" }),
  "authorization-always-allow-paths": strings("paths that are served without authorization", ["/healthz"]),
  ...metricFlags,
  "contention-profiling": bool("", false, { pending: "the API server serves profiles, the controller manager none" }),
  profiling: bool("", true, { pending: "the API server serves profiles, the controller manager none" }),
  "shutdown-delay-duration": duration("", 0, { pending: "it stops at once" }),
  ...loggingFlags("0 changes of state, 2 failures, 4 why each write was made"),
};

export const controllerManagerFlags = { ...controllerFlags, ...connecting, ...serving };

export const controllerManagerHelp: FlagHelp = {
  flags: controllerManagerFlags,
  first: [
    "kubeconfig",
    "vocabulary",
    "controllers",
    "leader-elect",
    "use-service-account-credentials",
    "secure-port",
    "v",
  ],
  groups: { "Finding the server": connecting, "Status port": serving, ...controllerFlagGroups },
  more: describeGates,
};
