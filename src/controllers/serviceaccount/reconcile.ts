/** Which accounts every namespace must have. */

import type { Namespace } from "../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { create, type Plan } from "../plan.ts";

export const accountsOfEveryNamespace: readonly string[] = ["default"];

/** The names of missing accounts; none for a namespace that is terminating or deleted. */
export function missingAccounts(namespace: Namespace | undefined, has: (name: string) => boolean): readonly string[] {
  if (namespace === undefined || namespace.status?.phase !== "Active") return [];
  return accountsOfEveryNamespace.filter((name) => !has(name));
}

/** What another client creates first, or in a namespace that is terminating, is not missed. */
export const planAccounts = (namespace: string, names: readonly string[]): Plan => ({
  writes: names.map((name) =>
    create(ServiceAccount, { metadata: { namespace, name } }, { tolerates: ["AlreadyExists", "NamespaceTerminating"] }),
  ),
});
