/** The API server as its flags describe it: reads files, opens the store and the server, listens. */

import { catalog as kinds } from "../api/catalog.ts";
import { publishedConfiguration } from "../authn/published-configuration.ts";
import type { Clock } from "../base/clock.ts";
import { FlagError, type FlagValues } from "../base/flags/flag.ts";
import type { Log } from "../base/log.ts";
import { Counter, type Metric } from "../base/metrics.ts";
import type { Listener, ListenerOptions } from "../http/contract/listener.ts";
import { openListener } from "../http/transport/listen.ts";
import { watchEventLoop } from "../metrics/event-loop.ts";
import { tlsHandshakeErrors } from "../metrics/requests.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import { createAccess } from "./access.ts";
import { openAudit } from "./audit.ts";
import { openDataFolder } from "./data-folder.ts";
import { openFlagEncryption } from "./encryption.ts";
import { advertisedAddress, externalUrl, listenProblem, localUrl } from "./flags/addresses.ts";
import type { apiserverFlags } from "./flags/apiserver-flags.ts";
import { checkGates } from "./flags/gates.ts";
import { insecureChoices } from "./flags/insecure-choices.ts";
import { readAccess } from "./flags/read-access.ts";
import { checkImageReviews, imageReviews, readAdmissionConfiguration } from "./flags/read-admission-configuration.ts";
import { readOptionalFlagFile } from "./flags/read-file.ts";
import { readIdentity, readProxyFlags } from "./flags/read-proxy.ts";
import { readIdentityLease, readServiceFlags } from "./flags/read-services.ts";
import { checkRuntimeConfig, createIsServed } from "./flags/runtime-config.ts";
import { webhookAddresses } from "./flags/webhook-addresses.ts";
import { initialObjects } from "./initial-objects.ts";
import { readMetricChoice } from "./metric-choice.ts";
import { type Certificates, readCertificates } from "./pki/certificates.ts";
import { openRevocationFile } from "./pki/revocation-file.ts";
import { cipherList, minVersion } from "./pki/tls-names.ts";
import { openServer, type Server } from "./server.ts";
import { openStore, type StoreChoice } from "./store.ts";

export type ApiServerFlags = FlagValues<typeof apiserverFlags>;

export interface ApiServerOptions {
  readonly flags: ApiServerFlags;
  readonly clock: Clock;
  readonly log: Log;
  /** Authorities of client certificates in addition to --client-ca-file (PEM). */
  readonly ownAuthority?: string;
  /** Metrics that /metrics shows in addition to the server's own. */
  readonly metrics?: readonly Metric[];
}

export interface ApiServer {
  readonly url: string;
  readonly server: Server;
  /** Reads certificates and authorities again; connections made from now on use them. */
  reload(): Promise<void>;
  /** Keeps answering for --shutdown-delay-duration while /readyz fails, then ends watches, finishes requests and closes. */
  stop(): Promise<void>;
}

/** When upkeep begins after the port was opened: clients that wait for the server are answered first. */
const tendDelayMs = 100;
/** How long the rest of a stop may take at each step: leaving the endpoints, and closing connections without requests. */
const stopGraceMs = 2_000;

export async function openApiServer({
  flags,
  clock,
  log,
  ownAuthority = "",
  metrics = [],
}: ApiServerOptions): Promise<ApiServer> {
  const vocabulary = vocabularyOf(flags.vocabulary);
  const metricChoice = readMetricChoice(flags);
  const certificates = await readCertificates(flags, ownAuthority, clock);
  let endWatches = () => {};
  const revocations = await openRevocationFile({
    path: flags["client-certificate-revocations-file"],
    clock,
    log,
    onChange: () => endWatches(),
  });
  let port = flags["secure-port"];
  const names = {
    hostname: flags["external-hostname"],
    advertised: flags["advertise-address"],
    bound: flags["bind-address"],
  };
  const access = await readAccess({
    flags,
    certificates,
    revocations,
    vocabulary,
    clock,
    log,
    url: () => externalUrl(names, port),
  });
  for (const choice of insecureChoices(flags)) log.warn(`not secure: ${choice}`);
  const allowsAll = access.authorization.modes.includes("AlwaysAllow");
  if (allowsAll && flags["anonymous-auth"])
    log.info("anonymous requests are refused, because the authorization mode is AlwaysAllow");
  checkGates(flags["feature-gates"], log);
  const named = [...kinds, imageReviews].map((kind) => ({ ...kind, group: vocabulary.group(kind.group) }));
  const { problem, warnings } = checkRuntimeConfig(flags["runtime-config"], named, vocabulary);
  if (problem !== undefined) throw new FlagError(`--runtime-config: ${problem}`);
  for (const warning of warnings) log.warn(warning);
  const isServed = createIsServed(flags["runtime-config"]);
  checkImageReviews(flags["enable-admission-plugins"], isServed, vocabulary);
  const proxy = {
    allowedNames: flags["requestheader-allowed-names"],
    userHeaders: flags["requestheader-username-headers"],
    groupHeaders: flags["requestheader-group-headers"],
    extraPrefixes: flags["requestheader-extra-headers-prefix"],
  };
  const services = readServiceFlags(flags);
  const proxyIdentity = await readIdentity(flags, "proxy-client-cert-file", "proxy-client-key-file");
  const proxySettings = await readProxyFlags(flags, () => port);
  const audit = await openAudit({ flags, vocabulary, clock, log });
  const encryption = await openFlagEncryption({ path: flags["encryption-provider-config"], vocabulary, clock, log });
  const choice = await chooseStore(flags);
  const sharedStore = choice.store === "etcd";
  const kv = await openStore(choice, { clock, log });
  const handshakeErrors = new Counter(tlsHandshakeErrors);
  const eventLoop = watchEventLoop();
  const server = await openServer({
    vocabulary,
    kv,
    backupOf: kv,
    clock,
    log,
    initialObjects,
    gates: flags["feature-gates"],
    isServed,
    allowPrivileged: flags["allow-privileged"],
    admission: {
      enable: flags["enable-admission-plugins"],
      disable: flags["disable-admission-plugins"],
      configuration: await readAdmissionConfiguration(flags, vocabulary),
      notReadyTolerationSeconds: flags["default-not-ready-toleration-seconds"],
      unreachableTolerationSeconds: flags["default-unreachable-toleration-seconds"],
    },
    webhookAddresses: webhookAddresses({
      local: flags["webhook-local-targets"],
      bindAddress: flags["bind-address"],
      ownPort: () => port,
    }),
    access: (parts) => createAccess(access, parts),
    anonymous: flags["anonymous-auth"] && !allowsAll,
    limits: limitsOf(flags),
    fairness: flags["enable-priority-and-fairness"],
    audit,
    proxyIdentity,
    proxy: proxySettings,
    livezGraceMs: flags["livez-grace-period"],
    storeTimeoutMs: flags["kvstore-healthcheck-timeout"],
    historyMs: historyOf(flags),
    eventTtlMs: flags["event-ttl"],
    profiling: flags.profiling,
    services,
    metrics: [...metrics, handshakeErrors, ...eventLoop.all],
    metricChoice,
    storeSizePollMs: flags["kvstore-db-metric-poll-interval"],
    encryption,
    sharedStore,
    identityLease: readIdentityLease(flags),
    published: publishedConfiguration({
      clientCa: certificates.clientPem,
      frontProxy: certificates.frontProxyPem === undefined ? undefined : { ca: certificates.frontProxyPem, ...proxy },
    }),
  });
  endWatches = () => server.lifecycle.endWatches();
  try {
    const listener = await listen(server, flags, certificates, { log, onHandshakeError: () => handshakeErrors.add() });
    port = listener.port;
    clock.after(tendDelayMs, () => server.startUpkeep());
    const url = localUrl(flags["bind-address"], listener.port);
    const address = advertisedAddress(flags["advertise-address"], flags["bind-address"]);
    if (address !== undefined) await server.ownService.announce({ address, port: listener.port });
    log.info("serving", { url, store: choice.store, vocabulary: flags.vocabulary });
    return {
      url,
      server,
      reload: async () => {
        await certificates.reload();
        await revocations.reload();
        await encryption.reload();
        listener.replaceCertificates(certificates.serving);
        // A user whose certificate comes from a removed authority must not keep a watch open.
        endWatches();
        log.info("certificates reloaded");
      },
      stop: async () => {
        revocations.close();
        await stop(server, listener, {
          delayMs: flags["shutdown-delay-duration"],
          requestTimeoutMs: flags["request-timeout"],
          withdraws: sharedStore,
          clock,
          log,
        });
        eventLoop.close();
        encryption.close();
        await audit?.close();
      },
    };
  } catch (error) {
    eventLoop.close();
    encryption.close();
    await server.close();
    await audit?.close();
    throw error;
  }
}

async function listen(
  server: Server,
  flags: ApiServerFlags,
  certificates: Certificates,
  reports: Pick<ListenerOptions, "log" | "onHandshakeError">,
): Promise<Listener> {
  const ciphers = cipherList(flags["tls-cipher-suites"]);
  return await openListener({
    handler: server.handler,
    mayUpgrade: server.mayUpgrade,
    host: flags["bind-address"],
    port: flags["secure-port"],
    serving: certificates.serving,
    clientAuthorities: [certificates.clientPem, certificates.frontProxyPem].filter((pem) => pem !== undefined),
    minVersion: minVersion(flags["tls-min-version"]),
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(flags["http2-max-streams-per-connection"] > 0
      ? { streamsPerConnectionMax: flags["http2-max-streams-per-connection"] }
      : {}),
    ...reports,
  }).catch((cause: unknown) => {
    throw listenProblem(cause, flags["bind-address"], flags["secure-port"]);
  });
}

interface StopOptions {
  readonly delayMs: number;
  readonly requestTimeoutMs: number;
  readonly withdraws: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

async function stop(server: Server, listener: Listener, options: StopOptions): Promise<void> {
  const { delayMs, requestTimeoutMs, withdraws, clock, log } = options;
  log.info("stopping", { delayMs });
  const passed = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  server.lifecycle.drain();
  // Other servers keep serving, and clients in the cluster must no longer be directed to this one.
  if (withdraws) {
    await Promise.race([server.ownService.withdraw().catch(() => undefined), passed(stopGraceMs)]);
  }
  if (delayMs > 0) await passed(delayMs);
  server.lifecycle.end();
  // A request in progress ends within its timeout.
  await listener.close(stopGraceMs, Promise.race([server.lifecycle.quiet(), passed(requestTimeoutMs)]));
  await server.close();
  log.info("stopped");
}

/** A command line that names etcd servers means the etcd store. */
export function choiceOfStore(flags: ApiServerFlags): StoreChoice["store"] {
  return flags["kvstore-servers"].length > 0 ? "etcd" : flags.store;
}

async function chooseStore(flags: ApiServerFlags): Promise<StoreChoice> {
  const historyMs = historyOf(flags);
  const endpoints = flags["kvstore-servers"];
  const store = choiceOfStore(flags);
  if (store === "etcd") {
    return {
      store,
      endpoints: endpoints.length > 0 ? endpoints : ["http://127.0.0.1:2379"],
      prefix: flags["kvstore-prefix"],
      vocabulary: flags.vocabulary,
      authority: await readOptionalFlagFile("kvstore-cafile", flags["kvstore-cafile"]),
      certificate: await readOptionalFlagFile("kvstore-certfile", flags["kvstore-certfile"]),
      key: await readOptionalFlagFile("kvstore-keyfile", flags["kvstore-keyfile"]),
    };
  }
  if (store === "memory") return { store };
  const folder = await openDataFolder(flags["data-dir"], flags.vocabulary);
  return { store, folder: folder.store, historyMs };
}

/** Without compaction the watch history is kept as long as the limits on its size allow, at most a week. */
const historyMsMax = 7 * 86_400_000;

function historyOf(flags: ApiServerFlags): number {
  return Math.min(flags["kvstore-compaction-interval"] || historyMsMax, historyMsMax);
}

function limitsOf(flags: ApiServerFlags) {
  const orUnlimited = (value: number) => (value > 0 ? value : Number.POSITIVE_INFINITY);
  return {
    readingMax: orUnlimited(flags["max-requests-inflight"]),
    mutatingMax: orUnlimited(flags["max-mutating-requests-inflight"]),
    requestTimeoutMs: flags["request-timeout"],
    slowRequestMs: flags["slow-request-threshold"],
    watchTimeoutMinMs: flags["min-request-timeout"] * 1_000,
  };
}
