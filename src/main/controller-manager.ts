/** `orch controller-manager`: only the controllers, against any server of a level that we know, with one active manager at a time. */

import { randomInt, randomUUID } from "node:crypto";
import { homedir, hostname } from "node:os";
import { createFeatureGates } from "../api/feature-gates.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { FlagError, type FlagValues } from "../base/flags/flag.ts";
import type { Log } from "../base/log.ts";
import { labelKey, type Metric, Reading } from "../base/metrics.ts";
import { createClient } from "../client/client.ts";
import { type ClientAccess, resolveAccess } from "../client/config/access.ts";
import { mergeConfigs } from "../client/config/file.ts";
import { inClusterConfig } from "../client/config/in-cluster.ts";
import { configPaths, loadConfigFiles } from "../client/config/load.ts";
import { createPluginMetrics } from "../client/config/plugin-metrics.ts";
import { openTransport } from "../client/config/transport.ts";
import type { Fetch } from "../client/contract.ts";
import { acquireLeadership, type Leadership } from "../client/leader/leader.ts";
import { whileLeading } from "../client/leader/while-leading.ts";
import { createClientMetrics } from "../client/requests/metrics.ts";
import type { Controller } from "../controllers/contract.ts";
import { type RunningControllers, runControllers } from "../controllers/run.ts";
import { type Level, levelDefault } from "../machinery/schema/level.ts";
import { leaderStatus } from "../metrics/clients.ts";
import { watchEventLoop } from "../metrics/event-loop.ts";
import { buildMetric, processMetrics } from "../metrics/process-readings.ts";
import { queueMetrics } from "../metrics/queue-readings.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { createAccountClients } from "./account-clients.ts";
import { openStatusPort } from "./controller-manager-status.ts";
import { readControllerNames } from "./controllers.ts";
import { createEnvironment } from "./environment.ts";
import type { controllerManagerFlags } from "./flags/controller-manager-flags.ts";
import { checkGates } from "./flags/gates.ts";
import { readControllerSettings } from "./flags/read-controllers.ts";
import { metricPrinter, readMetricChoice } from "./metric-choice.ts";
import { issueAuthority, issueServing } from "./pki/issue.ts";
import { readServingCertificate } from "./pki/serving-certificate.ts";
import { cipherList, minVersion } from "./pki/tls-names.ts";
import { withOneRefusal } from "./refusal-log.ts";
import { readServerLevel } from "./server-level.ts";
import { releaseOf, versionInfoOf } from "./version.ts";

export type ControllerManagerFlags = FlagValues<typeof controllerManagerFlags>;

interface ControllerManager {
  /** The port of /healthz; 0: there is none. */
  readonly port: number;
  /** Rejects when the lease is lost: another manager is active now, and this process must end. */
  readonly ended: Promise<void>;
  /** Ends the work in progress, lets another manager take over, and closes. */
  stop(): Promise<void>;
}

/** As in v1.21: all servers behind one address observe a deletion within this time. */
const namespaceDeletionGraceMs = 5_000;

/** `chosen`: the controllers that run. Default: those that --controllers names. */
export async function openControllerManager(
  flags: ControllerManagerFlags,
  log: Log,
  clock: Clock = systemClock,
  chosen: readonly Controller[] = readControllerNames(flags.controllers),
): Promise<ControllerManager> {
  const vocabulary = vocabularyOf(flags.vocabulary);
  checkGates(flags["feature-gates"], log);
  const controllers = chosen.filter(({ name }) => name !== "garbagecollector" || flags["enable-garbage-collector"]);
  const settings = { ...(await readControllerSettings(flags, { vocabulary, clock })), namespaceDeletionGraceMs };
  const access = readAccess(flags);
  /** Of the server, as far as is known. */
  let level: Level = levelDefault;
  const userAgent = () => `${vocabulary.word("orch-controller-manager")}/${releaseOf(level).text}`;
  const metricChoice = readMetricChoice(flags);
  const clientMetrics = createClientMetrics();
  const observe = clientMetrics.observer(new URL(access.server).host);
  const pluginMetrics = createPluginMetrics(() => clock.now());
  const surroundings = {
    clock,
    env: process.env,
    isInteractive: false,
    get userAgent() {
      return userAgent();
    },
    requestTimeoutMs: 0,
    metrics: pluginMetrics,
  };
  const transport = openTransport(access, surroundings);
  const bare = openTransport(
    { ...access, tls: withoutIdentity(access), token: undefined, basic: undefined, exec: undefined },
    surroundings,
  );
  const ask = createClient({ fetch: transport.fetch, vocabulary, clock, userAgent, observe });

  let leadership: Leadership | undefined;
  const guarded = (fetch: Fetch) =>
    flags["leader-elect"] ? whileLeading(fetch, () => leadership?.isHeld() === true) : fetch;
  const client = createClient({ fetch: guarded(transport.fetch), vocabulary, clock, userAgent, observe });
  const accountClient = createAccountClients({ client, bare: guarded(bare.fetch), clock, userAgent, observe });
  let running: RunningControllers | undefined;
  const stopping = new AbortController();
  const learnLevel = async () => {
    level = await readServerLevel(transport.fetch, clock, stopping.signal);
  };
  const start = async () => {
    await learnLevel(); // a server may have become another one while this process waited for its lease
    running = runControllers({
      controllers,
      client,
      clientOf: ({ account }) =>
        flags["use-service-account-credentials"] && account !== undefined ? accountClient(account) : client,
      settings,
      environment: createEnvironment({
        vocabulary,
        gates: createFeatureGates(flags["feature-gates"], level),
        level,
        clock,
        allowPrivileged: true,
      }),
      clock,
      log: withOneRefusal(log, rightsAdvice(flags, vocabulary)),
      random: (below) => randomInt(below),
      listsByWatch: true,
    });
    log.info("controllers started", { release: level, controllers: controllers.map(({ name }) => name) });
  };

  const print = metricPrinter(vocabulary, metricChoice);
  const eventLoop = watchEventLoop();
  const leaseName = vocabulary.word(flags["leader-elect-resource-name"]);
  const status =
    flags["secure-port"] === 0
      ? undefined
      : await openStatusPort({
          host: flags["bind-address"],
          port: flags["secure-port"],
          serving: await servingPair(flags, { clock, log }),
          minVersion: minVersion(flags["tls-min-version"]),
          ciphers: cipherList(flags["tls-cipher-suites"]),
          client: ask,
          openPaths: flags["authorization-always-allow-paths"],
          metrics: () =>
            print([
              ...queueMetrics(() => running?.stats ?? [], clock.monotonic),
              ...clientMetrics.all,
              ...pluginMetrics.all,
              ...(flags["leader-elect"] ? [leaderMetric(leaseName, () => leadership?.isHeld() === true)] : []),
              buildMetric(versionInfoOf(level)),
              ...processMetrics,
              ...eventLoop.all,
            ]),
          configuration: { "orchcontrollermanager.config.orch.io": { controllers: flags.controllers } },
          problem: () => (leadership !== undefined && !leadership.isHeld() ? "the lease was lost" : undefined),
        });

  const ended = lead();
  async function lead(): Promise<void> {
    if (!flags["leader-elect"]) return start();
    await learnLevel();
    leadership = await acquireLeadership(
      {
        client: ask,
        clock,
        log,
        identity: `${hostname()}_${randomUUID()}`,
        lease: {
          namespace: vocabulary.word(flags["leader-elect-resource-namespace"]),
          name: leaseName,
        },
        leaseDurationMs: flags["leader-elect-lease-duration"],
        renewDeadlineMs: flags["leader-elect-renew-deadline"],
        retryPeriodMs: flags["leader-elect-retry-period"],
        random: () => randomInt(2 ** 30) / 2 ** 30,
      },
      stopping.signal,
    );
    await start();
    const { signal } = leadership;
    signal.throwIfAborted(); // the lease may be lost while the server is asked
    await new Promise<void>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }
  const over = flags["leader-elect"] ? ended : ended.then(() => new Promise<void>(() => {}));
  // Callers may wait for the end or not: without this line an unobserved rejection would be reported as unhandled.
  over.catch(() => undefined);
  return {
    port: status?.port ?? 0,
    ended: over,
    async stop() {
      stopping.abort(new Error("stopping"));
      await running?.close();
      await leadership?.release();
      await status?.close();
      eventLoop.close();
      transport.close();
      bare.close();
    },
  };
}

function rightsAdvice(flags: ControllerManagerFlags, vocabulary: Vocabulary): string {
  const role = vocabulary.word("system:orch-controller-manager");
  return flags["use-service-account-credentials"]
    ? `bind its user to the ClusterRole ${role}, and the accounts of its controllers to the default roles`
    : `--use-service-account-credentials lets each controller use its own account and role; otherwise its user needs the rights of all controllers, beyond the ClusterRole ${role}`;
}

/** A Reading each time it is shown: whether this process leads now. */
function leaderMetric(name: string, isHeld: () => boolean): Metric {
  return new Reading(leaderStatus, () => [[labelKey(leaderStatus.labels, [name]), isHeld() ? 1 : 0]]);
}

function readAccess(flags: ControllerManagerFlags): ClientAccess {
  const paths = configPaths({ explicit: flags.kubeconfig, env: process.env, home: homedir() });
  const overrides = { server: flags.master };
  const found = resolveAccess(mergeConfigs(loadConfigFiles(paths)), overrides);
  const inside = found === undefined ? inClusterConfig(process.env) : undefined;
  const access = found ?? (inside && resolveAccess(inside, overrides));
  if (access === undefined) throw new FlagError("--kubeconfig: no client configuration names a server");
  return access;
}

/** The client configuration without the caller's own credentials: it only trusts the server. */
function withoutIdentity({ tls: { cert: _cert, key: _key, ...trust } }: ClientAccess): ClientAccess["tls"] {
  return trust;
}

async function servingPair(flags: ControllerManagerFlags, surroundings: { readonly clock: Clock; readonly log: Log }) {
  if (flags["tls-cert-file"] !== "" || flags["tls-private-key-file"] !== "" || flags["cert-dir"] !== "")
    return readServingCertificate(flags, { ...surroundings, name: "controller-manager" });
  const authority = issueAuthority("orch-controller-manager-authority", surroundings.clock);
  return issueServing(
    authority,
    { commonName: "orch-controller-manager", hosts: ["localhost", "127.0.0.1", "::1"] },
    surroundings.clock,
  );
}
