/** Which Secrets hold a token of an account, and what they must contain. */

import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { Ref } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { create, type Plan, read, remove, update } from "../plan.ts";

/** The names of token Secrets in a vocabulary. */
interface TokenNames {
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

/** Letters and digits of generated names, chosen so that they form no words. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;

export function newTokenName({ metadata }: ServiceAccount, random: (below: number) => number): string {
  const suffix = Array.from({ length: suffixLength }, () => suffixAlphabet[random(suffixAlphabet.length)]).join("");
  return `${metadata.name ?? ""}-token-${suffix}`;
}

/**
 * Creates a Secret and lists it in its account; a Secret that could not be listed is deleted again. An account that was deleted or
 * changed, and a namespace that is terminating, are no failures: in each case a watch event follows.
 */
export function planToken(account: ServiceAccount, secret: Secret, hasToken: (live: ServiceAccount) => boolean): Plan {
  const creation = create(Secret, secret, { tolerates: ["NotFound", "NamespaceTerminating"] });
  return {
    writes: [creation],
    next(done) {
      const made = done.of(creation);
      return made && planListing(account, made, hasToken);
    },
  };
}

function planListing(account: ServiceAccount, made: Secret, hasToken: (live: ServiceAccount) => boolean): Plan {
  const { namespace, name = "", uid } = made.metadata;
  const reason = "its account is gone, or has another token by now";
  const undo: Plan = { writes: [remove(Secret, { namespace, name }, { uid, reason })] };
  const failed = (error: unknown): Plan => ({ ...undo, recovered: hasReason(error, "NotFound") });
  const live = read(ServiceAccount, splitKey(keyOf(account)));
  return {
    reads: [live],
    failed,
    next(done) {
      const found = done.of(live);
      if (found === undefined || found.metadata.uid !== account.metadata.uid || hasToken(found)) return undo;
      const secrets = [...(found.secrets ?? []), { name }];
      return { writes: [update(ServiceAccount, { ...found, secrets })], failed };
    },
  };
}

/** `account` undefined: it is gone. `token`: a new one, for a Secret without. */
export function planSecret(
  secret: Secret,
  account: ServiceAccount | undefined,
  given: { readonly token: string; readonly rootCa: string | undefined },
  names: TokenNames,
): Plan {
  const { uid, resourceVersion } = secret.metadata;
  if (account === undefined) {
    const options = { uid, resourceVersion, reason: "its account is gone" };
    return { writes: [remove(Secret, splitKey(keyOf(secret)), options)] };
  }
  return { writes: [update(Secret, filled(secret, account, given, names), { tolerates: ["NotFound"] })] };
}

/** Removes a deleted Secret from the list of its account; then the account may need another. */
export function planUnlisting(ref: Ref, secretName: string, unlisted: () => void): Plan {
  const live = read(ServiceAccount, ref);
  const next = () => {
    unlisted();
    return undefined;
  };
  return {
    reads: [live],
    next(done) {
      const account = done.of(live);
      if (!account?.secrets?.some(({ name }) => name === secretName)) return next();
      const kept = account.secrets.filter(({ name }) => name !== secretName);
      return { writes: [update(ServiceAccount, { ...account, secrets: kept }, { tolerates: ["NotFound"] })], next };
    },
  };
}
