/** The API server as its flags describe it: reads files, opens the store and the server, listens. */

import type { ComponentName } from "../../actions/components/components.ts";
import { catalog as kinds } from "../../api/catalog.ts";
import type { Clock } from "../../base/clock.ts";
import { FlagError, type FlagValues } from "../../base/flags/flag.ts";
import { openWith } from "../../base/lifetime.ts";
import type { Log } from "../../base/log.ts";
import { memoryBytes } from "../../base/memory-limit.ts";
import { Counter, type Metric } from "../../base/metrics.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import type { Handler } from "../../http/contract/exchange.ts";
import type { Interventions } from "../../http/contract/interventions.ts";
import type { Listener, ListenerOptions } from "../../http/contract/listener.ts";
import type { Route } from "../../http/contract/routes.ts";
import { bodiesBytesIn } from "../../http/server/context.ts";
import { openListener } from "../../http/transport/listen.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import { watchEventLoop } from "../../metrics/event-loop.ts";
import { tlsHandshakeErrors } from "../../metrics/requests.ts";
import { withSimulated } from "../../simulation/agent/simulated-network.ts";
import { publishedConfiguration } from "../../upkeep/published-configuration.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createAccess } from "../access/access.ts";
import { accessInside } from "../access/inside.ts";
import { advertisedAddress, externalUrl, listenProblem, localUrl } from "../addresses.ts";
import { openAudit } from "../audit.ts";
import { openFlagEncryption } from "../encryption.ts";
import type { apiserverFlags } from "../flags/apiserver-flags.ts";
import { deprecatedChoices } from "../flags/deprecated-choices.ts";
import { checkGates } from "../flags/gates.ts";
import { insecureChoices } from "../flags/insecure-choices.ts";
import { readAccess } from "../flags/read-access.ts";
import { checkImageReviews, imageReviews, readAdmissionConfiguration } from "../flags/read-admission-configuration.ts";
import { readIdentity, readProxyFlags } from "../flags/read-proxy.ts";
import { readIdentityLease, readServiceFlags } from "../flags/read-services.ts";
import { checkRuntimeConfig, createIsServed, type IsServed } from "../flags/runtime-config.ts";
import { unservedReviews } from "../flags/unserved-reviews.ts";
import { unusedChoices } from "../flags/unused-choices.ts";
import { webhookAddresses, workspaceAddresses } from "../flags/webhook-addresses.ts";
import { type HistoryKinds, historyKindsOf } from "../history-kinds.ts";
import { readMetricChoice } from "../metric-choice.ts";
import type { SimulatedParts } from "../nodes/simulated-parts.ts";
import { type Certificates, readCertificates } from "../pki/certificates.ts";
import { openRevocationFile, type RevocationFile } from "../pki/revocation-file.ts";
import { watchServingExpiry } from "../pki/serving-expiry.ts";
import { cipherList, minVersion } from "../pki/tls-names.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServer, type Server } from "../server.ts";
import { initialObjects } from "../stores/initial-objects.ts";
import { isShared, openStore } from "../stores/store.ts";
import { choiceOfStore, chooseStore, historyOf, noteLevel } from "../stores/store-choice.ts";
import { openServerWithWorkspaces } from "../workspaces/serve.ts";
import { workspacesPrefix } from "../workspaces/workspaces.ts";

/** `port` has no effect, and another meaning in `orch up`. */
export type ApiServerFlags = Omit<FlagValues<typeof apiserverFlags>, "port">;

interface ApiServerOptions {
  readonly flags: ApiServerFlags;
  readonly clock: Clock;
  readonly log: Log;
  /** Authorities of client certificates in addition to --client-ca-file (PEM). */
  readonly ownAuthority?: string;
  /** What this process has of simulated nodes. Absent: there are none. */
  readonly simulated?: Pick<SimulatedParts, "agents" | "network" | "virtual"> | undefined;
  /** Metrics that /metrics shows in addition to the server's own. */
  readonly metrics?: readonly Metric[];
  /** Absent: nothing sees or refuses requests but the server itself. */
  readonly interventions?: Interventions | undefined;
  /** Which parts of a control plane run in this process. Default: none. */
  readonly runningHere?: (() => readonly ComponentName[]) | undefined;
  /** Whether FaultPlan objects are served. Default: false. */
  readonly faultPlans?: boolean;
  /** Whether a controller of this process creates default accounts. Default: false. */
  readonly makesAccounts?: boolean;
  /** Starts the controllers of a workspace with this uid. Absent: none run there. */
  readonly startWorkspaceControllers?:
    | ((server: Server, workspace: string, mayWrite: () => boolean) => RunningControllers)
    | undefined;
  /** Paths that are served in addition to the server's own. */
  readonly routes?: readonly Route[] | undefined;
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
const upkeepDelayMs = 100;
/** How long the rest of a stop may take at each step: leaving the endpoints, and closing connections without requests. */
const stopGraceMs = 2_000;

export function openApiServer(options: ApiServerOptions): Promise<ApiServer> {
  return openWith(async (lifetime) => {
    const { flags, clock, log, ownAuthority = "" } = options;
    const vocabulary = vocabularyOf(flags.vocabulary);
    const certificates = await readCertificates(flags, ownAuthority, { clock, log });
    const lateServer: LateServer = { port: flags["secure-port"], endWatches: () => {} };
    const revocations = await openRevocationFile({
      path: flags["client-certificate-revocations-file"],
      clock,
      log,
      onChange: () => lateServer.endWatches(),
    });
    lifetime.use(revocations);
    const audit = lifetime.use(await openAudit({ flags, vocabulary, clock, log }));
    const encryption = await openFlagEncryption({ path: flags["encryption-provider-config"], vocabulary, clock, log });
    lifetime.use(encryption);
    const eventLoop = lifetime.use(watchEventLoop());
    const handshakeErrors = new Counter(tlsHandshakeErrors);
    const server = await openFlagServer(options, {
      vocabulary,
      certificates,
      revocations,
      audit,
      encryption,
      lateServer,
      onClose: (close) => lifetime.onClose(close),
      metrics: [...(options.metrics ?? []), handshakeErrors, ...eventLoop.all],
    });
    lifetime.use(server);
    lifetime.use(watchServingExpiry({ serving: () => certificates.serving, clock, log }));
    await noteLevel(flags, log);
    lateServer.endWatches = () => server.lifecycle.endWatches();
    const listener = await listen(server, flags, certificates, { log, onHandshakeError: () => handshakeErrors.add() });
    lateServer.port = listener.port;
    clock.after(upkeepDelayMs, () => server.startUpkeep());
    const url = localUrl(flags["bind-address"], listener.port);
    const address = advertisedAddress(flags["advertise-address"], flags["bind-address"]);
    lifetime.onClose(() => closeListener(server, listener, options));
    if (address !== undefined) await server.ownService.announce({ address, port: listener.port });
    log.info("serving", {
      url,
      store: choiceOfStore(flags),
      vocabulary: flags.vocabulary,
      release: flags["emulated-version"],
    });
    return {
      url,
      server,
      reload: async () => {
        await certificates.reload();
        await revocations.reload();
        await encryption.reload();
        listener.replaceCertificates(certificates.serving);
        // A user whose certificate comes from a removed authority must not keep a watch open.
        lateServer.endWatches();
        log.info("certificates reloaded");
      },
      async stop() {
        await drain(server, options);
        await lifetime.close();
        log.info("stopped");
      },
    };
  });
}

/** What is known once the server runs, for parts that are made before. */
interface LateServer {
  port: number;
  endWatches(): void;
}

interface FlagParts {
  readonly vocabulary: Vocabulary;
  readonly certificates: Certificates;
  readonly revocations: RevocationFile;
  readonly audit: Awaited<ReturnType<typeof openAudit>>;
  readonly encryption: Encryption;
  readonly lateServer: LateServer;
  readonly onClose: (close: () => void) => void;
  readonly metrics: readonly Metric[];
}

async function openFlagServer(
  {
    flags,
    clock,
    log,
    interventions,
    routes,
    simulated,
    runningHere,
    faultPlans,
    makesAccounts = false,
    startWorkspaceControllers,
  }: ApiServerOptions,
  parts: FlagParts,
): Promise<Server> {
  const { vocabulary, certificates, revocations, lateServer } = parts;
  const level = flags["emulated-version"];
  const names = {
    hostname: flags["external-hostname"],
    advertised: flags["advertise-address"],
    bound: flags["bind-address"],
  };
  const url = () => externalUrl(names, lateServer.port);
  const { anonymous, ...access } = await readAccess({
    flags,
    certificates,
    revocations,
    vocabulary,
    clock,
    log,
    url,
    // A user who has just lost a right must not keep a watch open.
    onChange: () => lateServer.endWatches(),
    onClose: parts.onClose,
  });
  for (const choice of insecureChoices(flags)) log.warn(`not secure: ${choice}`);
  const allowsAll = access.authorization.modes.includes("AlwaysAllow");
  if (allowsAll && anonymous !== false)
    log.info("anonymous requests are refused, because the authorization mode is AlwaysAllow");
  for (const choice of deprecatedChoices(flags["enable-admission-plugins"])) log.warn(choice);
  for (const choice of unusedChoices(flags)) log.warn(choice);
  checkGates(flags["feature-gates"], log, level);
  const isServed = readRuntimeConfig(flags, vocabulary, log, level);
  const historyKinds = readHistoryKinds(flags, vocabulary);
  for (const sentence of unservedReviews(flags, isServed, vocabulary)) log.warn(sentence);
  const proxy = await readProxyFlags(flags, () => lateServer.port);
  const proxyIdentity = await readIdentity(flags, "proxy-client-cert-file", "proxy-client-key-file");
  const metricChoice = readMetricChoice(flags);
  const configuration = await readAdmissionConfiguration(flags, vocabulary, (sentence) => log.warn(sentence));
  const services = readServiceFlags(flags);
  const choice = await chooseStore(flags);
  if (choice.store === "memory" && flags["kvstore-servers"].length > 0)
    log.warn("--store=memory is used, and the etcd servers are not", { servers: flags["kvstore-servers"] });
  const kv = await openStore(choice, { clock, log });
  const localWebhooks = webhookAddresses({
    local: flags["webhook-local-targets"],
    bindAddress: flags["bind-address"],
    ownPort: () => lateServer.port,
  });
  const serverOptions: ServerOptions = {
    clock,
    log,
    api: {
      vocabulary,
      level,
      gates: flags["feature-gates"],
      isServed,
      allowPrivileged: flags["allow-privileged"],
      virtual: simulated?.virtual,
      runningHere,
      faultPlans,
    },
    store: {
      kv,
      isShared: isShared(choice.store),
      timeoutMs: flags["kvstore-healthcheck-timeout"],
      historyMs: historyOf(flags),
      historyKinds,
      sizePollMs: flags["kvstore-db-metric-poll-interval"],
      eventTtlMs: flags["event-ttl"],
      encryption: parts.encryption,
      initialObjects,
    },
    access: {
      open: (made) => createAccess(access, made),
      anonymous: allowsAll ? false : anonymous,
      published: publishedConfiguration({
        clientCa: certificates.clientPem,
        frontProxy: frontProxyOf(flags, certificates),
      }),
    },
    admission: {
      enable: flags["enable-admission-plugins"],
      disable: flags["disable-admission-plugins"],
      configuration,
      makesAccounts,
      notReadyTolerationSeconds: flags["default-not-ready-toleration-seconds"],
      unreachableTolerationSeconds: flags["default-unreachable-toleration-seconds"],
    },
    requests: {
      limits: limitsOf(flags),
      fairness: flags["enable-priority-and-fairness"],
      audit: parts.audit,
      livezGraceMs: flags["livez-grace-period"],
      ...(interventions === undefined ? {} : { interventions }),
      ...(routes === undefined ? {} : { routes }),
    },
    network: {
      services,
      proxyIdentity,
      proxy: {
        ...proxy,
        allows: withSimulated(proxy.allows, simulated?.network.proxied),
        nodeAgents: { ...proxy.nodeAgents, own: simulated?.agents },
      },
      webhookAddresses: withSimulated(localWebhooks, simulated?.network.called),
      identityLease: readIdentityLease(flags),
    },
    metrics: { more: parts.metrics, choice: metricChoice, profiling: flags.profiling },
  };
  if (!flags.workspaces) {
    const { entries } = await kv.range(workspacesPrefix, { limit: 1, uncounted: true });
    if (entries.length > 0) log.warn("the store has workspaces, which are served with --workspaces");
    return openServer(serverOptions);
  }
  if (startWorkspaceControllers === undefined)
    log.warn(
      "no controllers run in workspaces here: orch up --workspaces has them, also beside this server on one store",
    );
  return openServerWithWorkspaces(serverOptions, {
    webhookAddresses: workspaceAddresses({ local: flags["workspace-local-targets"], rootAddresses: localWebhooks }),
    accessOf: (workspace) => (made) => createAccess(accessInside(access, workspace), made),
    startControllers: startWorkspaceControllers,
  });
}

/** Which group versions are served; throws if the flag names what does not exist. */
function readRuntimeConfig(flags: ApiServerFlags, vocabulary: Vocabulary, log: Log, level: Level): IsServed {
  const named = [...kinds, imageReviews].map((kind) => ({ ...kind, group: vocabulary.group(kind.group) }));
  const { problem, warnings } = checkRuntimeConfig(flags["runtime-config"], named, vocabulary, level);
  if (problem !== undefined) throw new FlagError(`--runtime-config: ${problem}`);
  for (const warning of warnings) log.warn(warning);
  const isServed = createIsServed(flags["runtime-config"], level);
  checkImageReviews(flags["enable-admission-plugins"], isServed, vocabulary);
  return isServed;
}

function readHistoryKinds(flags: ApiServerFlags, vocabulary: Vocabulary): HistoryKinds {
  try {
    return historyKindsOf(flags["history-kinds"], vocabulary);
  } catch (error) {
    throw new FlagError(`--history-kinds: ${(error as Error).message}`);
  }
}

/** What other servers must know to trust the same front proxy. */
function frontProxyOf(flags: ApiServerFlags, { frontProxyPem }: Certificates) {
  if (frontProxyPem === undefined) return undefined;
  return {
    ca: frontProxyPem,
    allowedNames: flags["requestheader-allowed-names"],
    userHeaders: flags["requestheader-username-headers"],
    groupHeaders: flags["requestheader-group-headers"],
    extraPrefixes: flags["requestheader-extra-headers-prefix"],
  };
}

async function listen(
  server: Server,
  flags: ApiServerFlags,
  certificates: Certificates,
  reports: Pick<ListenerOptions, "log" | "onHandshakeError">,
): Promise<Listener> {
  const ciphers = cipherList(flags["tls-cipher-suites"]);
  return await openListener({
    handler: flags.console ? await withPage(server.handler) : server.handler,
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

async function withPage(handler: Handler): Promise<Handler> {
  const [{ withConsolePage }, { consolePageFolder }, { loadPageFiles }] = await Promise.all([
    import("../console/served-page.ts"),
    import("../console/page-folder.ts"),
    import("../../ctl/console/page-files.ts"),
  ]);
  return withConsolePage(handler, loadPageFiles(consolePageFolder()));
}

const passed = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

/** The server fails /readyz, leaves the endpoints that it shares with others, and keeps answering for a while. */
async function drain(server: Server, { flags, clock, log }: ApiServerOptions): Promise<void> {
  const delayMs = flags["shutdown-delay-duration"];
  log.info("stopping", { delayMs });
  server.lifecycle.drain();
  // Other servers keep serving, and clients in the cluster must no longer be directed to this one.
  if (isShared(choiceOfStore(flags)))
    await Promise.race([server.ownService.withdraw().catch(() => undefined), passed(clock, stopGraceMs)]);
  if (delayMs > 0) await passed(clock, delayMs);
}

/** A request in progress ends within its timeout. */
async function closeListener(server: Server, listener: Listener, { flags, clock }: ApiServerOptions): Promise<void> {
  server.lifecycle.end();
  const timeout = passed(clock, flags["request-timeout"]);
  await listener.close(stopGraceMs, Promise.race([server.lifecycle.quiet(), timeout]));
}

function limitsOf(flags: ApiServerFlags) {
  const orUnlimited = (value: number) => (value > 0 ? value : Number.POSITIVE_INFINITY);
  return {
    readingMax: orUnlimited(flags["max-requests-inflight"]),
    mutatingMax: orUnlimited(flags["max-mutating-requests-inflight"]),
    requestTimeoutMs: flags["request-timeout"],
    slowRequestMs: flags["slow-request-threshold"],
    watchTimeoutMinMs: flags["min-request-timeout"] * 1_000,
    bodiesBytesMax: bodiesBytesIn(memoryBytes()),
  };
}
