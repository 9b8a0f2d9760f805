/** Opens the files of --authentication-config and --authorization-config, which replace the older flags about the same. */

import type { TokenAuthenticator } from "../../authn/contract.ts";
import type { CredentialMetrics } from "../../authn/metrics.ts";
import { createTokenUnion } from "../../authn/union.ts";
import { hasAt } from "../../machinery/schema/features.ts";
import type { AuthorizationMode, ConfiguredAuthorizer, ConfiguredAuthorizers } from "../access/authorization.ts";
import { parseAuthenticationConfig } from "../access-config/authentication-config.ts";
import { parseAuthorizationConfig } from "../access-config/authorization-config.ts";
import { apiserverFlags } from "./apiserver-flags.ts";
import type { ReadAccessOptions } from "./read-access.ts";
import { FlagFileError } from "./read-file.ts";
import { openWatchedFile } from "./watched-file.ts";

type Options = Omit<ReadAccessOptions, "certificates" | "revocations" | "url">;
type FlagName = Exclude<keyof typeof apiserverFlags, "port">;

const authenticationFlags = [
  ...(["oidc-issuer-url", "oidc-client-id", "oidc-ca-file", "oidc-groups-claim", "oidc-groups-prefix"] as const),
  ...(["oidc-required-claim", "oidc-signing-algs", "oidc-username-claim", "oidc-username-prefix"] as const),
];
const authorizationFlags = [
  ...(["authorization-mode", "authorization-webhook-config-file", "authorization-webhook-version"] as const),
  ...(["authorization-webhook-cache-authorized-ttl", "authorization-webhook-cache-unauthorized-ttl"] as const),
];

interface ConfiguredAuthentication {
  readonly tokens: TokenAuthenticator;
  /** Undefined: the file does not say. */
  readonly allowsAnonymous: ((path: string) => boolean) | undefined;
}

/** Undefined: the flag is not given. */
export async function readAuthenticationConfig(
  options: Options,
  metrics: CredentialMetrics,
): Promise<ConfiguredAuthentication | undefined> {
  const { flags, vocabulary, clock, log } = options;
  const flag = "authentication-config";
  if (flags[flag] === "") return undefined;
  requireAlone(options, flag, authenticationFlags);
  const release = flags["emulated-version"];
  const ownIssuer = flags["service-account-issuer"];
  const file = await openWatchedFile({
    flag,
    path: flags[flag],
    async parse(given, before: Awaited<ReturnType<typeof parseAuthenticationConfig>> | undefined) {
      const config = await parseAuthenticationConfig(given, { vocabulary, release, ownIssuer, metrics, clock, log });
      if (before !== undefined && (before.allowsAnonymous === undefined) !== (config.allowsAnonymous === undefined))
        throw new Error("anonymous can only be added or removed with a restart");
      return config;
    },
    clock,
    log,
    onReload: (status) => metrics.reload("authentication", status),
  });
  options.onClose(() => file.close());
  if (file.current().allowsAnonymous !== undefined && !flags["anonymous-auth"])
    throw new FlagFileError(`--anonymous-auth and anonymous in --${flag} cannot be given together`);
  let tokens = createTokenUnion(file.current().issuers);
  file.onChange(() => {
    tokens = createTokenUnion(file.current().issuers);
    options.onChange();
  });
  return {
    tokens: { name: "jwt", authenticateToken: (...given) => tokens.authenticateToken(...given) },
    allowsAnonymous: file.current().allowsAnonymous && ((path) => file.current().allowsAnonymous?.(path) ?? false),
  };
}

/** Undefined: the flag is not given. */
export async function readAuthorizationConfig(
  options: Options,
  metrics: CredentialMetrics,
): Promise<ConfiguredAuthorizers | undefined> {
  const { flags, vocabulary, clock, log } = options;
  const flag = "authorization-config";
  if (flags[flag] === "") return undefined;
  requireAlone(options, flag, authorizationFlags);
  const release = flags["emulated-version"];
  const file = await openWatchedFile({
    flag,
    path: flags[flag],
    async parse(given, before: readonly ConfiguredAuthorizer[] | undefined) {
      const config = await parseAuthorizationConfig(given, { vocabulary, release, clock, log });
      if (before !== undefined && builtIn(before) !== builtIn(config))
        throw new Error("authorizers other than Webhook can only be added or removed with a restart");
      return config;
    },
    clock,
    log,
    onReload: (status) => metrics.reload("authorization", status),
  });
  options.onClose(() => file.close());
  file.onChange(options.onChange);
  return file;
}

/** The types of the configured authorizers, each once. */
export function typesOf(configured: ConfiguredAuthorizers): readonly AuthorizationMode[] {
  return [...new Set(configured.current().map(({ type }) => type))];
}

/** Those that follow objects of the server from its start. */
const builtIn = (config: readonly ConfiguredAuthorizer[]): string =>
  config
    .map(({ type }) => type)
    .filter((type) => type !== "Webhook")
    .sort()
    .join(",");

function requireAlone({ flags }: Options, flag: string, others: readonly FlagName[]): void {
  const has = hasAt(flags["emulated-version"]);
  if (!has("accessFiles")) throw new FlagFileError(`--${flag} needs a level that has it: --emulated-version=1.35`);
  const given = others.find((name) => !isDefault(flags[name], apiserverFlags[name].default));
  if (given !== undefined) throw new FlagFileError(`--${flag} and --${given} cannot be given together`);
}

/** Flags are texts, numbers, lists and maps. */
function isDefault(value: unknown, byDefault: unknown): boolean {
  const plain = (one: unknown) => JSON.stringify(one instanceof Map ? [...one] : one);
  return plain(value) === plain(byDefault);
}
