/** Access inside a workspace, from that of its root. */

import type { AccessOptions } from "./access.ts";

/** Of the root's credentials only the keys of accounts count inside; roles decide. */
export function accessInside(
  { authentication, tokens, authorization }: AccessOptions,
  workspace: string,
): AccessOptions {
  const { serviceAccounts, audiences } = authentication;
  const { subjectNames, narrowEdit } = authorization;
  return {
    authentication: {
      serviceAccounts: serviceAccounts && { ...serviceAccounts, workspace },
      bootstrapTokens: false,
      audiences,
    },
    tokens: tokens && { ...tokens, workspace },
    authorization: { modes: ["RBAC"], subjectNames, policies: [], ...(narrowEdit === undefined ? {} : { narrowEdit }) },
  };
}
