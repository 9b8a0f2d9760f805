/** Access inside a workspace, from that of its root. */

import type { AccessOptions } from "./access.ts";

/** Which workspace an access is for. */
export interface AccessPlace {
  readonly uid: string;
  /** Where its paths begin. */
  readonly path: string;
}

/**
 * Of the root's credentials only the keys of accounts count inside; roles decide. The issuer is another one: who trusts tokens of
 * the root, and asks nothing but their signature, issuer and subject, must not take an account of a workspace for the root's.
 */
export function accessInside(
  { authentication, tokens, authorization }: AccessOptions,
  { uid, path }: AccessPlace,
): AccessOptions {
  const { serviceAccounts, audiences } = authentication;
  const { subjectNames, narrowEdit } = authorization;
  const within = (url: string) => `${url.replace(/\/+$/, "")}${path}`;
  return {
    authentication: {
      serviceAccounts: serviceAccounts && {
        ...serviceAccounts,
        issuers: serviceAccounts.issuers.map(within),
        workspace: uid,
      },
      bootstrapTokens: false,
      audiences,
    },
    tokens: tokens && {
      ...tokens,
      issuer: within(tokens.issuer),
      url: () => within(tokens.url()),
      workspace: uid,
    },
    authorization: { modes: ["RBAC"], subjectNames, policies: [], ...(narrowEdit === undefined ? {} : { narrowEdit }) },
  };
}
