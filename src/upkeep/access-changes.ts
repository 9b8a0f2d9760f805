/** Reports when rules or credentials may have changed, so that the users of open watches are authorized again. */

import { Pod } from "../api/core/v1/pod.ts";
import { Secret } from "../api/core/v1/secret.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../api/rbac/v1/role.ts";
import { RoleBinding } from "../api/rbac/v1/role-binding.ts";
import type { Clock } from "../base/clock.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Registry } from "../registry/contract/registry.ts";

/** Changes within this time are reported once. */
const gatherMs = 1_000;

export interface AccessChanges {
  onChange(callback: () => void): void;
  close(): void;
}

export function followAccessChanges(registry: Registry, catalog: Catalog, clock: Clock): AccessChanges {
  const callbacks: (() => void)[] = [];
  let cancel: (() => void) | undefined;
  const tell = () => {
    cancel ??= clock.after(gatherMs, () => {
      cancel = undefined;
      for (const callback of callbacks) callback();
    });
  };
  const onDeleted = ({ deleted }: { readonly deleted: boolean }) => {
    if (deleted) tell();
  };
  const stops = [
    registry.observe(catalog.of(Role), tell),
    registry.observe(catalog.of(RoleBinding), tell),
    registry.observe(catalog.of(ClusterRole), tell),
    registry.observe(catalog.of(ClusterRoleBinding), tell),
    // A token is valid as long as its account, and the secret or pod that it is bound to, exist.
    registry.observe(catalog.of(ServiceAccount), onDeleted),
    registry.observe(catalog.of(Secret), onDeleted),
    registry.observe(catalog.of(Pod), onDeleted),
  ];
  return {
    onChange: (callback) => callbacks.push(callback),
    close() {
      for (const stop of stops) stop();
      cancel?.();
    },
  };
}
