/** The API server as its flags describe it: reads files, opens the store and the server, listens. */

import { type CertificateAuthorities, parseAuthorities } from "../authn/certificate-chain.ts";
import { parseSigningKey, parseVerificationKeys } from "../authn/signing-keys.ts";
import { createStaticToken } from "../authn/static-token.ts";
import { parsePolicies } from "../authz/abac-policy.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Listener } from "../http/contract.ts";
import { openListener } from "../http/listen.ts";
import { type AccessOptions, createAccess } from "./access.ts";
import { localUrl } from "./addresses.ts";
import type { AuthenticationOptions } from "./authentication.ts";
import { parseModes } from "./authorization.ts";
import { openDataFolder } from "./data-folder.ts";
import type { apiserverFlags } from "./flags/apiserver-flags.ts";
import type { FlagValues } from "./flags/flag.ts";
import { FlagFileError, readFlagFile, readOptionalFlagFile, useFlagFile } from "./read-file.ts";
import { createIsServed } from "./runtime-config.ts";
import { openServer, type Server } from "./server.ts";
import { readServingCertificate } from "./serving-certificate.ts";
import { openStore, type StoreChoice } from "./store.ts";
import { cipherList, minVersion } from "./tls-names.ts";
import { vocabularyOf } from "./vocabulary-of.ts";

export type ApiServerFlags = FlagValues<typeof apiserverFlags>;

export interface ApiServerOptions {
  readonly flags: ApiServerFlags;
  readonly clock: Clock;
  readonly log: Log;
  /** Authorities of client certificates beside --client-ca-file (PEM). */
  readonly ownAuthority?: string;
}

export interface ApiServer {
  readonly url: string;
  readonly server: Server;
  /** Reads certificates and authorities again; connections made from now on use them. */
  reload(): Promise<void>;
  /** Answers on for --shutdown-delay-duration with /readyz red, then ends watches, finishes requests and closes. */
  stop(): Promise<void>;
}

/** How long requests under way may take to finish when the server stops. */
const stopGraceMs = 2_000;

export async function openApiServer({ flags, clock, log, ownAuthority = "" }: ApiServerOptions): Promise<ApiServer> {
  const vocabulary = vocabularyOf(flags.vocabulary);
  const modes = parseModes(flags["authorization-mode"], flags["bind-address"]);
  const allowsAll = modes.includes("AlwaysAllow");
  if (allowsAll && flags["anonymous-auth"])
    log.info("anonymous requests are refused, because everybody may do anything");

  const certificates = await readCertificates(flags, ownAuthority, clock);
  const authentication = await readAuthentication(flags, certificates, log);
  const subjectNames = flags["rbac-subject-names"] || (flags.vocabulary === "kubernetes" ? "exact" : "folded");
  const tokens = await readTokens(flags);
  const policyFile = flags["authorization-policy-file"];
  if (modes.includes("ABAC") && policyFile === "") {
    throw new FlagFileError("--authorization-mode=ABAC needs --authorization-policy-file");
  }
  const policyText = (await readOptionalFlagFile("authorization-policy-file", policyFile)) ?? "";
  const policies = useFlagFile("authorization-policy-file", policyFile, () => parsePolicies(policyText, vocabulary));
  const kv = await openStore(await chooseStore(flags), { clock, log });
  const server = await openServer({
    vocabulary,
    kv,
    clock,
    log,
    gates: flags["feature-gates"],
    isServed: createIsServed(flags["runtime-config"]),
    allowPrivileged: flags["allow-privileged"],
    admission: {
      enable: flags["enable-admission-plugins"],
      disable: flags["disable-admission-plugins"],
      notReadyTolerationSeconds: flags["default-not-ready-toleration-seconds"],
      unreachableTolerationSeconds: flags["default-unreachable-toleration-seconds"],
    },
    access: (parts) =>
      createAccess({ authentication, authorization: { modes, subjectNames, policies }, tokens }, parts),
    anonymous: flags["anonymous-auth"] && !allowsAll,
    limits: limitsOf(flags),
    livezGraceMs: flags["livez-grace-period"],
    storeTimeoutMs: flags["kvstore-healthcheck-timeout"],
    historyMs: flags["kvstore-compaction-interval"],
  });
  try {
    const listener = await listen(server, flags, certificates, log);
    const url = localUrl(flags["bind-address"], listener.port);
    log.info("serving", { url, store: flags.store, vocabulary: flags.vocabulary });
    return {
      url,
      server,
      reload: async () => {
        await certificates.reload();
        listener.replaceCertificates(certificates.serving);
        log.info("certificates reloaded");
      },
      stop: () => stop(server, listener, { delayMs: flags["shutdown-delay-duration"], clock, log }),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function listen(server: Server, flags: ApiServerFlags, certificates: Certificates, log: Log): Promise<Listener> {
  const ciphers = cipherList(flags["tls-cipher-suites"]);
  return await openListener({
    handler: server.handler,
    host: flags["bind-address"],
    port: flags["secure-port"],
    serving: certificates.serving,
    clientAuthorities: certificates.bundles,
    minVersion: minVersion(flags["tls-min-version"]),
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(flags["http2-max-streams-per-connection"] > 0
      ? { streamsPerConnectionMax: flags["http2-max-streams-per-connection"] }
      : {}),
    log,
  });
}

async function stop(
  server: Server,
  listener: Listener,
  { delayMs, clock, log }: { delayMs: number; clock: Clock; log: Log },
): Promise<void> {
  log.info("stopping", { delayMs });
  server.lifecycle.drain();
  if (delayMs > 0) await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
  server.lifecycle.end();
  await listener.close(stopGraceMs);
  await server.close();
  log.info("stopped");
}

/** The certificates of one server, as they were read last. */
interface Certificates {
  readonly serving: Awaited<ReturnType<typeof readServingCertificate>>;
  /** Undefined: no authority of client certificates was given. */
  readonly client: CertificateAuthorities | undefined;
  readonly frontProxy: CertificateAuthorities | undefined;
  /** PEM of both, whose names clients are shown. */
  readonly bundles: readonly string[];
  reload(): Promise<void>;
}

async function readCertificates(flags: ApiServerFlags, ownAuthority: string, clock: Clock): Promise<Certificates> {
  const read = async () => {
    const clientFile = flags["client-ca-file"];
    const proxyFile = flags["requestheader-client-ca-file"];
    const [serving, clientPem, proxyPem] = await Promise.all([
      readServingCertificate(flags, clock),
      readOptionalFlagFile("client-ca-file", clientFile),
      readOptionalFlagFile("requestheader-client-ca-file", proxyFile),
    ]);
    const clientBundle = [clientPem, ownAuthority].filter(Boolean).join("\n");
    return {
      serving,
      client: clientBundle
        ? useFlagFile("client-ca-file", clientFile, () => parseAuthorities(clientBundle))
        : undefined,
      frontProxy: proxyPem
        ? useFlagFile("requestheader-client-ca-file", proxyFile, () => parseAuthorities(proxyPem))
        : undefined,
      bundles: [clientBundle, proxyPem ?? ""].filter((pem) => pem !== ""),
    };
  };
  let current = await read();
  return {
    get serving() {
      return current.serving;
    },
    get client() {
      return current.client;
    },
    get frontProxy() {
      return current.frontProxy;
    },
    get bundles() {
      return current.bundles;
    },
    async reload() {
      current = await read();
    },
  };
}

async function readAuthentication(
  flags: ApiServerFlags,
  certificates: Certificates,
  log: Log,
): Promise<AuthenticationOptions> {
  const tokenFile = flags["token-auth-file"];
  const csv = await readOptionalFlagFile("token-auth-file", tokenFile);
  const issuer = flags["service-account-issuer"];
  const keyFiles = flags["service-account-key-file"];
  const keys = await Promise.all(
    keyFiles.map(async (path) => {
      const pem = await readFlagFile("service-account-key-file", path);
      return useFlagFile("service-account-key-file", path, () => parseVerificationKeys(pem));
    }),
  );
  const { client, frontProxy } = certificates;
  return {
    // The boxes are read at every use, so that a reload takes effect.
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
    audiences: flags["api-audiences"].length > 0 ? flags["api-audiences"] : issuer === "" ? [] : [issuer],
  };
}

async function readTokens(flags: ApiServerFlags): Promise<AccessOptions["tokens"]> {
  const path = flags["service-account-signing-key-file"];
  const issuer = flags["service-account-issuer"];
  const pem = await readOptionalFlagFile("service-account-signing-key-file", path);
  if (pem === undefined || issuer === "") return undefined;
  return {
    issuer,
    signingKey: useFlagFile("service-account-signing-key-file", path, () => parseSigningKey(pem)),
    lifetimeSecondsMax: Math.floor(flags["service-account-max-token-expiration"] / 1_000),
    keySetUri: flags["service-account-jwks-uri"],
    externalAddress: new URL(localUrl(flags["bind-address"], flags["secure-port"])).host,
  };
}

async function chooseStore(flags: ApiServerFlags): Promise<StoreChoice> {
  const historyMs = flags["kvstore-compaction-interval"];
  const endpoints = flags["kvstore-servers"];
  if (flags.store === "etcd" || endpoints.length > 0) {
    return {
      store: "etcd",
      endpoints: endpoints.length > 0 ? endpoints : ["http://127.0.0.1:2379"],
      prefix: flags["kvstore-prefix"],
      historyMs,
      authority: await readOptionalFlagFile("kvstore-cafile", flags["kvstore-cafile"]),
      certificate: await readOptionalFlagFile("kvstore-certfile", flags["kvstore-certfile"]),
      key: await readOptionalFlagFile("kvstore-keyfile", flags["kvstore-keyfile"]),
    };
  }
  if (flags.store === "memory") return { store: "memory" };
  const { store } = await openDataFolder(flags["data-dir"], flags.vocabulary);
  return { store: "embedded", folder: store, historyMs };
}

function limitsOf(flags: ApiServerFlags) {
  const orUnlimited = (value: number) => (value > 0 ? value : Number.POSITIVE_INFINITY);
  return {
    readingMax: orUnlimited(flags["max-requests-inflight"]),
    mutatingMax: orUnlimited(flags["max-mutating-requests-inflight"]),
    requestTimeoutMs: flags["request-timeout"],
    watchTimeoutMinMs: flags["min-request-timeout"] * 1_000,
  };
}
