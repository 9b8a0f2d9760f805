/**
 * Service-account tokens. The signature is checked once for each token and remembered; whether account, Secret and pod
 * still exist is looked up on every request, so that deleting one takes effect at once.
 */

import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { accountGroups, accountUserName, parseAccountUserName } from "../machinery/meta/service-account-name.ts";
import type { User } from "../machinery/meta/user.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { intersect } from "./audiences.ts";
import type { Authentication, AuthenticationOutcome, CredentialRemarks, TokenAuthenticator } from "./contract.ts";
import { createDigester, type Digester } from "./digest.ts";
import { audiencesOf, isTimely, type JwtClaims, leewayMs, peekToken, verifyToken } from "./jwt.ts";
import type { LegacyTokenUse } from "./legacy-token-use.ts";
import type { CredentialMetrics } from "./metrics.ts";
import type { ClaimNames, ObjectName } from "./service-account-claims.ts";
import { claimNames, readBoundClaims, readLegacyClaims, workspaceIn } from "./service-account-claims.ts";
import { type AccountLookup, secretText } from "./service-account-lookup.ts";
import type { VerificationKey } from "./signing-keys.ts";
import { createLoadingTokenCache } from "./token-cache.ts";

export interface ServiceAccountOptions {
  /** --service-account-issuer: bound tokens name one of these. Empty: no bound tokens are accepted. */
  readonly issuers: readonly string[];
  /** --service-account-key-file. Called for every new token, so that reloaded files take effect. */
  readonly keys: () => readonly VerificationKey[];
  /** --api-audiences, by default the issuer: the audiences of a token that names none. */
  readonly audiences: readonly string[];
  readonly lookup: AccountLookup;
  /** --service-account-lookup: whether tokens kept in Secrets end with the Secret. Bound tokens are always looked up. */
  readonly lookupLegacy: boolean;
  /** The uid of the workspace whose accounts these are: tokens of others are refused. Absent: those of the root. */
  readonly workspace?: string | undefined;
  readonly vocabulary: Vocabulary;
  /** The key of `extra` for the id of a token. Absent: users do not carry it, as in v1.21. */
  readonly credentialIdKey?: string | undefined;
  /** Records requests with tokens that are kept in Secrets, and refuses tokens that became invalid. Absent: neither, as in v1.21. */
  readonly legacyUse?: LegacyTokenUse | undefined;
  readonly clock: Clock;
  readonly digester?: Digester;
  /** Absent: nothing is counted. */
  readonly metrics?: CredentialMetrics | undefined;
}

/** How long a good signature is remembered; a bad one is forgotten sooner. */
const verifiedTtlMs = 10 * 60_000;
const refusedTtlMs = 10_000;

export function createServiceAccount(options: ServiceAccountOptions): TokenAuthenticator {
  const { clock, digester = createDigester(), keys } = options;
  const names = claimNames(options.vocabulary);
  const verified = createLoadingTokenCache<Verified | undefined>({
    clock,
    digester,
    metrics: options.metrics?.tokenCache,
    load: async (token) => {
      const claims = await verifyToken(token, keys());
      if (claims === undefined) return { value: undefined, ttlMs: refusedTtlMs };
      const id = createHash("sha256").update(token).digest("hex").slice(0, 16);
      return { value: { claims, id, user: undefined }, ttlMs: verifiedTtlMs };
    },
  });
  return {
    name: "serviceaccount",
    authenticateToken(token, audiences) {
      const claims = peekToken(token)?.claims;
      const issuer = claims?.["iss"];
      if (claims === undefined || typeof issuer !== "string") return "rejected";
      if (workspaceIn(claims, names) !== options.workspace) return "rejected";
      if (issuer !== names.legacyIssuer && !options.issuers.includes(issuer)) return "rejected";
      const decide = (known: Verified | undefined) =>
        known === undefined ? "rejected" : check(options, names, digester, token, known, audiences);
      const known = verified.get(token);
      return known instanceof Promise ? known.then(decide) : decide(known);
    },
  };
}

interface Verified {
  readonly claims: JwtClaims;
  /** Identifies the token in the audit record: part of its digest, since tokens of v1.21 have no id. */
  readonly id: string;
  /** The user of the token, once known: the same object for as long as the token is remembered. */
  user: User | undefined;
}

function check(
  options: ServiceAccountOptions,
  names: ClaimNames,
  digester: Digester,
  token: string,
  verified: Verified,
  requested: readonly string[] | undefined,
): AuthenticationOutcome | Promise<AuthenticationOutcome> {
  const { claims, id } = verified;
  const given = audiencesOf(claims);
  if (given === undefined || !isTimely(claims, options.clock.now())) return "rejected";
  const audiences = intersect(
    given.length > 0 ? given : options.audiences,
    requested?.length ? requested : options.audiences,
  );
  if (audiences.length === 0 && options.audiences.length > 0) return "rejected";
  const authentication =
    claims.iss === names.legacyIssuer
      ? checkLegacy(options, names, digester, token, claims)
      : checkBound(options, names, claims);
  if (authentication === undefined) return "rejected";
  options.metrics?.accountToken(claims.iss === names.legacyIssuer ? "legacy" : "bound");
  verified.user ??= authentication.user;
  const known = { ...authentication, user: verified.user, audiences, credentialId: `token ${id}` };
  const use = claims.iss === names.legacyIssuer ? legacyUse(options, names, claims) : undefined;
  if (use === undefined) return known;
  const outcome = { ...known, remarks: use.remarks };
  return use.recorded === undefined ? outcome : use.recorded.then((isValid) => (isValid ? outcome : "rejected"));
}

function checkBound(options: ServiceAccountOptions, names: ClaimNames, claims: JwtClaims): Authentication | undefined {
  const bound = readBoundClaims(claims, names);
  if (bound === undefined) return undefined;
  const { namespace, account, pod, secret, node } = bound;
  const { lookup, clock, vocabulary, credentialIdKey } = options;
  const deadline = clock.now() - leewayMs;
  if (!isSame(lookup.account(namespace, account.name), account, deadline)) return undefined;
  if (secret !== undefined && !isSame(lookup.secret(namespace, secret.name), secret, deadline)) return undefined;
  if (pod !== undefined && !isSame(lookup.pod(namespace, pod.name), pod, deadline)) return undefined;
  const isBoundToNode = node !== undefined && pod === undefined && secret === undefined;
  if (isBoundToNode && !isSame(lookup.node(node.name), node, deadline)) return undefined;
  const extra = new Map<string, readonly string[]>();
  if (credentialIdKey !== undefined && typeof claims.jti === "string" && claims.jti !== "") {
    extra.set(credentialIdKey, [`JTI=${claims.jti}`]);
  }
  if (node !== undefined) {
    extra.set(vocabulary.word("authentication.orch.io/node-name"), [node.name]);
    if (node.uid !== "") extra.set(vocabulary.word("authentication.orch.io/node-uid"), [node.uid]);
  }
  if (pod !== undefined) {
    extra.set(vocabulary.word("authentication.orch.io/pod-name"), [pod.name]);
    extra.set(vocabulary.word("authentication.orch.io/pod-uid"), [pod.uid]);
  }
  return authenticationOf(namespace, account, extra);
}

function checkLegacy(
  options: ServiceAccountOptions,
  names: ClaimNames,
  digester: Digester,
  token: string,
  claims: JwtClaims,
): Authentication | undefined {
  const legacy = readLegacyClaims(claims, names);
  if (legacy === undefined) return undefined;
  const { namespace, account, secretName } = legacy;
  const subject = typeof claims.sub === "string" ? parseAccountUserName(claims.sub) : undefined;
  if (subject?.namespace !== namespace || subject.name !== account.name) return undefined;
  if (options.lookupLegacy) {
    const secret = options.lookup.secret(namespace, secretName);
    const kept = secret && !secret.metadata.deletionTimestamp ? secretText(secret, "token") : undefined;
    if (kept === undefined || !digester.equal(kept, token)) return undefined;
    if (!isSame(options.lookup.account(namespace, account.name), account, Number.POSITIVE_INFINITY)) return undefined;
  }
  return authenticationOf(namespace, account, new Map());
}

interface LegacyUse {
  readonly remarks: CredentialRemarks;
  /** Whether the token is valid. Undefined: it is, and nothing has to be recorded. */
  readonly recorded: Promise<boolean> | undefined;
}

/** Undefined: the use of such tokens is not followed. */
function legacyUse(options: ServiceAccountOptions, names: ClaimNames, claims: JwtClaims): LegacyUse | undefined {
  const { legacyUse: use, lookup, lookupLegacy } = options;
  const legacy = lookupLegacy ? readLegacyClaims(claims, names) : undefined;
  const secret = legacy && lookup.secret(legacy.namespace, legacy.secretName);
  if (use === undefined || legacy === undefined || secret === undefined) return undefined;
  return {
    remarks: use.remarks(secret, lookup.account(legacy.namespace, legacy.account.name)),
    recorded: use.record(secret),
  };
}

/** Whether the object is the one named, and has not been terminating since before `deadlineMs`. */
function isSame(object: ApiObject | undefined, named: ObjectName, deadlineMs: number): boolean {
  if (object === undefined || object.metadata.uid !== named.uid) return false;
  const deleted = object.metadata.deletionTimestamp;
  return !deleted || Date.parse(deleted) >= deadlineMs;
}

function authenticationOf(
  namespace: string,
  account: ObjectName,
  extra: ReadonlyMap<string, readonly string[]>,
): Authentication {
  return {
    user: {
      name: accountUserName({ namespace, name: account.name }),
      uid: account.uid,
      groups: accountGroups(namespace),
      extra,
    },
    by: "serviceaccount",
  };
}
