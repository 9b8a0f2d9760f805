/** The subjects of the roles that every server starts with. */

import { since } from "../../base/release.ts";
import { controllerRoles } from "./controller-roles.ts";
import { account, bind, bindIn, type DeclaredBinding, group, user } from "./declare.ts";

/** The account of each built-in controller has the role of its name. */
const controllerBindings = controllerRoles.map(({ name, since, until, gates }) =>
  bind(name, [account(name.slice("system:controller:".length))], { since, until, ...(gates && { gates }) }),
);

export const bindings: readonly DeclaredBinding[] = [
  bind("cluster-admin", [group("system:masters")]),
  bind("system:basic-user", [group("system:authenticated")]),
  bind("system:discovery", [group("system:authenticated")]),
  bind("system:cluster-trust-bundle-discovery", [group("system:serviceaccounts")], { since: "1.37" }),
  bind("system:orch-controller-manager", [user("system:orch-controller-manager")]),
  bind("system:orch-dns", [account("orch-dns")]),
  bind("system:orch-scheduler", [user("system:orch-scheduler")]),
  bind("system:monitoring", [group("system:monitoring")]),
  bind("system:node", []),
  bind("system:node-proxier", [user("system:orch-proxy")]),
  bind("system:public-info-viewer", [group("system:authenticated"), group("system:unauthenticated")]),
  bind("system:service-account-issuer-discovery", [group("system:serviceaccounts")]),
  bind("system:volume-scheduler", [user("system:orch-scheduler")]),
  ...controllerBindings,
  bindIn("orch-public", "system:controller:bootstrap-signer", [account("bootstrap-signer")]),
  bindIn(
    "orch-system",
    "system::extension-apiserver-authentication-reader",
    [user("system:orch-controller-manager"), user("system:orch-scheduler")],
    "extension-apiserver-authentication-reader",
  ),
  bindIn("orch-system", "system::leader-locking-orch-controller-manager", [
    user("system:orch-controller-manager"),
    account("orch-controller-manager"),
    since("1.31", account("leader-election-controller")),
  ]),
  bindIn("orch-system", "system::leader-locking-orch-scheduler", [
    user("system:orch-scheduler"),
    account("orch-scheduler"),
  ]),
  bindIn("orch-system", "system:controller:bootstrap-signer", [account("bootstrap-signer")]),
  bindIn("orch-system", "system:controller:cloud-provider", [account("cloud-provider")]),
  bindIn("orch-system", "system:controller:token-cleaner", [account("token-cleaner")]),
];
