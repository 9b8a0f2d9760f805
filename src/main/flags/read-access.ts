/** Reads the flags about authentication and authorization. */

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { TokenAuthenticator } from "../../authn/contract.ts";
import { type CredentialMetrics, createCredentialMetrics } from "../../authn/metrics.ts";
import { createOidc } from "../../authn/oidc.ts";
import { createOidcProvider } from "../../authn/oidc-provider.ts";
import { parseSigningKey, parseVerificationKeys } from "../../authn/signing-keys.ts";
import { createStaticToken } from "../../authn/static-token.ts";
import { createWebhookToken } from "../../authn/webhook-token.ts";
import { parsePolicies } from "../../authz/abac-policy.ts";
import { createWebhookAuthorizer } from "../../authz/webhook.ts";
import { type Callout, createCallout } from "../../base/callout.ts";
import { parseAuthorities } from "../../base/certificate-chain.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { parseEndpoint } from "../../machinery/client-file/endpoint.ts";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { hasAt } from "../../machinery/schema/features.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { AccessOptions } from "../access/access.ts";
import type { AuthenticationOptions } from "../access/authentication.ts";
import { type AuthorizationOptions, parseModes } from "../access/authorization.ts";
import type { Certificates } from "../pki/certificates.ts";
import type { RevocationFile } from "../pki/revocation-file.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { readAuthenticationConfig, readAuthorizationConfig, typesOf } from "./read-access-config.ts";
import { FlagFileError, readFlagFile, readOptionalFlagFile, useFlagFile } from "./read-file.ts";

export interface ReadAccessOptions {
  readonly flags: ApiServerFlags;
  readonly certificates: Certificates;
  readonly revocations: Pick<RevocationFile, "isRevoked">;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
  /** The URL at which clients reach the server, once it listens. */
  readonly url: () => string;
  /** Called after a configuration file has changed who may do what. */
  onChange(): void;
  /** Registers what must be closed with the server. */
  onClose(close: () => void): void;
}

interface FlagAccess extends AccessOptions {
  /** Whether a request without a credential is taken, at every path or at some. */
  readonly anonymous: boolean | ((path: string) => boolean);
}

export async function readAccess(options: ReadAccessOptions): Promise<FlagAccess> {
  const metrics = createCredentialMetrics();
  const configured = await readAuthenticationConfig(options, metrics);
  const [authentication, authorization, tokens] = await Promise.all([
    readAuthentication(options, metrics, configured?.tokens),
    readAuthorization(options, metrics),
    readTokens(options),
  ]);
  const anonymous = configured?.allowsAnonymous ?? options.flags["anonymous-auth"];
  return { authentication, authorization, tokens, anonymous };
}

async function readAuthentication(
  options: ReadAccessOptions,
  metrics: CredentialMetrics,
  configured: TokenAuthenticator | undefined,
): Promise<AuthenticationOptions> {
  const { flags, certificates, revocations, log } = options;
  const tokenFile = flags["token-auth-file"];
  const csv = await readOptionalFlagFile("token-auth-file", tokenFile);
  const issuer = flags["service-account-issuer"];
  const keys = await Promise.all(
    flags["service-account-key-file"].map(async (path) => {
      const pem = await readFlagFile("service-account-key-file", path);
      return useFlagFile("service-account-key-file", path, () => parseVerificationKeys(pem));
    }),
  );
  const { client, frontProxy } = certificates;
  const audiences = flags["api-audiences"].length > 0 ? flags["api-audiences"] : issuer === "" ? [] : [issuer];
  return {
    // The holders are read at every use, so that a reload takes effect.
    clientAuthorities: client && (() => certificates.client ?? client),
    frontProxy: frontProxy && {
      authorities: () => certificates.frontProxy ?? frontProxy,
      allowedNames: flags["requestheader-allowed-names"],
      userHeaders: flags["requestheader-username-headers"],
      groupHeaders: flags["requestheader-group-headers"],
      extraPrefixes: flags["requestheader-extra-headers-prefix"],
    },
    staticTokens:
      csv === undefined
        ? undefined
        : useFlagFile("token-auth-file", tokenFile, () =>
            createStaticToken({ csv, warn: (message) => log.warn("token file", { problem: message }) }),
          ),
    serviceAccounts:
      keys.length === 0
        ? undefined
        : {
            issuers: issuer === "" ? [] : [issuer],
            keys: () => keys.flat(),
            lookupLegacy: flags["service-account-lookup"],
          },
    bootstrapTokens: flags["enable-bootstrap-token-auth"],
    isRevoked: (serial) => revocations.isRevoked(serial),
    otherTokens: [
      configured ?? (await readOidc(options, metrics)),
      await readTokenWebhook(options, audiences, metrics),
    ].filter((one) => one !== undefined),
    audiences,
    metrics,
  };
}

async function readOidc({ flags, clock, log }: ReadAccessOptions, metrics: CredentialMetrics) {
  const issuer = flags["oidc-issuer-url"];
  if ((issuer === "") !== (flags["oidc-client-id"] === "")) {
    throw new FlagFileError("--oidc-issuer-url and --oidc-client-id must be given together");
  }
  if (issuer === "") return undefined;
  const caFile = flags["oidc-ca-file"];
  const ca = await readOptionalFlagFile("oidc-ca-file", caFile);
  if (ca !== undefined) useFlagFile("oidc-ca-file", caFile, () => parseAuthorities(ca));
  const algorithms = flags["oidc-signing-algs"];
  return createOidc({
    provider: useFlagFile("oidc-issuer-url", issuer, () =>
      createOidcProvider({ issuer, algorithms, clock, ...(ca === undefined ? {} : { ca }) }),
    ),
    clientId: flags["oidc-client-id"],
    usernameClaim: flags["oidc-username-claim"],
    usernamePrefix: flags["oidc-username-prefix"],
    groupsClaim: flags["oidc-groups-claim"],
    groupsPrefix: flags["oidc-groups-prefix"],
    requiredClaims: flags["oidc-required-claim"],
    clock,
    log,
    metrics,
  });
}

async function readTokenWebhook(
  { flags, vocabulary, clock, log }: ReadAccessOptions,
  audiences: readonly string[],
  metrics: CredentialMetrics,
) {
  const name = "authentication-token-webhook-config-file";
  const callout = await readCallout(name, flags[name]);
  return (
    callout &&
    createWebhookToken({
      callout,
      version: flags["authentication-token-webhook-version"],
      cacheTtlMs: flags["authentication-token-webhook-cache-ttl"],
      audiences,
      vocabulary,
      clock,
      log,
      metrics,
    })
  );
}

async function readAuthorization(
  options: ReadAccessOptions,
  metrics: CredentialMetrics,
): Promise<AuthorizationOptions> {
  const { flags, vocabulary, clock, log } = options;
  const has = hasAt(flags["emulated-version"]);
  const configured = await readAuthorizationConfig(options, metrics);
  const modes = parseModes(configured ? typesOf(configured) : flags["authorization-mode"], flags["bind-address"]);
  const policyFile = flags["authorization-policy-file"];
  if (modes.includes("ABAC") && policyFile === "") {
    throw new FlagFileError("--authorization-mode=ABAC needs --authorization-policy-file");
  }
  const policyText = (await readOptionalFlagFile("authorization-policy-file", policyFile)) ?? "";
  const webhookName = "authorization-webhook-config-file";
  const callout = await readCallout(webhookName, flags[webhookName]);
  if (modes.includes("Webhook") && callout === undefined && configured === undefined) {
    throw new FlagFileError(`--authorization-mode=Webhook needs --${webhookName}`);
  }
  // The specification wants names folded; no release does it, so it is not done where the server is to be like one.
  const isExact = flags.vocabulary === "kubernetes" || has("exactSubjects");
  return {
    modes,
    configured,
    subjectNames: flags["rbac-subject-names"] || (isExact ? "exact" : "folded"),
    narrowEdit: flags["rbac-narrow-edit"],
    policies: useFlagFile("authorization-policy-file", policyFile, () => parsePolicies(policyText, vocabulary)),
    webhook:
      callout &&
      createWebhookAuthorizer({
        callout,
        version: flags["authorization-webhook-version"],
        allowedTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
        deniedTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
        sendsSelectors: has("selectorsInReviews"),
        vocabulary,
        clock,
        log,
      }),
  };
}

/** The service that a client configuration names. Paths in it are relative to its folder. Undefined: no file given. */
async function readCallout(flag: string, path: string): Promise<Callout | undefined> {
  const text = await readOptionalFlagFile(flag, path);
  if (text === undefined) return undefined;
  return useFlagFile(flag, path, () => {
    const readBeside = readFileBeside(path);
    return createCallout(parseEndpoint(decodeYaml(Buffer.from(text)), readBeside));
  });
}

async function readTokens({ flags, url }: ReadAccessOptions): Promise<AccessOptions["tokens"]> {
  const path = flags["service-account-signing-key-file"];
  const issuer = flags["service-account-issuer"];
  const pem = await readOptionalFlagFile("service-account-signing-key-file", path);
  if (pem === undefined) return undefined;
  if (issuer === "") throw new FlagFileError("--service-account-signing-key-file needs --service-account-issuer");
  const signingKey = useFlagFile("service-account-signing-key-file", path, () => parseSigningKey(pem));
  return {
    issuer,
    signingKey: () => signingKey,
    lifetimeSecondsMax: Math.floor(flags["service-account-max-token-expiration"] / 1_000),
    keySetUri: flags["service-account-jwks-uri"],
    url,
  };
}

/** Reads files that a file names, relative to its own folder. */
export function readFileBeside(path: string): (name: string) => string {
  return (name) => readFileSync(resolve(dirname(path), name), "utf8");
}
