/** A server inside another program: its fetch, its port, its states. */

import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { systemClock } from "../../base/clock.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { openTracing } from "../../base/open-telemetry.ts";
import { type FollowWork, followWork } from "../../base/queue/followed-work.ts";
import { clientConfiguration, printClientConfiguration } from "../../client/config/print.ts";
import type { AnyObject, Ref } from "../../client/contract.ts";
import { createSender } from "../../client/requests/send.ts";
import { sendTransaction, type TransactionOperation } from "../../client/requests/transactions.ts";
import type { Listener } from "../../http/contract/listener.ts";
import { openListener } from "../../http/transport/listen.ts";
import { createMemoryFetch, createMemoryFetchAs } from "../../http/transport/memory-exchange.ts";
import type { WebhookHandlers } from "../../kit/webhooks/webhook.ts";
import type { MemoryKv } from "../../kv/memory/memory.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { ForkOptions, Waits } from "../../testkit/contract.ts";
import type { Faults } from "../../testkit/faults/contract.ts";
import { createFaults } from "../../testkit/faults/faults.ts";
import type { FollowedPlans } from "../../testkit/faults/plans.ts";
import { createInterventions, kitUser } from "../../testkit/interventions.ts";
import type { Journal } from "../../testkit/journal/contract.ts";
import { createJournal } from "../../testkit/journal/journal.ts";
import { createJournalRoute } from "../../testkit/journal/route.ts";
import type { Loadable } from "../../testkit/load/load.ts";
import { findKind, type NamedKind } from "../../testkit/until.ts";
import { openClock } from "../../testkit/waits.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { localUrl } from "../addresses.ts";
import { confidentialFields } from "../confidential-fields.ts";
import type { ConsoleLink } from "../console/link.ts";
import { serviceHosts } from "../pki/serving-hosts.ts";
import type { ProcessHold } from "../programs/process-hold.ts";
import { defaultServiceRanges } from "../services.ts";
import { changesOf } from "./changes-of.ts";
import { checkFork, checkHandler, checkUntil, checkWebhook } from "./check-options.ts";
import { createClockRoute } from "./clock-route.ts";
import { createAccountKeys } from "./controllers.ts";
import { recordChoices, withChoicesOfFolder } from "./folder-choices.ts";
import { createFollowedWork } from "./followed-work.ts";
import { createForks, type Forks } from "./forks.ts";
import { type Beginning, type Inner, type Own, openInner } from "./inner.ts";
import { createLazyPki } from "./lazy-pki.ts";
import type {
  ClientConfig,
  CreateServerOptions,
  FetchUser,
  OrchServer,
  RecordedChange,
  RequestHandlerOptions,
  ServerWorkspace,
  WebhookOptions,
} from "./options.ts";
import { createRequestHandler, userOf } from "./request-handler.ts";
import { openOwnStore, writeSnapshot } from "./store.ts";

const admin: User = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };

/** A state of a server that others go on from. It is never changed. */
interface State {
  readonly memory: MemoryKv;
  readonly nowMs: number;
  readonly continues: NonNullable<Beginning["continues"]>;
}

interface Parts {
  readonly own: Own;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly forks: Forks | undefined;
}

export class OpenServer implements OrchServer {
  readonly fetch: OrchServer["fetch"];
  readonly clock: Waits["clock"];
  readonly journal: Journal;
  readonly faults: Faults;
  readonly #options: CreateServerOptions;
  readonly #own: Own;
  readonly #forks: Forks | undefined;
  readonly #log: Log;
  readonly #host: string;
  #inner: Inner;
  #marked: State | undefined;
  /** Forks that began before it is closed get their state. */
  readonly #copying = new Set<Promise<State>>();
  #plans: FollowedPlans | undefined;
  #listening: Promise<Listener> | undefined;
  #url: string | undefined;
  #console: Promise<ConsoleLink> | undefined;
  #closed: Promise<void> | undefined;
  readonly [followWork]: FollowWork = (queues) => this.#own.work.follow(queues);

  /** Resolves when the server is ready. `from`: the state that it goes on from, and the other server, whose tokens are in it. */
  static async open(
    asked: CreateServerOptions,
    hold: ProcessHold,
    from?: { readonly state: State; readonly own: Own },
  ): Promise<OpenServer> {
    const options = await withChoicesOfFolder(asked);
    let opened: OpenServer | undefined;
    const given = from === undefined ? undefined : beginAt(from.state, options);
    const clocks = given ?? openClock(options.clock);
    const rolesApiVersion = `${vocabularyOf(options.vocabulary ?? "orch").group(ClusterRole.group)}/${ClusterRole.version}`;
    const now = () => opened?.clock.now() ?? clocks.clock.now();
    const confidential = confidentialFields(vocabularyOf(options.vocabulary ?? "orch"));
    const journal = createJournal({ isOn: options.journal === true, now, rolesApiVersion, confidential });
    const faults = createFaults(() => (opened === undefined ? clocks.clock : opened.#inner.clock), options.log);
    const forks = options.forks ? createForks(() => opened as OrchServer) : undefined; // no request comes before it is open
    const isForTests = options.forks || options.journal || options.faultPlans;
    const moved = { now, advance: async (ms: number) => opened?.clock.advance(ms) };
    const own: Own = {
      routes: [
        ...(forks?.routes ?? []),
        ...(options.journal === true ? [createJournalRoute(journal)] : []),
        ...(isForTests && clocks.virtual !== undefined
          ? [createClockRoute(() => moved, options.log ?? silentLog)]
          : []),
      ],
      interventions: createInterventions(journal, faults),
      // A fork has keys of its own: who may make one must not become an administrator of the server that it is made of.
      pki: createLazyPki(clocks.clock, [
        options.host ?? "127.0.0.1",
        ...serviceHosts(vocabularyOf(options.vocabulary ?? "orch"), defaultServiceRanges.addresses),
      ]),
      keys: createAccountKeys(from?.own.keys),
      hold,
      url: () => opened?.url,
      work: createFollowedWork(),
      tracing: options.tracing && (await openTracing(options.tracing)),
    };
    const beginning = given ?? { ...clocks, ...(await openOwnStore(options, clocks.clock)) };
    opened = new OpenServer(options, { own, journal, faults, forks }, await openInner(options, own, beginning));
    await recordChoices(options);
    await opened.#followPlans();
    if (options.listen) await opened.listen();
    return opened;
  }

  private constructor(options: CreateServerOptions, { own, journal, faults, forks }: Parts, inner: Inner) {
    this.#options = options;
    this.#own = own;
    this.#forks = forks;
    this.journal = journal;
    this.faults = faults;
    this.#inner = inner;
    this.#log = options.log ?? silentLog;
    this.#host = options.host ?? "127.0.0.1";
    this.fetch = this.#fetchOf(admin);
    // A reset makes another clock.
    this.clock = {
      isVirtual: inner.virtual !== undefined,
      now: () => this.#inner.clock.now(),
      monotonic: () => this.#inner.clock.monotonic(),
      after: (ms, callback) => this.#inner.clock.after(ms, callback),
      advance: (by) => this.#inner.waits.clock.advance(by),
    };
  }

  fetchAs(user: FetchUser): OrchServer["fetch"] {
    return this.#fetchOf(userOf("fetchAs", user));
  }

  async transaction(operations: readonly TransactionOperation[], options: { readonly dryRun?: boolean } = {}) {
    const send = createSender({ fetch: this.fetch, clock: systemClock, userAgent: "orch" });
    return await sendTransaction(send, operations, options);
  }

  async history(
    kind: NamedKind | string,
    ref: Ref,
    { limit }: { readonly limit?: number } = {},
  ): Promise<RecordedChange[]> {
    const send = createSender({ fetch: this.fetch, clock: systemClock, userAgent: "orch" });
    return await changesOf(send, findKind(this.#inner.server.catalog, kind), ref, limit);
  }

  #fetchOf(user: User): OrchServer["fetch"] {
    const options = { user, honoursCredentials: true, hold: this.#own.hold };
    return createMemoryFetch((exchange) => this.#inner.server.handler(exchange), options);
  }

  handler(options: RequestHandlerOptions = {}): (request: Request) => Promise<Response> {
    checkHandler(options);
    const fetchAs = createMemoryFetchAs((exchange) => this.#inner.server.handler(exchange), { hold: this.#own.hold });
    return createRequestHandler(fetchAs, this.#log, options);
  }

  async #followPlans(): Promise<void> {
    this.#plans?.close();
    if (!this.#options.faultPlans) return;
    const { followFaultPlans } = await import("../../testkit/faults/plans.ts");
    const { registry, catalog, handler } = this.#inner.server;
    this.#plans = await followFaultPlans({
      registry,
      catalog,
      vocabulary: vocabularyOf(this.#options.vocabulary ?? "orch"),
      faults: this.faults,
      fetch: createMemoryFetch(handler, { user: kitUser }),
      onError: (error) => this.#log.error("fault plans could not be followed", { error }),
    });
  }

  async webhook<T extends AnyObject = ApiObject>(
    kind: NamedKind<T> | string,
    handlers: Pick<WebhookHandlers<T>, "mutate" | "validate">,
    options: WebhookOptions = {},
  ): Promise<AsyncDisposable & { close(): Promise<void> }> {
    checkWebhook(handlers, options);
    const { openTestWebhook } = await import("./test-webhook.ts");
    const { catalog, registry } = this.#inner.server;
    const vocabulary = vocabularyOf(this.#options.vocabulary ?? "orch");
    const caughtUp = async () => registry.catchUp();
    return openTestWebhook(
      { fetch: this.fetch, vocabulary, kind: findKind(catalog, kind), caughtUp },
      handlers,
      options,
    );
  }

  get url(): string | undefined {
    return this.#url;
  }

  async listen(): Promise<string> {
    if (this.#closed) throw new Error("the server is closed");
    const { serving, authority } = this.#own.pki.made();
    this.#listening ??= openListener({
      handler: (exchange) => this.#inner.server.handler(exchange),
      mayUpgrade: (method, target) => this.#inner.server.mayUpgrade(method, target),
      host: this.#host,
      port: this.#options.port ?? 0,
      serving,
      clientAuthorities: [authority.certificate],
      log: this.#log,
    });
    const listener = await this.#listening;
    this.#url ??= localUrl(this.#host, listener.port);
    return this.#url;
  }

  async clientConfig(): Promise<ClientConfig> {
    const server = await this.listen();
    const { authority, admin: pair } = this.#own.pki.made();
    const access = { server, authority: authority.certificate, certificate: pair.certificate, key: pair.key };
    const kubeconfig = clientConfiguration(access, vocabularyOf(this.#options.vocabulary ?? "orch"));
    return { ...access, kubeconfig, text: printClientConfiguration(kubeconfig) };
  }

  async workspace(name: string, { type = "" }: { readonly type?: string } = {}): Promise<ServerWorkspace> {
    const { workspaces } = this.#inner;
    if (workspaces === undefined) throw new Error("workspace: the server needs { workspaces: true }");
    const { openServerWorkspace } = await import("./server-workspace.ts");
    return openServerWorkspace({ server: this, name, type, inner: () => this.#inner, hold: this.#own.hold });
  }

  async consoleUrl(): Promise<string> {
    if (this.#closed) throw new Error("the server is closed");
    const { openConsoleLink } = await import("../console/link.ts");
    this.#console ??= openConsoleLink({
      fetch: this.fetch,
      user: admin,
      server: this,
      vocabulary: vocabularyOf(this.#options.vocabulary ?? "orch"),
      name: "",
      isReadOnly: false,
    });
    return (await this.#console).url;
  }

  readonly until: Waits["until"] = async (...args) => {
    checkUntil("until", args[3]);
    return this.#inner.waits.until(...args);
  };
  readonly untilGone: Waits["untilGone"] = async (...args) => {
    checkUntil("untilGone", args[2]);
    await this.#inner.waits.untilGone(...args);
  };
  readonly settled: Waits["settled"] = async (options = {}) => {
    checkUntil("settled", options);
    await this.#inner.waits.settled(options);
  };

  async fork(own: ForkOptions = {}): Promise<OrchServer> {
    checkFork(own);
    const { controllers = this.#options.controllers } = own;
    const { listen: _listen, port: _port, forks: _forks, ...options } = this.#options;
    const given = controllers === undefined ? options : { ...options, controllers };
    if (this.#closed) throw new Error("the server is closed");
    const copying = this.#stateAfterStart();
    this.#copying.add(copying);
    try {
      return await OpenServer.open(given, this.#own.hold, { state: await copying, own: this.#own });
    } finally {
      this.#copying.delete(copying);
    }
  }

  /** What this server writes after its start, each of its forks would write again. */
  async #stateAfterStart(): Promise<State> {
    await this.#inner.waits.begun();
    return this.#state();
  }

  async mark(): Promise<void> {
    if (this.#closed) throw new Error("the server is closed");
    this.#marked = await this.#state();
  }

  async reset(): Promise<void> {
    if (this.#closed) throw new Error("the server is closed");
    if (this.#marked === undefined) throw new Error("reset goes back to the state at mark(), which was not called");
    const before = this.#inner;
    await before.stop();
    // Later than any version that a client may have seen, so that none takes up an old watch here.
    const revision = (await before.kv.revision()) + 1n;
    this.#inner = await openInner(this.#options, this.#own, beginAt(this.#marked, this.#options, revision));
    before.server.lifecycle.end();
    await before.server.close();
    this.faults.clear();
    await this.#followPlans();
  }

  async load(what: Loadable): Promise<number> {
    const { server, waits } = this.#inner;
    const { load } = await import("../../testkit/load/load.ts");
    return load({ catalog: server.catalog, fetch: this.fetch, pause: () => waits.settled() }, what);
  }

  async snapshot(path: string): Promise<void> {
    const { kv, clock } = this.#inner;
    return writeSnapshot(path, kv, { vocabulary: this.#options.vocabulary ?? "orch", clock });
  }

  /** The present state, when the cache has everything that the store has. */
  async #state(): Promise<State> {
    const { server, memory, virtual, clock } = this.#inner;
    if (memory === undefined) throw new Error("a server with a dataDir has its objects on disk, and cannot be forked");
    // In a loop, so that nothing is written between the last question and the copy.
    for (let wait = server.registry.catchUp(); wait !== undefined; wait = server.registry.catchUp()) await wait;
    // Declarations know the clock of their server, so servers with clocks of their own do not share them.
    const shared = virtual === undefined ? { catalog: server.catalog, cache: server.registry.cacheState() } : undefined;
    return { memory: memory.fork(), nowMs: clock.now(), continues: { shared } };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const release = this.#own.hold();
    const { server, stop } = this.#inner;
    try {
      await Promise.allSettled(this.#copying);
      this.#plans?.close();
      await this.#forks?.close();
      await (await this.#console?.catch(() => undefined))?.close();
      await stop();
      server.lifecycle.end();
      const listener = await this.#listening?.catch(() => undefined);
      await listener?.close(0);
      await server.close();
    } finally {
      release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function beginAt({ memory, nowMs, continues }: State, options: CreateServerOptions, revision?: bigint): Beginning {
  const isVirtual = options.clock === "virtual" || (options.clock !== undefined && "virtual" in options.clock);
  const clocks = openClock(isVirtual ? { virtual: nowMs } : options.clock);
  const kv = memory.fork(revision, clocks.clock);
  return { ...clocks, kv, memory: kv, continues };
}
