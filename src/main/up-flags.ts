/** The flags of `orch up`: those of apiserver and of the controller manager, with defaults for one person on one machine. */

import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { controllerFlags } from "./flags/controller-flags.ts";

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
