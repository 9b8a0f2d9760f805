/** The file of --authentication-config: issuers of tokens, and which requests may be anonymous. */

import { X509Certificate } from "node:crypto";
import { type ConfigurationKind, readConfiguration } from "../../admission/configuration/configuration-kind.ts";
import { decodeFile, type OperatorFile } from "../../admission/configuration/operator-file.ts";
import type { TokenAuthenticator } from "../../authn/contract.ts";
import { createJwtIssuer } from "../../authn/jwt-issuer.ts";
import type { CredentialMetrics } from "../../authn/metrics.ts";
import { createOidcProvider, signingAlgorithms } from "../../authn/oidc-provider.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Release } from "../../base/release.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import { bool, elided, list, optional, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createClaimMapper } from "./claim-mapper.ts";

const ClaimOrExpression = struct("config.ClaimOrExpression", { claim: elided(string()), expression: elided(string()) });
const PrefixedClaimOrExpression = struct("config.PrefixedClaimOrExpression", {
  claim: elided(string()),
  prefix: optional(string()),
  expression: elided(string()),
});

const jwtFields = struct("config.JWTAuthenticator", {
  issuer: struct("config.Issuer", {
    url: string(),
    discoveryURL: elided(string()),
    certificateAuthority: elided(string()),
    audiences: elided(list(string())),
    audienceMatchPolicy: elided(string()),
    egressSelectorType: elided(string()),
  }),
  claimValidationRules: elided(
    list(
      struct("config.ClaimValidationRule", {
        claim: elided(string()),
        requiredValue: elided(string()),
        expression: elided(string()),
        message: elided(string()),
      }),
    ),
  ),
  claimMappings: struct("config.ClaimMappings", {
    username: PrefixedClaimOrExpression,
    groups: optional(PrefixedClaimOrExpression),
    uid: optional(ClaimOrExpression),
    extra: elided(list(struct("config.ExtraMapping", { key: string(), valueExpression: string() }))),
  }),
  userValidationRules: elided(
    list(struct("config.UserValidationRule", { expression: string(), message: elided(string()) })),
  ),
});
export type JwtConfiguration = Static<typeof jwtFields>;

const fields = struct("config.AuthenticationConfiguration", {
  jwt: elided(list(jwtFields)),
  anonymous: optional(
    struct("config.AnonymousAuthConfig", {
      enabled: bool(),
      conditions: elided(list(struct("config.AnonymousAuthCondition", { path: string() }))),
    }),
  ),
});

const AuthenticationConfiguration: ConfigurationKind<Static<typeof fields>> = {
  versions: ["v1", "v1beta1", "v1alpha1"].map((version) => ({
    apiVersion: `apiserver.config.orch.io/${version}`,
    kind: "AuthenticationConfiguration",
  })),
  schema: fields,
};

/** Issuers in one file. */
export const issuersMax = 64;
/** Rules for claims, rules for users and mappings of extra values of one issuer, each. */
export const issuerRulesMax = 64;

interface AuthenticationConfigOptions {
  readonly vocabulary: Vocabulary;
  readonly release: Release;
  /** The issuer of this server's own tokens, which no other may claim to be. "": there is none. */
  readonly ownIssuer: string;
  readonly metrics: CredentialMetrics;
  readonly clock: Clock;
  readonly log: Log;
}

interface AuthenticationConfig {
  readonly issuers: readonly TokenAuthenticator[];
  /** Whether a request without a credential is taken at a path. Undefined: --anonymous-auth says so. */
  readonly allowsAnonymous: ((path: string) => boolean) | undefined;
}

/** Throws an Error that names the file, the entry and what is allowed. */
export async function parseAuthenticationConfig(
  file: OperatorFile,
  options: AuthenticationConfigOptions,
): Promise<AuthenticationConfig> {
  const value = decodeFile(file);
  const read = readConfiguration(AuthenticationConfiguration, { where: file.path, value, file }, options.vocabulary);
  const { jwt = [], anonymous } = read;
  if (jwt.length > issuersMax) throw new Error(`${file.path}: jwt: must have at most ${issuersMax} items`);
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  const issuers: TokenAuthenticator[] = [];
  const slice = new TimeSlice();
  for (const [index, entry] of jwt.entries()) {
    const where = `${file.path}: jwt[${index}]`;
    const { url, discoveryURL = "" } = entry.issuer;
    requireNew(urls, url, `${where}.issuer.url`);
    if (discoveryURL !== "") requireNew(discoveryUrls, discoveryURL, `${where}.issuer.discoveryURL`);
    if (url === options.ownIssuer) throw new Error(`${where}.issuer.url: "${url}" is the issuer of this server`);
    issuers.push(await openIssuer(entry, where, options));
    // The file may be read again while the server serves, and compiling its expressions takes time.
    if (slice.isLong) await slice.next();
  }
  return { issuers, allowsAnonymous: anonymous && anonymousRule(anonymous, `${file.path}: anonymous`) };
}

async function openIssuer(
  entry: JwtConfiguration,
  where: string,
  options: AuthenticationConfigOptions,
): Promise<TokenAuthenticator> {
  const { issuer } = entry;
  const { release, clock, log, metrics, vocabulary } = options;
  const { audiences = [], audienceMatchPolicy = "", discoveryURL = "", certificateAuthority: ca = "" } = issuer;
  requireIssuerUrl(issuer.url, `${where}.issuer.url`);
  if (discoveryURL !== "") requireIssuerUrl(discoveryURL, `${where}.issuer.discoveryURL`);
  if (audiences.length === 0 || audiences.includes(""))
    throw new Error(`${where}.issuer.audiences: must name at least one audience`);
  if (audiences.length > 1 ? audienceMatchPolicy !== "MatchAny" : !["", "MatchAny"].includes(audienceMatchPolicy))
    throw new Error(`${where}.issuer.audienceMatchPolicy: must be MatchAny`);
  if (discoveryURL !== "" && withoutSlash(discoveryURL) === withoutSlash(issuer.url))
    throw new Error(`${where}.issuer.discoveryURL: must differ from url`);
  // This server has no egress proxies: both names mean a direct connection.
  if (!["", "controlplane", "cluster"].includes(issuer.egressSelectorType ?? ""))
    throw new Error(`${where}.issuer.egressSelectorType: must be controlplane or cluster`);
  if (ca !== "" && !isCertificate(ca))
    throw new Error(`${where}.issuer.certificateAuthority: must be certificates in PEM form`);
  requireFew(entry.claimValidationRules, `${where}.claimValidationRules`);
  requireFew(entry.userValidationRules, `${where}.userValidationRules`);
  requireFew(entry.claimMappings.extra, `${where}.claimMappings.extra`);
  const identify = await createClaimMapper(entry, where, { release, log, vocabulary });
  try {
    const provider = createOidcProvider({
      issuer: issuer.url,
      algorithms: [...signingAlgorithms],
      clock,
      ...(discoveryURL === "" ? {} : { discoveryUrl: discoveryURL }),
      ...(ca === "" ? {} : { ca }),
    });
    return createJwtIssuer({ provider, audiences, identify, clock, log, metrics });
  } catch (cause) {
    throw new Error(`${where}.issuer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function requireNew(known: Set<string>, url: string, where: string): void {
  if (known.has(url)) throw new Error(`${where}: "${url}" is used twice`);
  known.add(url);
}

function requireFew(list: readonly unknown[] | undefined, where: string): void {
  if (list !== undefined && list.length > issuerRulesMax)
    throw new Error(`${where}: must have at most ${issuerRulesMax} items`);
}

function requireIssuerUrl(text: string, where: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new Error(`${where}: must be an https URL, not "${text}"`);
  if (url.username !== "" || url.password !== "") throw new Error(`${where}: must not have a user name or password`);
  if (/[?#]/.test(text)) throw new Error(`${where}: must not have a query or fragment`);
}

const withoutSlash = (url: string) => url.replace(/\/$/, "");

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function anonymousRule(
  { enabled, conditions = [] }: NonNullable<Static<typeof fields>["anonymous"]>,
  where: string,
): (path: string) => boolean {
  if (!enabled) {
    if (conditions.length > 0) throw new Error(`${where}.conditions: needs enabled: true`);
    return () => false;
  }
  const paths = new Set(conditions.map(({ path }) => path));
  for (const path of paths)
    if (!path.startsWith("/")) throw new Error(`${where}.conditions: "${path}" is not a path, such as /livez`);
  return paths.size === 0 ? () => true : (path) => paths.has(path);
}
