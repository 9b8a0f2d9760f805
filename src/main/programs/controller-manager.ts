/** `orch controller-manager`: only the controllers, against any server of a level that we know, with one active manager at a time. */

import { randomInt } from "node:crypto";
import { createFeatureGates } from "../../api/feature-gates.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { FlagValues } from "../../base/flags/flag.ts";
import { type Lifetime, openWith } from "../../base/lifetime.ts";
import type { Log } from "../../base/log.ts";
import type { Metric } from "../../base/metrics.ts";
import { createClient } from "../../client/client.ts";
import type { ClientAccess } from "../../client/config/access.ts";
import { createPluginMetrics } from "../../client/config/plugin-metrics.ts";
import { openTransport, type Transport } from "../../client/config/transport.ts";
import type { Client, Fetch } from "../../client/contract.ts";
import { acquireLeadership, type Leadership } from "../../client/leader/leader.ts";
import { whileLeading } from "../../client/leader/while-leading.ts";
import { createClientMetrics } from "../../client/requests/metrics.ts";
import { withCauses } from "../../controllers/causes.ts";
import type { Controller } from "../../controllers/contract.ts";
import { type RunningControllers, runControllers } from "../../controllers/run.ts";
import type { Settings } from "../../controllers/settings.ts";
import { type Level, levelDefault } from "../../machinery/schema/levels.ts";
import { watchEventLoop } from "../../metrics/event-loop.ts";
import { buildMetric, processMetrics } from "../../metrics/process-readings.ts";
import { queueMetrics } from "../../metrics/queue-readings.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { readControllerNames } from "../controllers.ts";
import { createEnvironment } from "../environment.ts";
import type { controllerManagerFlags } from "../flags/controller-manager-flags.ts";
import { checkGates } from "../flags/gates.ts";
import { readControllerSettings } from "../flags/read-controllers.ts";
import { readElection } from "../flags/read-election.ts";
import { type Election, leaderMetric } from "../lead.ts";
import { metricPrinter, readMetricChoice } from "../metric-choice.ts";
import { issueAuthority, issueServing } from "../pki/issue.ts";
import { readServingCertificate } from "../pki/serving-certificate.ts";
import { cipherList, minVersion } from "../pki/tls-names.ts";
import { releaseOf, versionInfoOf } from "../version.ts";
import { createAccountClients } from "./account-clients.ts";
import { openStatusPort } from "./controller-manager-status.ts";
import { withOneRefusal } from "./refusal-log.ts";
import { readAccess } from "./server-access.ts";
import { readServerLevel } from "./server-level.ts";
import { chooseVocabulary } from "./server-vocabulary.ts";

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

interface ManagerSurroundings {
  readonly log: Log;
  readonly clock?: Clock;
  /** The controllers that run. Default: those that --controllers names. */
  readonly chosen?: readonly Controller[] | undefined;
  /** Ends the wait for a server that does not answer. Default: nothing does. */
  readonly signal?: AbortSignal;
}

export async function openControllerManager(
  flags: ControllerManagerFlags,
  { log, clock = systemClock, chosen = readControllerNames(flags.controllers), signal }: ManagerSurroundings,
): Promise<ControllerManager> {
  return openWith(async (lifetime) => {
    checkGates(flags["feature-gates"], log);
    const vocabulary = await chooseVocabulary(flags, { log, clock, signal });
    const election = readElection(flags, vocabulary);
    const controllers = chosen.filter(({ name }) => name !== "garbagecollector" || flags["enable-garbage-collector"]);
    const settings = { ...(await readControllerSettings(flags, { vocabulary, clock })), namespaceDeletionGraceMs };
    const given = { flags, log, clock, vocabulary, election, controllers, settings, access: readAccess(flags) };
    const run = new ManagerRun(given, lifetime);
    const port = await run.openStatus();
    return { port, ended: run.begin(), stop: () => lifetime.close() };
  });
}

interface ManagerOptions {
  readonly flags: ControllerManagerFlags;
  readonly log: Log;
  readonly clock: Clock;
  readonly vocabulary: Vocabulary;
  readonly election: Election;
  readonly controllers: readonly Controller[];
  readonly settings: Settings;
  readonly access: ClientAccess;
}

/** One run of a controller manager: its clients, its lease, its controllers. What it opens is closed with its lifetime. */
class ManagerRun {
  readonly #options: ManagerOptions;
  readonly #lifetime: Lifetime;
  readonly #clientMetrics = createClientMetrics();
  readonly #pluginMetrics: ReturnType<typeof createPluginMetrics>;
  readonly #transport: Transport;
  /** Without the manager's own credentials. */
  readonly #bare: Transport;
  readonly #userAgent = () =>
    `${this.#options.vocabulary.word("orch-controller-manager")}/${releaseOf(this.#level).text}`;
  /** For the lease and reviews: requests that need no lease. */
  readonly #ask: Client;
  readonly #stopping = new AbortController();
  /** Of the server, as far as is known. */
  #level: Level = levelDefault;
  /** Whether the server has a history, which repeats what made controllers write. */
  #sendsCauses = false;
  #leadership: Leadership | undefined;
  #running: RunningControllers | undefined;

  constructor(options: ManagerOptions, lifetime: Lifetime) {
    const { access, clock } = options;
    this.#options = options;
    this.#lifetime = lifetime;
    this.#pluginMetrics = createPluginMetrics(() => clock.now());
    this.#bare = lifetime.use(
      this.#openTransport({
        ...access,
        tls: withoutIdentity(access),
        token: undefined,
        basic: undefined,
        exec: undefined,
      }),
    );
    this.#transport = lifetime.use(this.#openTransport(access));
    this.#ask = this.#clientOf(this.#transport.fetch);
  }

  #openTransport(access: ClientAccess): Transport {
    const userAgent = this.#userAgent;
    return openTransport(access, {
      clock: this.#options.clock,
      env: process.env,
      isInteractive: false,
      get userAgent() {
        return userAgent();
      },
      requestTimeoutMs: 0,
      metrics: this.#pluginMetrics,
    });
  }

  #clientOf(plain: Fetch): Client {
    const { vocabulary, clock } = this.#options;
    const fetch = this.#sendsCauses ? withCauses(plain) : plain;
    return createClient({ fetch, vocabulary, clock, userAgent: this.#userAgent, observe: this.#observe() });
  }

  #observe() {
    return this.#clientMetrics.observer(new URL(this.#options.access.server).host);
  }

  /** A request of a controller is sent only while this process leads. */
  #whileLeading(fetch: Fetch): Fetch {
    return this.#options.flags["leader-elect"] ? whileLeading(fetch, () => this.#isLeading()) : fetch;
  }

  #isLeading(): boolean {
    return this.#leadership?.isHeld() === true;
  }

  /** Opens the port of /healthz and /metrics, and returns its number; 0: there is none. */
  async openStatus(): Promise<number> {
    const { flags, vocabulary, clock, log } = this.#options;
    const print = metricPrinter(vocabulary, readMetricChoice(flags));
    const eventLoop = this.#lifetime.use(watchEventLoop());
    if (flags["secure-port"] === 0) return 0;
    const status = await openStatusPort({
      host: flags["bind-address"],
      port: flags["secure-port"],
      serving: await servingPair(flags, { clock, log }),
      minVersion: minVersion(flags["tls-min-version"]),
      ciphers: cipherList(flags["tls-cipher-suites"]),
      client: this.#ask,
      openPaths: flags["authorization-always-allow-paths"],
      metrics: () => print([...this.#metrics(), ...eventLoop.all]),
      configuration: { "orchcontrollermanager.config.orch.io": { controllers: flags.controllers } },
      problem: () => (this.#leadership !== undefined && !this.#isLeading() ? "the lease was lost" : undefined),
    });
    return this.#lifetime.use(status).port;
  }

  #metrics(): Metric[] {
    const { flags, clock, election } = this.#options;
    return [
      ...queueMetrics(() => this.#running?.stats ?? [], clock.monotonic),
      ...this.#clientMetrics.all,
      ...this.#pluginMetrics.all,
      ...(flags["leader-elect"]
        ? [leaderMetric(() => [{ name: election.lease.name, isHeld: this.#isLeading() }])]
        : []),
      buildMetric(versionInfoOf(this.#level)),
      ...processMetrics,
    ];
  }

  /** Begins to work, or to wait for the lease. The promise rejects when the lease is lost. */
  begin(): Promise<void> {
    this.#lifetime.onClose(() => this.#leadership?.release());
    this.#lifetime.onClose(() => this.#running?.close());
    this.#lifetime.onClose(() => this.#stopping.abort(new Error("stopping")));
    const leads = this.#options.flags["leader-elect"];
    const over = leads ? this.#lead() : this.#start().then(() => new Promise<void>(() => {}));
    // Callers may wait for the end or not: without this line an unobserved rejection would be reported as unhandled.
    over.catch(() => undefined);
    return over;
  }

  async #lead(): Promise<void> {
    const { clock, log, election } = this.#options;
    await this.#learnLevel();
    const random = () => randomInt(2 ** 30) / 2 ** 30;
    const options = { client: this.#ask, clock, log, random, ...election };
    this.#leadership = await acquireLeadership(options, this.#stopping.signal);
    await this.#start();
    const { signal } = this.#leadership;
    signal.throwIfAborted(); // the lease may be lost while the server is asked
    await new Promise<void>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }

  async #learnLevel(): Promise<void> {
    this.#level = await readServerLevel(this.#transport.fetch, this.#options.clock, this.#stopping.signal);
  }

  async #start(): Promise<void> {
    const { flags, log, clock, vocabulary, controllers, settings } = this.#options;
    await this.#learnLevel(); // a server may have become another one while this process waited for its lease
    const level = this.#level;
    this.#sendsCauses = await keepsHistory(this.#transport.fetch);
    const client = this.#clientOf(this.#whileLeading(this.#transport.fetch));
    const plain = this.#whileLeading(this.#bare.fetch);
    const bare = this.#sendsCauses ? withCauses(plain) : plain;
    const accountClient = createAccountClients({
      client,
      bare,
      clock,
      userAgent: this.#userAgent,
      observe: this.#observe(),
    });
    this.#running = runControllers({
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
      sendsCauses: this.#sendsCauses,
    });
    log.info("controllers started", { release: level, controllers: controllers.map(({ name }) => name) });
  }
}

async function keepsHistory(fetch: Fetch): Promise<boolean> {
  try {
    const answer = await fetch("/apis/history.orch.io");
    await answer.text();
    return answer.ok;
  } catch {
    return false; // without it nothing but the causes is missing
  }
}

function rightsAdvice(flags: ControllerManagerFlags, vocabulary: Vocabulary): string {
  const role = vocabulary.word("system:orch-controller-manager");
  return flags["use-service-account-credentials"]
    ? `bind its user to the ClusterRole ${role}, and the accounts of its controllers to the default roles`
    : `--use-service-account-credentials lets each controller use its own account and role; otherwise its user needs the rights of all controllers, beyond the ClusterRole ${role}`;
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
