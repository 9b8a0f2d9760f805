/** What the options of `createServer` mean for the parts of a server, where the flags of a command would say it. */

import { catalog } from "../../api/catalog.ts";
import { checkFeatureGates } from "../../api/feature-gates.ts";
import { createStaticToken } from "../../authn/static-token.ts";
import type { AddressCheck } from "../../base/https-call.ts";
import type { Log } from "../../base/log.ts";
import { silentLog } from "../../base/log.ts";
import type { QueueStats } from "../../base/queue/contract.ts";
import type { Controller } from "../../controllers/contract.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/levels.ts";
import { queueMetrics } from "../../metrics/queue-readings.ts";
import { withSimulated } from "../../simulation/agent/simulated-network.ts";
import { soleIdentityLease } from "../../upkeep/server-identity.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { AccessOptions } from "../access/access.ts";
import { createAccess } from "../access/access.ts";
import { accessInside } from "../access/inside.ts";
import { checkNodes } from "../all-controllers.ts";
import { proxyAddresses } from "../flags/proxy-addresses.ts";
import { givenConfigurations, imageReviews } from "../flags/read-admission-configuration.ts";
import type { IsServed } from "../flags/runtime-config.ts";
import { checkRuntimeConfig, createIsServed } from "../flags/runtime-config.ts";
import { webhookAddresses, workspaceAddresses } from "../flags/webhook-addresses.ts";
import { type HistoryKinds, historyKindsOf } from "../history-kinds.ts";
import type { SimulatedParts } from "../nodes/simulated-parts.ts";
import { createSimulatedParts } from "../nodes/simulated-parts.ts";
import type { ServerOptions } from "../server/options.ts";
import { initialObjects } from "../stores/initial-objects.ts";
import type { WorkspaceServers } from "../workspaces/workspaces.ts";
import { chosenControllers, startLibraryControllers } from "./controllers.ts";
import type { Beginning, Own } from "./inner.ts";
import type { CreateServerOptions } from "./options.ts";
import { historyMs } from "./store.ts";

/** Throws an Error that names the option, if one cannot be. */
export class RunChoices {
  readonly log: Log;
  readonly vocabulary: Vocabulary;
  readonly controllers: readonly Controller[];
  /** Undefined: there are no simulated nodes. */
  readonly simulated: SimulatedParts | undefined;
  readonly #options: CreateServerOptions;
  readonly #own: Own;
  readonly #beginning: Beginning;
  readonly #stats: () => readonly QueueStats[];
  readonly #level: Level;
  readonly #gates: ReadonlyMap<string, boolean>;
  readonly #isServed: IsServed;
  readonly #historyKinds: HistoryKinds;
  readonly #localWebhooks: AddressCheck;

  /** `stats`: of the queues of controllers that run now. */
  constructor(options: CreateServerOptions, own: Own, beginning: Beginning, stats: () => readonly QueueStats[]) {
    const { log = silentLog, host = "127.0.0.1", nodes = 0 } = options;
    this.#options = options;
    this.#own = own;
    this.#beginning = beginning;
    this.#stats = stats;
    this.log = log;
    this.vocabulary = vocabularyOf(options.vocabulary ?? "orch");
    checkNodes(nodes, "nodes");
    const simulation = { count: nodes, ...options.simulation };
    this.simulated = createSimulatedParts(simulation, beginning.clock, log);
    this.controllers = chosenControllers(options.controllers, simulation, this.simulated);
    this.#level = levelOf(options.emulatedVersion);
    this.#gates = gatesOf(options, this.#level);
    this.#historyKinds = historyKindsIn(options, this.vocabulary);
    this.#isServed = isServedOf(options, this.vocabulary, this.#level);
    this.#localWebhooks = webhookAddresses({
      local: "auto",
      bindAddress: host,
      ownPort: () => portOf(own.url()),
    });
  }

  serverOptions(): ServerOptions {
    const { clock, kv, continues } = this.#beginning;
    const { log } = this;
    const { tracing, interventions, routes } = this.#own;
    const access = this.#access();
    return {
      clock,
      log,
      tracing,
      random: this.#options.random,
      api: {
        vocabulary: this.vocabulary,
        level: this.#level,
        gates: this.#gates,
        isServed: this.#isServed,
        allowPrivileged: true,
        virtual: this.simulated?.virtual,
        faultPlans: this.#options.faultPlans,
      },
      store: {
        kv,
        initialObjects,
        timeoutMs: 2_000,
        historyMs,
        historyKinds: this.#historyKinds,
        continues,
      },
      admission: this.#admission(),
      network: this.#network(),
      access: {
        open: (parts) => createAccess(access, parts),
        anonymous: this.#options.authorization === "RBAC",
      },
      requests: { limits: {}, livezGraceMs: 0, interventions, routes },
      metrics: { more: queueMetrics(this.#stats, () => clock.monotonic()) },
    };
  }

  workspaceServers(): WorkspaceServers {
    const { controllers, workspaceLocalTargets = "deny", random } = this.#options;
    const { keys, pki } = this.#own;
    const { clock } = this.#beginning;
    const { vocabulary, log } = this;
    const access = this.#access();
    return {
      webhookAddresses: workspaceAddresses({ local: workspaceLocalTargets, rootAddresses: this.#localWebhooks }),
      accessOf: (workspace) => (parts) => createAccess(accessInside(access, workspace), parts),
      startControllers: (server, workspace) =>
        startLibraryControllers({
          server,
          controllers: chosenControllers(controllers, { count: 0 }, undefined),
          keys,
          authority: () => pki.made().authority,
          vocabulary,
          clock,
          log,
          random,
          workspace,
        }),
    };
  }

  #admission(): ServerOptions["admission"] {
    const { enableAdmissionPlugins, disableAdmissionPlugins, admission, admissionConfiguration } = this.#options;
    const hasAccounts = this.controllers.some(({ name }) => name === "serviceaccount");
    return {
      enable: enableAdmissionPlugins ?? [],
      disable: disableAdmissionPlugins ?? (hasAccounts ? [] : ["ServiceAccount"]),
      own: admission ?? [],
      configuration: givenConfigurations(admissionConfiguration ?? {}),
      // With a virtual clock the controller goes on only when a test moves it.
      makesAccounts: hasAccounts && this.#beginning.virtual === undefined,
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
    };
  }

  #network(): ServerOptions["network"] {
    const { simulated } = this;
    const local = this.#options.proxyLocalTargets ?? "deny";
    const proxied = proxyAddresses({ local, ownPort: () => portOf(this.#own.url()), advertised: [] });
    return {
      identityLease: soleIdentityLease,
      webhookAddresses: withSimulated(this.#localWebhooks, simulated?.network.called),
      proxy: {
        allows: withSimulated(proxied, simulated?.network.proxied),
        nodeAgents: { own: simulated?.agents },
      },
    };
  }

  #access(): AccessOptions {
    const { tokens, authorization = "AlwaysAllow" } = this.#options;
    const { pki, keys } = this.#own;
    const issuer = this.vocabulary.word("https://orch.default.svc");
    return {
      authentication: {
        clientAuthorities: () => pki.authorities(),
        staticTokens: tokens && createStaticToken({ csv: tokenLines(tokens) }),
        serviceAccounts: { issuers: [issuer], keys: () => keys().verification, lookupLegacy: true },
        bootstrapTokens: false,
        audiences: [issuer],
      },
      tokens: {
        issuer,
        signingKey: () => keys().signing,
        lifetimeSecondsMax: 0,
        keySetUri: "",
        url: () => this.#own.url() ?? issuer,
      },
      authorization: { modes: [authorization], subjectNames: "exact", policies: [] },
    };
  }
}

/** A program in JavaScript may name anything. */
function levelOf(name: string = levelDefault): Level {
  const level = levels.find((each) => each === name);
  if (level === undefined)
    throw new Error(`emulatedVersion: must be a release from ${levels[0]} to ${levels.at(-1)}, not "${name}"`);
  return level;
}

function gatesOf({ featureGates = {} }: CreateServerOptions, level: Level): ReadonlyMap<string, boolean> {
  const gates = new Map(Object.entries(featureGates));
  const [unknown] = checkFeatureGates(gates, level).problems;
  if (unknown !== undefined) throw new Error(`featureGates: ${unknown}`);
  return gates;
}

function isServedOf({ runtimeConfig = {} }: CreateServerOptions, vocabulary: Vocabulary, level: Level): IsServed {
  const given = new Map(Object.entries(runtimeConfig).map(([key, on]) => [key, String(on)]));
  const named = [...catalog, imageReviews].map((kind) => ({ ...kind, group: vocabulary.group(kind.group) }));
  const { problem } = checkRuntimeConfig(given, named, vocabulary, level);
  if (problem !== undefined) throw new Error(`runtimeConfig: ${problem}`);
  return createIsServed(given, level);
}

function historyKindsIn({ historyKinds = [] }: CreateServerOptions, vocabulary: Vocabulary): HistoryKinds {
  try {
    return historyKindsOf(historyKinds, vocabulary);
  } catch (error) {
    throw new Error(`historyKinds: ${(error as Error).message}`);
  }
}

const portOf = (url: string | undefined) => (url === undefined ? undefined : Number(new URL(url).port));

/** Like the lines of a token file. */
function tokenLines(tokens: NonNullable<CreateServerOptions["tokens"]>): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  return Object.entries(tokens)
    .map(([token, { name, groups = [], uid = "" }]) =>
      [quoted(token), quoted(name), quoted(uid), ...(groups.length > 0 ? [quoted(groups.join(","))] : [])].join(","),
    )
    .join("\n");
}
