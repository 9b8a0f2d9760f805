/** Roles inside the system namespaces. */

import { since, until } from "../../base/release.ts";
import { type DeclaredRole, events, read, role, rule } from "./declare.ts";

const leaderLocks = [
  since("1.31", rule("create get list update watch", "coordination.orch.io", "leases")),
  since("1.31", rule("create get list update watch", "coordination.orch.io", "leasecandidates")),
];

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
    until("1.35", rule("watch", "core", "configmaps")),
    until("1.35", rule("get update", "core", "configmaps", "orch-controller-manager")),
    ...leaderLocks,
  ]),
  role("orch-system", "system::leader-locking-orch-scheduler", [
    until("1.35", rule("watch", "core", "configmaps")),
    until("1.35", rule("get update", "core", "configmaps", "orch-scheduler")),
    ...leaderLocks,
  ]),
  role("orch-system", "system:controller:bootstrap-signer", [rule(read, "core", "secrets")]),
  role("orch-system", "system:controller:cloud-provider", [rule("create get list watch", "core", "configmaps")]),
  role("orch-system", "system:controller:token-cleaner", [rule("delete get list watch", "core", "secrets"), events]),
];
