/** `import { createServer } from "orch"`: a whole server inside another program, in memory, without a socket until needed. */

import type { AdmissionPlugin } from "../admission/contract.ts";
import { checkFeatureGates } from "../api/feature-gates.ts";
import { parseAuthorities } from "../authn/certificate-chain.ts";
import { createStaticToken } from "../authn/static-token.ts";
import type { Clock } from "../base/clock.ts";
import { type Log, silentLog } from "../base/log.ts";
import { type ClientConfiguration, clientConfiguration, printClientConfiguration } from "../client/config/print.ts";
import type { Running } from "../controllers/contract.ts";
import type { RunningControllers } from "../controllers/run.ts";
import type { Listener } from "../http/contract/listener.ts";
import { openListener } from "../http/transport/listen.ts";
import { createMemoryFetch } from "../http/transport/memory-exchange.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import type { User } from "../machinery/meta/user.ts";
import { type Level, levelDefault, levels } from "../machinery/schema/level.ts";
import { queueMetrics } from "../metrics/queue-readings.ts";
import type { TestKit } from "../testkit/contract.ts";
import { type ClockChoice, createTestKit, openClock } from "../testkit/kit.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import { createAccess } from "./access.ts";
import { localUrl } from "./flags/addresses.ts";
import { type ProxyTargets, proxyAddresses } from "./flags/proxy-addresses.ts";
import { givenConfigurations } from "./flags/read-admission-configuration.ts";
import { createIsServed } from "./flags/runtime-config.ts";
import { webhookAddresses } from "./flags/webhook-addresses.ts";
import { initialObjects } from "./initial-objects.ts";
import { chosenControllers, createAccountKeys, startLibraryControllers } from "./library-controllers.ts";
import { issueAuthority, issueClient, issueServing, type KeyPair } from "./pki/issue.ts";
import { createProcessHold, type ProcessHold } from "./process-hold.ts";
import { openServer, type Server } from "./server.ts";

// For programs that write admission plugins.
export { refuse } from "../admission/context.ts";
export type { AdmissionPlugin } from "../admission/contract.ts";
export { on, plugin, type RequestOn, under } from "../admission/on.ts";
export type { AdmissionRequest, Operation } from "../registry/contract/admission.ts";
export { kinds } from "./kinds.ts";

// Node loads the implementation of `fetch` on first use; without this line the first request of a test would pay for it.
void globalThis.Response;

export interface CreateServerOptions {
  /** The names the server speaks; "kubernetes" for kubectl, client-go and other existing clients. Default: "orch". */
  readonly vocabulary?: "orch" | "kubernetes";
  /** The release whose API the server serves. Default: "1.21". */
  readonly emulatedVersion?: Level;
  /** The folder in which objects are stored durably, for one process at a time. Absent: objects are in memory, and lost on close. */
  readonly dataDir?: string;
  /** Whether to listen at once. Default: false; `listen()` does it later. */
  readonly listen?: boolean;
  /** Where to listen. Default: 127.0.0.1 and any free port. */
  readonly host?: string;
  readonly port?: number;
  /** Bearer tokens that are accepted, with their users. */
  readonly tokens?: Readonly<Record<string, { readonly user: string; readonly groups?: readonly string[] }>>;
  /** "RBAC" uses roles (and creates the default ones); "AlwaysAllow" allows every request. Default: "AlwaysAllow". */
  readonly authorization?: "RBAC" | "AlwaysAllow";
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Group versions to serve or not, as --runtime-config: { "access.orch.io/v1alpha1": true }. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  readonly enableAdmissionPlugins?: readonly string[];
  /** Whether requests may be proxied to pods and nodes on this machine or on its link. Default: "deny". */
  readonly proxyLocalTargets?: ProxyTargets;
  /** Default: none, or ["ServiceAccount"] if no controller creates the accounts that it requires. */
  readonly disableAdmissionPlugins?: readonly string[];
  /**
   * Controllers in addition to those that complete the API (namespaces, garbage collection, accounts and their tokens, root
   * authorities, roles, quotas): "deployment" adds one, "*" all, "-garbagecollector" removes one. false: none.
   */
  readonly controllers?: false | readonly string[];
  /** How many simulated nodes there are, with a scheduler: pods then run, without containers (docs/simulation.md). Default: 0. */
  readonly nodes?: number;
  /**
   * Your own admission plugins, which change or refuse writes: `plugin("name", [on(kinds.Pod, "CREATE", { mutate, validate })])`.
   * They run in this order after the built-in ones; only webhooks and quotas come after them.
   */
  readonly admission?: readonly AdmissionPlugin[];
  /** Configuration of built-in plugins by their name, as in the file of --admission-control-config-file. */
  readonly admissionConfiguration?: Readonly<Record<string, unknown>>;
  /**
   * "virtual": time stands still until `server.clock.advance("1h")`; it begins at the present, or at a given time:
   * { virtual: "2026-01-01T00:00:00Z" }. Default: the clock of the system.
   */
  readonly clock?: ClockChoice;
  /** Where to log. Default: nowhere. */
  readonly log?: Log;
  /** Returns an integer below `below`: names and uids are made from it, so that a run can be repeated. */
  readonly random?: (below: number) => number;
}

export interface OrchServer extends AsyncDisposable, TestKit {
  /** Like the global fetch, without a socket. A path is enough: `server.fetch("/api/v1/namespaces")`. The user is the admin. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The same as another user. */
  fetchAs(user: { readonly name: string; readonly groups?: readonly string[] }): OrchServer["fetch"];
  /** Opens the port if it is not open yet, and resolves with the URL. */
  listen(): Promise<string>;
  /** Undefined: not listening. */
  readonly url: string | undefined;
  /** For clients that use HTTPS; starts to listen. As an object, and as the text of a file. */
  clientConfig(): Promise<ClientConfig>;
  /** Ends every watch and releases all resources. Calling it again does nothing. */
  close(): Promise<void>;
}

export interface ClientConfig {
  readonly server: string;
  /** PEM texts. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  /** The form that kubectl and client libraries read. */
  readonly kubeconfig: ClientConfiguration;
  /** The same as text. */
  readonly text: string;
}

const admin: User = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };

/**
 * Resolves when the server is ready. It prints nothing and handles no signals. An idle server does not keep the process alive;
 * a request that waits for its answer, or a reader that waits for the next event of a watch, does.
 */
export async function createServer(options: CreateServerOptions = {}): Promise<OrchServer> {
  const hold = createProcessHold();
  const release = hold();
  try {
    return await openOwnServer(options, hold);
  } finally {
    release();
  }
}

async function openOwnServer(options: CreateServerOptions, hold: ProcessHold): Promise<OrchServer> {
  const { log = silentLog, host = "127.0.0.1", port = 0 } = options;
  const { clock, virtual } = openClock(options.clock);
  const vocabulary = vocabularyOf(options.vocabulary ?? "orch");
  const pki = createLazyPki(clock, host);
  const controllers = chosenControllers(options.controllers, options.nodes);
  const hasAccounts = controllers.some(({ name }) => name === "serviceaccount");
  const keys = createAccountKeys();
  const issuer = vocabulary.word("https://orch.default.svc");
  const level = levelOf(options.emulatedVersion);
  const gates = new Map(Object.entries(options.featureGates ?? {}));
  const [unknown] = checkFeatureGates(gates, level).problems;
  if (unknown !== undefined) throw new Error(`featureGates: ${unknown}`);
  let opened: OpenServer | undefined;
  let running: RunningControllers | undefined;
  const server = await openServer({
    clock,
    log,
    random: options.random,
    api: {
      vocabulary,
      level,
      gates,
      isServed: createIsServed(
        new Map(Object.entries(options.runtimeConfig ?? {}).map(([key, on]) => [key, String(on)])),
      ),
      allowPrivileged: true,
    },
    store: { kv: await openOwnStore(options, { clock, log }), initialObjects, timeoutMs: 2_000, historyMs },
    admission: {
      enable: options.enableAdmissionPlugins ?? [],
      disable: options.disableAdmissionPlugins ?? (hasAccounts ? [] : ["ServiceAccount"]),
      own: options.admission ?? [],
      configuration: givenConfigurations(options.admissionConfiguration ?? {}),
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
    },
    network: {
      webhookAddresses: webhookAddresses({ local: "auto", bindAddress: host, ownPort: () => portOf(opened?.url) }),
      proxy: {
        allows: proxyAddresses({
          local: options.proxyLocalTargets ?? "deny",
          ownPort: () => portOf(opened?.url),
          advertised: [],
        }),
      },
    },
    access: {
      open: (parts) =>
        createAccess(
          {
            authentication: {
              clientAuthorities: () => pki.authorities(),
              staticTokens: options.tokens && createStaticToken({ csv: tokenLines(options.tokens) }),
              serviceAccounts: { issuers: [issuer], keys: () => keys().verification, lookupLegacy: true },
              bootstrapTokens: false,
              audiences: [issuer],
            },
            tokens: {
              issuer,
              signingKey: () => keys().signing,
              lifetimeSecondsMax: 0,
              keySetUri: "",
              url: () => opened?.url ?? issuer,
            },
            authorization: { modes: [options.authorization ?? "AlwaysAllow"], subjectNames: "exact", policies: [] },
          },
          parts,
        ),
      anonymous: options.authorization === "RBAC",
    },
    requests: { limits: {}, livezGraceMs: 0 },
    metrics: {
      more: queueMetrics(
        () => running?.stats ?? [],
        () => clock.monotonic(),
      ),
    },
  });
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const kit = createTestKit({ server, clock, virtual, started, queues: () => running?.stats ?? [], hold });
  opened = new OpenServer(server, { host, port, log, pki, hold, kit, vocabulary: vocabulary.name });
  if (options.listen) await opened.listen();
  const made = opened;
  // After the caller has its server: a short test does not pay for what it does not use.
  setImmediate(() => {
    server.startUpkeep();
    const authority = () => pki.made().authority;
    made.run(() => {
      const parts = { server, controllers, keys, authority, vocabulary, clock, log, random: options.random };
      running = startLibraryControllers(parts);
      return running;
    });
    start();
  });
  return opened;
}

/** A program in JavaScript may name anything. */
function levelOf(name: string = levelDefault): Level {
  const level = levels.find((each) => each === name);
  if (level === undefined) throw new Error(`emulatedVersion: must be ${levels.join(" or ")}, not "${name}"`);
  return level;
}

const portOf = (url: string | undefined) => (url === undefined ? undefined : Number(new URL(url).port));

const historyMs = 300_000;

/** In memory unless a folder is named, which records its vocabulary like the folder of `orch up`. */
async function openOwnStore({ dataDir, vocabulary = "orch" }: CreateServerOptions, parts: { clock: Clock; log: Log }) {
  if (dataDir === undefined) return createMemoryKv();
  const { openDataFolder } = await import("./data-folder.ts");
  const { openStore } = await import("./store.ts");
  const { store } = await openDataFolder(dataDir, vocabulary);
  return openStore({ store: "embedded", folder: store, historyMs }, parts);
}

interface OpenOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly pki: LazyPki;
  readonly hold: ProcessHold;
  readonly kit: TestKit;
  readonly vocabulary: "orch" | "kubernetes";
}

class OpenServer implements OrchServer {
  readonly fetch: OrchServer["fetch"];
  readonly clock: TestKit["clock"];
  readonly until: TestKit["until"];
  readonly untilGone: TestKit["untilGone"];
  readonly settled: TestKit["settled"];
  readonly #server: Server;
  readonly #options: OpenOptions;
  #listening: Promise<Listener> | undefined;
  #url: string | undefined;
  #closed: Promise<void> | undefined;
  #running: Running | undefined;

  constructor(server: Server, options: OpenOptions) {
    this.#server = server;
    this.#options = options;
    ({ clock: this.clock, until: this.until, untilGone: this.untilGone, settled: this.settled } = options.kit);
    this.fetch = createMemoryFetch(server.handler, { user: admin, hold: options.hold });
  }

  fetchAs({ name, groups = [] }: { readonly name: string; readonly groups?: readonly string[] }): OrchServer["fetch"] {
    const user: User = { name, uid: "", groups: [...groups, "system:authenticated"], extra: new Map() };
    return createMemoryFetch(this.#server.handler, { user, hold: this.#options.hold });
  }

  get url(): string | undefined {
    return this.#url;
  }

  async listen(): Promise<string> {
    if (this.#closed) throw new Error("the server is closed");
    const { host, port, log, pki } = this.#options;
    const { serving, authority } = pki.made();
    this.#listening ??= openListener({
      handler: this.#server.handler,
      mayUpgrade: this.#server.mayUpgrade,
      host,
      port,
      serving,
      clientAuthorities: [authority.certificate],
      log,
    });
    const listener = await this.#listening;
    this.#url ??= localUrl(host, listener.port);
    return this.#url;
  }

  async clientConfig(): Promise<ClientConfig> {
    const server = await this.listen();
    const { authority, admin: pair } = this.#options.pki.made();
    const access = { server, authority: authority.certificate, certificate: pair.certificate, key: pair.key };
    const kubeconfig = clientConfiguration(access, vocabularyOf(this.#options.vocabulary));
    return { ...access, kubeconfig, text: printClientConfiguration(kubeconfig) };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Starts what must stop before the server does. */
  run(start: () => Running): void {
    if (this.#closed === undefined) this.#running = start();
  }

  async #close(): Promise<void> {
    const release = this.#options.hold();
    try {
      await this.#running?.close();
      this.#server.lifecycle.end();
      const listener = await this.#listening?.catch(() => undefined);
      await listener?.close(0);
      await this.#server.close();
    } finally {
      release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

interface LazyPki {
  /** Made on first use: most tests never open a port. */
  made(): { readonly authority: KeyPair; readonly serving: KeyPair; readonly admin: KeyPair };
  authorities(): ReturnType<typeof parseAuthorities>;
}

function createLazyPki(clock: Clock, host: string): LazyPki {
  let pairs: ReturnType<LazyPki["made"]> | undefined;
  let authorities: ReturnType<typeof parseAuthorities> = { verify: () => undefined };
  const make = () => {
    const authority = issueAuthority("orch-authority", clock);
    const hosts = [...new Set(["localhost", "127.0.0.1", "::1", host])];
    const serving = issueServing(authority, { commonName: "orch-apiserver", hosts }, clock);
    const admin = issueClient(authority, { commonName: "admin", organizations: ["system:masters"] }, clock);
    authorities = parseAuthorities(authority.certificate);
    return { authority, serving, admin };
  };
  return {
    made() {
      pairs ??= make();
      return pairs;
    },
    authorities: () => authorities,
  };
}

/** Like the lines of a token file. */
function tokenLines(tokens: NonNullable<CreateServerOptions["tokens"]>): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  return Object.entries(tokens)
    .map(([token, { user, groups = [] }]) =>
      [quoted(token), quoted(user), '""', ...(groups.length > 0 ? [quoted(groups.join(","))] : [])].join(","),
    )
    .join("\n");
}
