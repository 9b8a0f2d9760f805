/** Roles inside the system namespaces. */

import { type DeclaredRole, events, read, role, rule } from "./declare.ts";

export const namespaceRoles: readonly DeclaredRole[] = [
  role("orch-public", "system:controller:bootstrap-signer", [
    rule(read, "core", "configmaps"),
    rule("update", "core", "configmaps", "cluster-info"),
    events,
  ]),
  role("orch-system", "extension-apiserver-authentication-reader", [
    rule(read, "core", "configmaps", "extension-apiserver-authentication"),
  ]),
  role("orch-system", "system::leader-locking-orch-controller-manager", [
    rule("watch", "core", "configmaps"),
    rule("get update", "core", "configmaps", "orch-controller-manager"),
  ]),
  role("orch-system", "system::leader-locking-orch-scheduler", [
    rule("watch", "core", "configmaps"),
    rule("get update", "core", "configmaps", "orch-scheduler"),
  ]),
  role("orch-system", "system:controller:bootstrap-signer", [rule(read, "core", "secrets")]),
  role("orch-system", "system:controller:cloud-provider", [rule("create get list watch", "core", "configmaps")]),
  role("orch-system", "system:controller:token-cleaner", [rule("delete get list watch", "core", "secrets"), events]),
];
