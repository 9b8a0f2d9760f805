/** Which accounts every namespace must have. */

import type { Namespace } from "../../api/core/v1/namespace.ts";

export const accountsOfEveryNamespace: readonly string[] = ["default"];

/** The names of missing accounts; none for a namespace that is terminating or deleted. */
export function missingAccounts(namespace: Namespace | undefined, has: (name: string) => boolean): readonly string[] {
  if (namespace === undefined || namespace.status?.phase !== "Active") return [];
  return accountsOfEveryNamespace.filter((name) => !has(name));
}
