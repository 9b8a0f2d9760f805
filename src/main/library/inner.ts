/** One run of a server inside another program: from its store to its controllers. A reset replaces it by another. */

import { catalog } from "../../api/catalog.ts";
import { checkFeatureGates } from "../../api/feature-gates.ts";
import { createStaticToken } from "../../authn/static-token.ts";
import type { Clock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Tracing } from "../../base/tracing.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import type { Interventions } from "../../http/contract/interventions.ts";
import type { Route } from "../../http/contract/routes.ts";
import type { Kv } from "../../kv/contract.ts";
import type { MemoryKv } from "../../kv/memory/memory.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/levels.ts";
import { queueMetrics } from "../../metrics/queue-readings.ts";
import { withSimulated } from "../../simulation/agent/simulated-network.ts";
import type { VirtualClock } from "../../testkit/virtual-clock.ts";
import { createWaits, type ServerWaits } from "../../testkit/waits.ts";
import { soleIdentityLease } from "../../upkeep/server-identity.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createAccess } from "../access/access.ts";
import { checkNodes } from "../all-controllers.ts";
import { proxyAddresses } from "../flags/proxy-addresses.ts";
import { givenConfigurations, imageReviews } from "../flags/read-admission-configuration.ts";
import { checkRuntimeConfig, createIsServed } from "../flags/runtime-config.ts";
import { webhookAddresses, workspaceAddresses } from "../flags/webhook-addresses.ts";
import { createSimulatedParts } from "../nodes/simulated-parts.ts";
import type { ProcessHold } from "../programs/process-hold.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServer, type Server } from "../server.ts";
import { initialObjects } from "../stores/initial-objects.ts";
import { openServerWithWorkspaces } from "../workspaces/serve.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import { type AccountKeys, chosenControllers, startLibraryControllers } from "./controllers.ts";
import type { FollowedWork } from "./followed-work.ts";
import type { LazyPki } from "./lazy-pki.ts";
import type { CreateServerOptions } from "./options.ts";
import { historyMs } from "./store.ts";

/** What the runs of one server share, and its forks too. */
export interface Own {
  readonly pki: LazyPki;
  readonly keys: () => AccountKeys;
  readonly hold: ProcessHold;
  readonly interventions: Interventions;
  readonly routes: readonly Route[];
  readonly work: FollowedWork;
  /** Undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Undefined: not listening. */
  url(): string | undefined;
}

/** What a run begins with. */
export interface Beginning {
  readonly clock: Clock;
  /** The clock, if it is virtual. */
  readonly virtual: VirtualClock | undefined;
  readonly kv: Kv;
  /** The store, if it can be forked. */
  readonly memory: MemoryKv | undefined;
  readonly continues?: ServerOptions["store"]["continues"];
}

export interface Inner extends Beginning {
  readonly server: Server;
  /** Undefined: there are none. */
  readonly workspaces: Workspaces | undefined;
  readonly waits: ServerWaits;
  /** Stops what must stop before the server does. */
  stop(): Promise<void>;
}

export function openInner(options: CreateServerOptions, own: Own, beginning: Beginning): Promise<Inner> {
  const open = () => openRun(options, own, beginning);
  // What a server does by itself is no part of what its program was doing when it opened it.
  return own.tracing === undefined ? open() : own.tracing.apart(open);
}

async function openRun(options: CreateServerOptions, own: Own, beginning: Beginning): Promise<Inner> {
  const { log = silentLog, host = "127.0.0.1" } = options;
  const { clock, virtual, kv, continues } = beginning;
  const { pki, keys, hold } = own;
  const vocabulary = vocabularyOf(options.vocabulary ?? "orch");
  const { nodes = 0 } = options;
  checkNodes(nodes, "nodes");
  const simulation = { count: nodes, ...options.simulation };
  const simulated = createSimulatedParts(simulation, clock, log);
  const controllers = chosenControllers(options.controllers, simulation, simulated);
  const hasAccounts = controllers.some(({ name }) => name === "serviceaccount");
  const issuer = vocabulary.word("https://orch.default.svc");
  const level = levelOf(options.emulatedVersion);
  const gates = new Map(Object.entries(options.featureGates ?? {}));
  const [unknown] = checkFeatureGates(gates, level).problems;
  if (unknown !== undefined) throw new Error(`featureGates: ${unknown}`);
  const runtimeConfig = new Map(Object.entries(options.runtimeConfig ?? {}).map(([key, on]) => [key, String(on)]));
  const named = [...catalog, imageReviews].map((kind) => ({ ...kind, group: vocabulary.group(kind.group) }));
  const { problem } = checkRuntimeConfig(runtimeConfig, named, vocabulary, level);
  if (problem !== undefined) throw new Error(`runtimeConfig: ${problem}`);
  let running: RunningControllers | undefined;
  let isStopped = false;
  const serviceAccounts = { issuers: [issuer], keys: () => keys().verification, lookupLegacy: true };
  const tokens = {
    issuer,
    signingKey: () => keys().signing,
    lifetimeSecondsMax: 0,
    keySetUri: "",
    url: () => own.url() ?? issuer,
  };
  const localWebhooks = webhookAddresses({ local: "auto", bindAddress: host, ownPort: () => portOf(own.url()) });
  const serverOptions: ServerOptions = {
    clock,
    log,
    tracing: own.tracing,
    random: options.random,
    api: {
      vocabulary,
      level,
      gates,
      isServed: createIsServed(runtimeConfig, level),
      allowPrivileged: true,
      virtual: simulated?.virtual,
      faultPlans: options.faultPlans,
    },
    store: { kv, initialObjects, timeoutMs: 2_000, historyMs, continues },
    admission: {
      enable: options.enableAdmissionPlugins ?? [],
      disable: options.disableAdmissionPlugins ?? (hasAccounts ? [] : ["ServiceAccount"]),
      own: options.admission ?? [],
      configuration: givenConfigurations(options.admissionConfiguration ?? {}),
      // With a virtual clock the controller goes on only when a test moves it.
      makesAccounts: hasAccounts && virtual === undefined,
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
    },
    network: {
      identityLease: soleIdentityLease,
      webhookAddresses: withSimulated(localWebhooks, simulated?.network.called),
      proxy: {
        allows: withSimulated(
          proxyAddresses({
            local: options.proxyLocalTargets ?? "deny",
            ownPort: () => portOf(own.url()),
            advertised: [],
          }),
          simulated?.network.proxied,
        ),
        nodeAgents: { own: simulated?.agents },
      },
    },
    access: {
      open: (parts) =>
        createAccess(
          {
            authentication: {
              clientAuthorities: () => pki.authorities(),
              staticTokens: options.tokens && createStaticToken({ csv: tokenLines(options.tokens) }),
              serviceAccounts,
              bootstrapTokens: false,
              audiences: [issuer],
            },
            tokens,
            authorization: { modes: [options.authorization ?? "AlwaysAllow"], subjectNames: "exact", policies: [] },
          },
          parts,
        ),
      anonymous: options.authorization === "RBAC",
    },
    requests: { limits: {}, livezGraceMs: 0, interventions: own.interventions, routes: own.routes },
    metrics: {
      more: queueMetrics(
        () => running?.stats ?? [],
        () => clock.monotonic(),
      ),
    },
  };
  const opened = options.workspaces
    ? await openServerWithWorkspaces(serverOptions, {
        webhookAddresses: workspaceAddresses({
          local: options.workspaceLocalTargets ?? "deny",
          rootAddresses: localWebhooks,
        }),
        accessOf: (workspace) => (parts) =>
          createAccess(
            {
              authentication: {
                serviceAccounts: { ...serviceAccounts, workspace },
                bootstrapTokens: false,
                audiences: [issuer],
              },
              tokens: { ...tokens, workspace },
              authorization: { modes: ["RBAC"], subjectNames: "exact", policies: [] },
            },
            parts,
          ),
        startControllers: (inside, workspace) =>
          startLibraryControllers({
            server: inside,
            controllers: chosenControllers(options.controllers, { count: 0 }, undefined),
            keys,
            authority: () => pki.made().authority,
            vocabulary,
            clock,
            log,
            random: options.random,
            workspace,
          }),
      })
    : undefined;
  const server = opened ?? (await openServer(serverOptions));
  // After the caller has its server: a short test does not pay for what it does not use.
  const started = new Promise<void>((resolve) => {
    setImmediate(() => {
      resolve();
      if (isStopped) return;
      server.startUpkeep();
      const authority = () => pki.made().authority;
      const parts = { server, controllers, keys, authority, vocabulary, clock, log, random: options.random };
      if (controllers.length > 0) running = startLibraryControllers(parts);
    });
  });
  const queues = () => [...(running?.stats ?? []), ...own.work.queues()];
  const waits = createWaits({ server, clock, virtual, started, queues, hold });
  return {
    ...beginning,
    workspaces: opened?.workspaces,
    server,
    waits,
    async stop() {
      isStopped = true;
      await running?.close();
      await simulated?.agents.close();
    },
  };
}

/** A program in JavaScript may name anything. */
function levelOf(name: string = levelDefault): Level {
  const level = levels.find((each) => each === name);
  if (level === undefined)
    throw new Error(`emulatedVersion: must be a release from ${levels[0]} to ${levels.at(-1)}, not "${name}"`);
  return level;
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
