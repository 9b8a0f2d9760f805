/** The keys of an OpenID Connect provider, found through its discovery document and fetched again when it rotates them. */

import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import type { Clock } from "../base/clock.ts";
import { httpsCall } from "../base/https-call.ts";
import { type JwtClaims, peekToken } from "./jwt.ts";

interface OidcProviderOptions {
  /** --oidc-issuer-url: an https URL. */
  readonly issuer: string;
  /** Where the discovery document is, if it is not below the issuer. */
  readonly discoveryUrl?: string;
  /** PEM of --oidc-ca-file; absent: the system's authorities. */
  readonly ca?: string;
  /** --oidc-signing-algs. */
  readonly algorithms: readonly string[];
  readonly clock: Clock;
}

export interface OidcProvider {
  readonly issuer: string;
  /** The claims of a token; undefined: the provider has not signed it. Rejects if the provider cannot be reached. */
  verify(token: string): Promise<JwtClaims | undefined>;
}

export const signingAlgorithms: ReadonlySet<string> = new Set([
  ...["RS256", "RS384", "RS512"],
  ...["ES256", "ES384", "ES512"],
  ...["PS256", "PS384", "PS512"],
]);

/** The keys are not fetched more often than this, whatever tokens arrive. */
export const keysAgeMsMin = 60_000;
/** How long an issuer may take for one document, and its size. */
export const issuerTimeoutMs = 10_000;
export const issuerDocumentBytesMax = 256 * 1024;

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Throws an Error if the options are invalid. Nothing is fetched before the first token. */
export function createOidcProvider(options: OidcProviderOptions): OidcProvider {
  const { issuer, ca, algorithms, clock } = options;
  const { discoveryUrl = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration` } = options;
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== "https:")
    throw new Error("the issuer must be an https URL");
  for (const name of algorithms)
    if (!signingAlgorithms.has(name)) throw new Error(`unknown signing algorithm "${name}"`);
  const get = async (url: string): Promise<Record<string, unknown>> => {
    const tls = ca === undefined ? {} : { ca };
    const answer = await httpsCall({
      url,
      method: "GET",
      tls,
      timeoutMs: issuerTimeoutMs,
      answerBytesMax: issuerDocumentBytesMax,
    });
    const value: unknown = answer.status === 200 ? JSON.parse(answer.body) : undefined;
    if (typeof value !== "object" || value === null) throw new Error(`no document, but status ${answer.status}`);
    return value as Record<string, unknown>; // an object, as checked
  };
  const fetchKeys = async (): Promise<KeySet> => {
    const { issuer: named, jwks_uri: uri } = await get(discoveryUrl);
    if (named !== issuer) throw new Error("the discovery document names another issuer");
    if (typeof uri !== "string" || !URL.canParse(uri) || new URL(uri).protocol !== "https:") {
      throw new Error("the discovery document names no https key set");
    }
    return createLocalJWKSet((await get(uri)) as Partial<JSONWebKeySet> as JSONWebKeySet); // jose checks its shape
  };

  let keys: KeySet | undefined;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<KeySet> | undefined;
  const refresh = (): Promise<KeySet> => {
    fetching ??= fetchKeys()
      .then((fresh) => {
        keys = fresh;
        return fresh;
      })
      .finally(() => {
        fetching = undefined;
        fetchedAtMs = clock.monotonic();
      });
    return fetching;
  };
  const mayRefresh = () => fetching !== undefined || clock.monotonic() - fetchedAtMs >= keysAgeMsMin;

  const check = async (token: string, set: KeySet): Promise<boolean> => {
    try {
      await compactVerify(token, set, { algorithms: [...algorithms] });
      return true;
    } catch {
      return false;
    }
  };
  return {
    issuer,
    async verify(token) {
      const peeked = peekToken(token);
      if (peeked === undefined) return undefined;
      if (keys !== undefined && (await check(token, keys))) return peeked.claims;
      if (keys !== undefined && !mayRefresh()) return undefined;
      if (keys === undefined && !mayRefresh()) throw new Error("the provider could not be reached a moment ago");
      return (await check(token, await refresh())) ? peeked.claims : undefined;
    },
  };
}
