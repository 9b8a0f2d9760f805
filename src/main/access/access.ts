/** Assembles access control: authentication, authorization, reviews and key discovery. */

import { accessActions } from "../../actions/access/actions.ts";
import { createCertificateRequester } from "../../admission/plugins/certificate-requester.ts";
import { discoveryDocuments } from "../../authn/openid-discovery.ts";
import type { SigningKey } from "../../authn/signing-keys.ts";
import { createTokenSigner } from "../../authn/token-signer.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { requireAccepted } from "../../http/negotiation/choose.ts";
import type { AccessParts, ServerAccess } from "../server/options.ts";
import { type AuthenticationOptions, createAuthentication } from "./authentication.ts";
import { type AuthorizationOptions, createAuthorization } from "./authorization.ts";

export interface AccessOptions {
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  /** Absent: this server does not issue service account tokens. */
  readonly tokens?:
    | {
        readonly issuer: string;
        readonly signingKey: () => SigningKey;
        /** 0: no limit. */
        readonly lifetimeSecondsMax: number;
        readonly keySetUri: string;
        readonly url: () => string;
        /** The uid of the workspace that tokens are made for. Absent: for the root. */
        readonly workspace?: string | undefined;
      }
    | undefined;
}

export function createAccess(options: AccessOptions, parts: AccessParts): ServerAccess {
  const { catalog, clock } = parts;
  const { vocabulary, randomUid } = catalog.environment;
  const newId = catalog.environment.has("credentialIds") ? randomUid : undefined;
  const { authenticator, tokens, metrics } = createAuthentication(options.authentication, parts);
  const { authorizer, checks, rbac, close, metrics: ofAuthorizers } = createAuthorization(options.authorization, parts);
  const made = options.tokens;
  return {
    authenticator,
    authorizer,
    // Before the validating plugins, which see the object that will be stored.
    plugins: [createCertificateRequester(), ...checks],
    actions: accessActions({
      authorizer,
      tokens,
      audiences: options.authentication.audiences,
      catalog,
      signer: made && createTokenSigner({ ...made, key: made.signingKey, vocabulary, clock, newId }),
      lifetimeSecondsMax: made?.lifetimeSecondsMax ?? 0,
      explain: rbac?.index,
    }),
    metrics: [...metrics, ...ofAuthorizers],
    routes: made === undefined ? [] : discoveryRoutes(options),
    roles: rbac === undefined ? undefined : { narrowEdit: options.authorization.narrowEdit === true },
    close,
  };
}

/** The paths under which others find the keys that verify this server's tokens. */
function discoveryRoutes({ authentication, tokens }: AccessOptions): readonly Route[] {
  const keys = authentication.serviceAccounts?.keys ?? (() => []);
  const documents = tokens && discoveryDocuments({ ...tokens, keys });
  return (documents ?? []).map(({ path, contentType, cacheControl, body }) => ({
    path,
    method: "GET" as const,
    handle(exchange: Exchange) {
      requireAccepted(exchange.header("accept"), contentType);
      exchange.send(200, { "content-type": contentType, "cache-control": cacheControl }, body());
    },
  }));
}
