/** The leases by which API servers show that they run, for the server that holds one and for the controller that misses one. */

import type { Environment } from "../../machinery/schema/environment.ts";

interface IdentityLabel {
  readonly key: string;
  readonly value: string;
}

/** Where the leases are, with neutral names. */
const namespace = "orch-system";

export const identityNamespace = ({ vocabulary }: Environment): string => vocabulary.word(namespace);

/** The label of all identity leases. */
export const identityLabel = ({ vocabulary, since }: Environment): IdentityLabel => ({
  key: vocabulary.word(since("1.26") ? "apiserver.orch.io/identity" : "orch.io/component"),
  value: vocabulary.word("orch-apiserver"),
});

export function isIdentityLease(
  lease: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> | null } },
  { key, value }: IdentityLabel,
): boolean {
  return lease.metadata.labels?.[key] === value;
}
