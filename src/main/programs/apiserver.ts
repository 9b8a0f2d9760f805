/** The API server as its flags describe it: reads files, opens the store and the server, listens. */

import type { ComponentName } from "../../actions/components/components.ts";
import type { Clock } from "../../base/clock.ts";
import type { FlagValues } from "../../base/flags/flag.ts";
import { openWith } from "../../base/lifetime.ts";
import type { Log } from "../../base/log.ts";
import { Counter, type Metric } from "../../base/metrics.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import type { Handler } from "../../http/contract/exchange.ts";
import type { Interventions } from "../../http/contract/interventions.ts";
import type { Listener, ListenerOptions } from "../../http/contract/listener.ts";
import type { Route } from "../../http/contract/routes.ts";
import { openListener } from "../../http/transport/listen.ts";
import { watchEventLoop } from "../../metrics/event-loop.ts";
import { tlsHandshakeErrors } from "../../metrics/requests.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { advertisedAddress, listenProblem, localUrl } from "../addresses.ts";
import { openAudit } from "../audit.ts";
import { openFlagEncryption } from "../encryption.ts";
import type { apiserverFlags } from "../flags/apiserver-flags.ts";
import type { SimulatedParts } from "../nodes/simulated-parts.ts";
import { type Certificates, readCertificates } from "../pki/certificates.ts";
import { openRevocationFile } from "../pki/revocation-file.ts";
import { watchServingExpiry } from "../pki/serving-expiry.ts";
import { cipherList, minVersion } from "../pki/tls-names.ts";
import type { Server } from "../server.ts";
import { isShared } from "../stores/store.ts";
import { choiceOfStore, noteLevel } from "../stores/store-choice.ts";
import { type LateServer, openFlagServer } from "./flag-server.ts";

/** `port` has no effect, and another meaning in `orch up`. */
export type ApiServerFlags = Omit<FlagValues<typeof apiserverFlags>, "port">;

export interface ApiServerOptions {
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
