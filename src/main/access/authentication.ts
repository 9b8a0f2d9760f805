/** Builds the authenticator of a server from its flags, in the order in which credentials are tried. */

import { withServerAudiences } from "../../authn/audiences.ts";
import { createBearer } from "../../authn/bearer.ts";
import { createBootstrapToken } from "../../authn/bootstrap-token.ts";
import { createClientCertificate } from "../../authn/client-certificate.ts";
import type { RequestAuthenticator, TokenAuthenticator } from "../../authn/contract.ts";
import { createDigester } from "../../authn/digest.ts";
import { createFrontProxy, proxyHeaders } from "../../authn/front-proxy.ts";
import { withAuthenticatedGroup, withAuthenticatedGroupOnTokens } from "../../authn/groups.ts";
import { createGuessLimit } from "../../authn/guess-limit.ts";
import { createLegacyTokenUse } from "../../authn/legacy-token-use.ts";
import { type CredentialMetrics, createCredentialMetrics } from "../../authn/metrics.ts";
import { createServiceAccount } from "../../authn/service-account.ts";
import { createAccountLookup } from "../../authn/service-account-lookup.ts";
import type { VerificationKey } from "../../authn/signing-keys.ts";
import { createTokenUnion, createUnion } from "../../authn/union.ts";
import { createWebsocketToken } from "../../authn/websocket-token.ts";
import type { CertificateAuthorities } from "../../base/certificate-chain.ts";
import type { Metric } from "../../base/metrics.ts";
import type { AccessParts } from "../server/options.ts";

export interface AuthenticationOptions {
  /** The authorities of client certificates; a function, so that a reload takes effect. Absent: none are accepted. */
  readonly clientAuthorities?: (() => CertificateAuthorities) | undefined;
  readonly frontProxy?:
    | {
        readonly authorities: () => CertificateAuthorities;
        readonly allowedNames: readonly string[];
        readonly userHeaders: readonly string[];
        readonly groupHeaders: readonly string[];
        readonly extraPrefixes: readonly string[];
      }
    | undefined;
  /** Tokens from a file. */
  readonly staticTokens?: TokenAuthenticator | undefined;
  readonly serviceAccounts?:
    | {
        readonly issuers: readonly string[];
        readonly keys: () => readonly VerificationKey[];
        readonly lookupLegacy: boolean;
        /** See ServiceAccountOptions. */
        readonly workspace?: string | undefined;
      }
    | undefined;
  readonly bootstrapTokens: boolean;
  /** Whether a client certificate is revoked, by its serial number. Absent: none is. */
  readonly isRevoked?: ((serial: string) => boolean) | undefined;
  /** Authenticators of external services, tried last. */
  readonly otherTokens?: readonly TokenAuthenticator[];
  /** The audiences of this server. */
  readonly audiences: readonly string[];
  /** Shared with `otherTokens`. Default: counts of this server alone. */
  readonly metrics?: CredentialMetrics;
}

/** Wrong bootstrap tokens from one address before it has to wait. */
const guessesPerMinute = 10;

interface ServerAuthentication {
  readonly authenticator: RequestAuthenticator;
  /** All token authenticators, for reviews of tokens. */
  readonly tokens: TokenAuthenticator;
  readonly metrics: readonly Metric[];
}

export function createAuthentication(options: AuthenticationOptions, parts: AccessParts): ServerAuthentication {
  const { catalog, registry, clock } = parts;
  const { vocabulary } = catalog.environment;
  const credentialIdKey = catalog.environment.has("credentialIds")
    ? vocabulary.word("authentication.orch.io/credential-id")
    : undefined;
  const digester = createDigester();
  const metrics = options.metrics ?? createCredentialMetrics();
  const { frontProxy, clientAuthorities, staticTokens, serviceAccounts, bootstrapTokens, audiences } = options;
  const revocation = options.isRevoked ? { isRevoked: options.isRevoked } : {};
  const lookup = createAccountLookup(registry, catalog);

  const tokenAuthenticators: TokenAuthenticator[] = [];
  if (staticTokens) tokenAuthenticators.push(withServerAudiences(staticTokens, audiences));
  if (serviceAccounts) {
    tokenAuthenticators.push(
      createServiceAccount({
        ...serviceAccounts,
        audiences,
        lookup,
        vocabulary,
        credentialIdKey,
        clock,
        digester,
        metrics,
        legacyUse: catalog.environment.has("usesOfTokens") ? createLegacyTokenUse(parts) : undefined,
      }),
    );
  }
  if (bootstrapTokens) {
    const guessLimit = createGuessLimit({ clock, failuresPerMinute: guessesPerMinute });
    const bootstrap = createBootstrapToken({ lookup, vocabulary, clock, digester, guessLimit });
    tokenAuthenticators.push(withServerAudiences(bootstrap, audiences));
  }
  tokenAuthenticators.push(...(options.otherTokens ?? []));
  const tokens = withAuthenticatedGroupOnTokens(createTokenUnion(tokenAuthenticators));

  const union = createUnion({
    // A front proxy acts for another user, so its headers are read before its own certificate counts as a user's.
    authenticators: [
      ...(frontProxy ? [withAuthenticatedGroup(createFrontProxy({ ...frontProxy, ...revocation, clock }))] : []),
      ...(clientAuthorities
        ? [
            withAuthenticatedGroup(
              createClientCertificate({
                authorities: clientAuthorities,
                ...revocation,
                credentialIdKey,
                clock,
                metrics,
              }),
            ),
          ]
        : []),
      createBearer({ tokens, audiences }),
      createWebsocketToken({ tokens, audiences, vocabulary }),
    ],
    secretHeaders: ["authorization", ...(frontProxy ? proxyHeaders(frontProxy) : [])],
  });
  return { authenticator: union, tokens, metrics: metrics.all };
}
