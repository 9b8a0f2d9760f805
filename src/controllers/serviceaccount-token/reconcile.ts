/** Which Secrets hold a token of an account, and what they must contain. */

import type { Secret } from "../../api/core/v1/secret.ts";
import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

/** The names of token Secrets in a vocabulary. */
export interface TokenNames {
  readonly type: string;
  readonly account: string;
  readonly uid: string;
}

export function tokenNames(vocabulary: Vocabulary): TokenNames {
  return {
    type: vocabulary.word("orch.io/service-account-token"),
    account: vocabulary.word("orch.io/service-account.name"),
    uid: vocabulary.word("orch.io/service-account.uid"),
  };
}

/** The name of the account that the Secret says it is for; undefined: it is not a token Secret. */
export function accountOf(secret: Secret, names: TokenNames): string | undefined {
  return secret.type === names.type ? secret.metadata.annotations?.[names.account] : undefined;
}

/** Whether the Secret belongs to this account; one without a uid belongs to any account of the name. */
export function isTokenOf(secret: Secret, account: ServiceAccount, names: TokenNames): boolean {
  if (accountOf(secret, names) !== account.metadata.name) return false;
  const uid = secret.metadata.annotations?.[names.uid] ?? "";
  return uid === "" || uid === account.metadata.uid;
}

/** Whether the account lists a Secret that holds a token of its own. */
export function hasListedToken(
  account: ServiceAccount,
  secretOf: (name: string) => Secret | undefined,
  names: TokenNames,
): boolean {
  return (account.secrets ?? []).some(({ name = "" }) => {
    const secret = secretOf(name);
    return secret !== undefined && isTokenOf(secret, account, names);
  });
}

/** What the Secret is missing; undefined: nothing. */
export function missingParts(
  { data = {} }: Secret,
  rootCa: string | undefined,
): { readonly token: boolean; readonly namespace: boolean; readonly authority: boolean } | undefined {
  const isEmpty = (key: string) => (data[key] ?? "") === "";
  const parts = {
    token: isEmpty("token"),
    namespace: isEmpty("namespace"),
    authority: rootCa !== undefined && data["ca.crt"] !== encoded(rootCa),
  };
  return parts.token || parts.namespace || parts.authority ? parts : undefined;
}

/** The Secret with everything it must have; keys of others stay. */
export function filled(
  secret: Secret,
  account: ServiceAccount,
  given: { readonly token: string; readonly rootCa: string | undefined },
  names: TokenNames,
): Secret {
  const { name = "", namespace = "", uid = "" } = account.metadata;
  const annotations = { ...secret.metadata.annotations, [names.account]: name, [names.uid]: uid };
  const data = {
    ...secret.data,
    ...(given.rootCa === undefined ? {} : { "ca.crt": encoded(given.rootCa) }),
    namespace: (secret.data?.["namespace"] ?? "") || encoded(namespace),
    token: (secret.data?.["token"] ?? "") || encoded(given.token),
  };
  return { ...secret, metadata: { ...secret.metadata, annotations }, data };
}

const encoded = (text: string) => Buffer.from(text, "utf8").toString("base64");
