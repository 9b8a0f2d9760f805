/** The flags of `orch controller-manager`: those of the controllers, and how it finds its server and shows itself. */

import { address } from "../../base/flags/addresses.ts";
import { bool, choice, duration, int, string, strings } from "../../base/flags/flag.ts";
import type { FlagHelp } from "../../base/flags/help.ts";
import { switches } from "../../base/flags/maps.ts";
import { float, port } from "../../base/flags/numbers.ts";
import { controllerFlagGroups, controllerFlags } from "./controller-flags.ts";
import { deprecatedManagerFlags } from "./deprecated-flags.ts";
import { metricFlags } from "./metric-flags.ts";

const unlimited = { pending: "requests are not throttled here; the server limits them" };
const delegated = { pending: "the configuration of --kubeconfig is used for this too" };

const connecting = {
  kubeconfig: string("the client configuration file; default: found as ctl finds it", "", {
    aliases: ["orchconfig"],
  }),
  master: string("the address of the server, in place of the one in the configuration"),
  vocabulary: choice(["orch", "kubernetes"], "the names that the server speaks", "orch"),
  "feature-gates": switches("gates to turn on or off: Name=true,Other=false"),
  "service-cluster-ip-range": string("addresses of services, which nodes must not get"),
  "kube-api-qps": float("", 20, unlimited),
  "kube-api-burst": int("", 30, unlimited),
  "kube-api-content-type": string("", "", { pending: "JSON is used" }),
  "authentication-kubeconfig": string("", "", delegated),
  "authorization-kubeconfig": string("", "", delegated),
  "authentication-skip-lookup": bool("", false, delegated),
  "client-ca-file": string("", "", { pending: "callers of /metrics show a bearer token" }),
  "requestheader-client-ca-file": string("", "", { pending: "callers of /metrics show a bearer token" }),
};

const serving = {
  "bind-address": address("the address to listen on", "0.0.0.0"),
  "secure-port": port("the port of /healthz, /metrics and /configz; 0: none", 10257),
  ...deprecatedManagerFlags,
  "tls-cert-file": string("the serving certificate with its chain (PEM); one is generated if none is set"),
  "tls-private-key-file": string("the key of --tls-cert-file (PEM)"),
  "authorization-always-allow-paths": strings("paths that are served without authorization", ["/healthz"]),
  ...metricFlags,
  profiling: bool("", true, { pending: "the API server serves profiles, the controller manager none" }),
  "shutdown-delay-duration": duration("", 0, { pending: "it stops at once" }),
  v: int("how much to log: 0 changes of state, 2 failures, 4 why each write was made"),
  "log-format": choice(
    ["", "json", "text"],
    "text for people or json for programs; empty: text on a terminal, else json",
    "",
  ),
  logtostderr: bool("", true, { pending: "logs go to standard error" }),
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
};
