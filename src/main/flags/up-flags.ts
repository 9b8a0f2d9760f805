/** The flags of `orch up`: those of apiserver and of the controller manager, with defaults for one person on one machine. */

import { bool, int, string } from "../../base/flags/flag.ts";
import type { FlagHelp } from "../../base/flags/help.ts";
import { apiserverFlagGroups, apiserverFlags } from "./apiserver-flags.ts";
import { controllerFlagGroups, controllerFlags } from "./controller-flags.ts";
import { describeGates } from "./gate-list.ts";
import { upHistory } from "./history-flag.ts";
import { simulationFlags } from "./simulation-flags.ts";

const withDefault = <F extends { readonly default: unknown }>(flag: F, value: F["default"]): F => ({
  ...flag,
  default: value,
});

export const startFlags = {
  detach: bool("run in the background; `orch status` and `orch stop` find it again"),
  "ready-file": string("a file to write the URL to when the server is ready"),
  load: string("a file or folder of manifests to apply at the start, in an order that works"),
  from: string(
    "a file or folder of objects of another server to show, as export, get -o yaml or cluster-info dump write them",
  ),
  "read-only": bool("refuse every write, and run no controllers"),
  "enable-testing": bool(
    "serve FaultPlan objects of testing.orch.io, which make requests fail on purpose, and the journal of requests",
  ),
  nodes: int("how many simulated nodes run pods, without containers; they come with a scheduler", 0),
  ...simulationFlags,
};

/** In `orch up` the short name is that of the port, and no flag of old servers without an effect. */
const { port: _withoutEffect, ...serverFlags } = apiserverFlags;

/** Other machines cannot reach it, and RBAC decides. */
export const upFlags: typeof serverFlags & typeof controllerFlags & typeof startFlags = {
  ...startFlags,
  ...controllerFlags,
  ...serverFlags,
  "secure-port": { ...apiserverFlags["secure-port"], aliases: ["port"] },
  "bind-address": withDefault(apiserverFlags["bind-address"], "127.0.0.1"),
  "authorization-mode": withDefault(apiserverFlags["authorization-mode"], ["Node", "RBAC"]),
  history: withDefault(apiserverFlags.history, upHistory),
  console: bool("open the console on a port of the loopback address, and print its link", true),
  // As distributions do: agents of networks and storage do not start otherwise.
  "allow-privileged": withDefault(apiserverFlags["allow-privileged"], true),
  "rbac-narrow-edit": withDefault(apiserverFlags["rbac-narrow-edit"], true),
  "service-account-max-token-expiration": withDefault(
    apiserverFlags["service-account-max-token-expiration"],
    365 * 86_400_000,
  ),
};

export const upHelp: FlagHelp = {
  flags: upFlags,
  first: ["data-dir", "secure-port", "bind-address", "like", "store", "controllers", "nodes", "load", "detach", "v"],
  groups: { Starting: startFlags, ...apiserverFlagGroups, ...controllerFlagGroups },
  more: describeGates,
};
