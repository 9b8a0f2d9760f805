/** Where a client sends several operations that are stored together. */

import type { RequestInfo } from "../request/request-info.ts";

export const transactionsGroup = "batch.orch.io";
export const transactionsVersion = "v1alpha1";
/** How many operations one transaction may have; one more than the store can take is refused by the store itself. */
export const transactionOperationsMax = 128;

/** Whether a request is one. It needs no right of its own: each of its operations is authorized as a request. */
export function isTransaction({ group, version, resource, verb, name, underNamespace }: RequestInfo): boolean {
  return (
    group === transactionsGroup &&
    version === transactionsVersion &&
    resource === "transactions" &&
    verb === "create" &&
    name === "" &&
    !underNamespace
  );
}
