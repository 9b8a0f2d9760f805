/** The flags of `orch up`: those of apiserver and of the controller manager, with defaults for one person on one machine. */

import { apiserverFlagGroups, apiserverFlags } from "./flags/apiserver-flags.ts";
import { controllerFlagGroups, controllerFlags } from "./flags/controller-flags.ts";
import type { FlagHelp } from "./flags/help.ts";

const withDefault = <F extends { readonly default: unknown }>(flag: F, value: F["default"]): F => ({
  ...flag,
  default: value,
});

/** Nobody else can reach it, and roles decide. */
export const upFlags: typeof apiserverFlags & typeof controllerFlags = {
  ...controllerFlags,
  ...apiserverFlags,
  "bind-address": withDefault(apiserverFlags["bind-address"], "127.0.0.1"),
  "authorization-mode": withDefault(apiserverFlags["authorization-mode"], ["Node", "RBAC"]),
  "rbac-narrow-edit": withDefault(apiserverFlags["rbac-narrow-edit"], true),
  "service-account-max-token-expiration": withDefault(
    apiserverFlags["service-account-max-token-expiration"],
    365 * 86_400_000,
  ),
};

export const upHelp: FlagHelp = {
  flags: upFlags,
  first: ["data-dir", "secure-port", "bind-address", "vocabulary", "store", "controllers", "v"],
  groups: { ...apiserverFlagGroups, ...controllerFlagGroups },
};
