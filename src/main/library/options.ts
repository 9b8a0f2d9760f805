/** What `createServer` takes, and what it gives. */

import type { AdmissionPlugin } from "../../admission/contract.ts";
import type { Log } from "../../base/log.ts";
import type { Tracer } from "../../base/tracing.ts";
import type { ClientConfiguration } from "../../client/config/print.ts";
import type { AnyObject } from "../../client/contract.ts";
import type { OperationResult, TransactionOperation } from "../../client/requests/transactions.ts";
import type { WebhookHandlers } from "../../kit/webhooks/webhook.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import type { TestKit } from "../../testkit/contract.ts";
import type { ControllerChoice } from "../../testkit/controller-choice.ts";
import type { NamedKind } from "../../testkit/until.ts";
import type { ClockChoice } from "../../testkit/waits.ts";
import type { Like } from "../flags/like.ts";
import type { ProxyTargets } from "../flags/proxy-addresses.ts";
import type { WorkspaceTargets } from "../flags/webhook-addresses.ts";

/**
 * What a server is like.
 * @example
 * const options: CreateServerOptions = { controllers: ["*"], nodes: 3, like: "kubernetes-1.37" };
 */
export interface CreateServerOptions {
  /** `vocabulary` and `emulatedVersion` in one word, as --like: "kubernetes-1.37". */
  readonly like?: Like;
  /** The names the server speaks; "kubernetes" for kubectl, client-go and other existing clients. Default: those of `dataDir`, or "orch". */
  readonly vocabulary?: "orch" | "kubernetes";
  /** The release whose API the server serves. Default: the level of the objects in `dataDir`, or "1.21". */
  readonly emulatedVersion?: Level;
  /** The folder in which objects are stored durably, for one process at a time. Absent: objects are in memory, and lost on close. */
  readonly dataDir?: string;
  /** A file that `snapshot` or `orch backup` has written, whose objects the server begins with. They are in memory. */
  readonly from?: string;
  /**
   * Keeps every change, with who made it, for so long and in so many bytes: "24h", "256Mi" or "24h,256Mi". Default: none is kept, and
   * past states are there for some minutes.
   */
  readonly history?: string;
  /** Kinds that the history leaves out, "-pods", or keeps for a shorter time, "deployments.apps=2h". Default: none but Events and Leases are left out. */
  readonly historyKinds?: readonly string[];
  /** Whether to listen at once. Default: false; `listen()` does it later. */
  readonly listen?: boolean;
  /** Where to listen. Default: 127.0.0.1 and any free port. */
  readonly host?: string;
  readonly port?: number;
  /** Bearer tokens that are accepted, with their users. */
  readonly tokens?: Readonly<Record<string, Omit<FetchUser, "extra">>>;
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
  readonly controllers?: false | readonly ControllerChoice[];
  /** How many simulated nodes there are, with a scheduler: pods then run, without containers (docs/simulation.md). Default: 0. */
  readonly nodes?: number;
  /** What is special about simulated nodes. */
  readonly simulation?: {
    /** Programs on this machine that ports of simulated pods may forward to: ["127.0.0.1:8443"]. Default: none. */
    readonly portTargets?: readonly string[];
    /** Images that cannot be pulled, with * for any part: ["*:nope"]. Default: none. */
    readonly pullFails?: readonly string[];
  };
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
  /** Whether `server.journal` records requests from the start, which clients read at /journal. Default: false. */
  readonly journal?: boolean;
  /** Whether FaultPlan objects of testing.orch.io are served, which plan faults over the API. Default: false. */
  readonly faultPlans?: boolean;
  /** Whether clients may copy the server over HTTPS, at /forks: each copy has its own port. Default: false. */
  readonly forks?: boolean;
  /** Whether Workspace objects are served, each an API server of its own below /clusters/NAME (docs/workspaces.md). Default: false. */
  readonly workspaces?: boolean;
  /** Whether webhooks and API services of workspaces may be on this machine, as those of the root may. Default: "deny". */
  readonly workspaceLocalTargets?: WorkspaceTargets;
  /** Where to log. Default: nowhere. */
  readonly log?: Log;
  /** Makes requests, admission and writes to the store spans: `trace.getTracer("shop")` of @opentelemetry/api. Default: nothing is traced. */
  readonly tracing?: Tracer;
  /** Returns an integer below `below`: names and uids are made from it, so that a run can be repeated. */
  readonly random?: (below: number) => number;
}

/**
 * A user of the API, whose rights apply. The group system:authenticated is added.
 * @example
 * const fetch = server.fetchAs({ name: "ann", groups: ["editors"] });
 */
export interface FetchUser {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Who the users of an app are, and where in it the server is.
 * @example
 * app.mount("/cluster", server.handler({ prefix: "/cluster", authenticate: (request) => userOf(request) }));
 */
export interface RequestHandlerOptions {
  /**
   * Who sends the request. Undefined or null: the request is authenticated as over the network, by a token that the server knows; otherwise
   * it is anonymous (with RBAC) or refused. Throw a StatusError to refuse it in other words. Default: undefined for every request.
   */
  authenticate?(request: Request): FetchUser | undefined | null | Promise<FetchUser | undefined | null>;
  /** The path under which the app serves it, which is taken away: "/cluster". Frameworks that mount a handler do it themselves. Default: none. */
  readonly prefix?: string;
}

/**
 * Which requests a webhook of a test is asked about.
 * @example
 * await using hook = await server.webhook(ConfigMap, { validate() {} }, { operations: ["DELETE"] });
 */
export interface WebhookOptions {
  /** Default: CREATE and UPDATE. */
  readonly operations?: readonly ("CREATE" | "UPDATE" | "DELETE" | "CONNECT")[];
  /** "status", "scale". Default: the objects themselves. */
  readonly subresource?: string;
}

/**
 * One write of the past, as the server records it.
 * @example
 * const [last]: RecordedChange[] = await server.history("Node", { name: "one" });
 */
export interface RecordedChange {
  /** `name` is the resourceVersion that the write gave. */
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly creationTimestamp: string };
  readonly object: {
    readonly kind?: string;
    readonly resource?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly owners?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly uid: string;
      readonly controller?: boolean;
    }[];
  };
  readonly operation: "create" | "update" | "delete";
  /** Those of the request. Absent: there was none. */
  readonly verb?: string;
  readonly subresource?: string;
  /** Who sent the request, or whom `impersonator` acted as. */
  readonly user?: string;
  readonly impersonator?: string;
  readonly userAgent?: string;
  readonly manager?: string;
  readonly requestID?: string;
  /** What made a controller send it, as it says itself. */
  readonly cause?: string;
  /** The cause is a guess: the program sent none, so it is the owner of the object. */
  readonly guessed?: boolean;
  /** The webhooks and policies that changed the object on its way. */
  readonly admission?: string;
  /** Values are JSON; a long one is cut off. */
  readonly fields?: readonly { readonly path: string; readonly old?: string; readonly new?: string }[];
  /** How many more fields have another value. */
  readonly moreFields?: number;
}

/**
 * A whole server inside this process.
 * @example
 * const server: OrchServer = await createServer();
 * const copy = await server.fork();
 */
export interface OrchServer extends AsyncDisposable, TestKit<OrchServer> {
  /**
   * Like the global fetch, without a socket. A path is enough: `server.fetch("/api/v1/namespaces")`. The user is the admin; a request with
   * an Authorization header is that of its credential, or answered with 401. For requests from outside use `handler`.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Stores several objects at once, or none, and resolves with the result of each operation.
   * @example
   * await server.transaction([{ operation: "create", object: namespace }, { operation: "create", object: map }]);
   */
  transaction(
    operations: readonly TransactionOperation[],
    options?: { readonly dryRun?: boolean },
  ): Promise<readonly OperationResult[]>;
  /**
   * Who changed an object, when and how, newest first: all that is kept, or so many. The kind is as in `until`; the server needs the option
   * `history`.
   * @example
   * const [last] = await server.history(ConfigMap, { namespace: "shop", name: "prices" });
   * console.log(last?.user, last?.fields); // "admin", [{ path: "data.apple", old: '"1"', new: '"2"' }]
   */
  history(
    kind: NamedKind | string,
    ref: { readonly namespace?: string; readonly name: string },
    options?: { readonly limit?: number },
  ): Promise<RecordedChange[]>;
  /** Fetches as another user: `server.fetchAs({ name: "eve", groups: ["dev"] })`. A request with an Authorization header is that of its credential. */
  fetchAs(user: FetchUser): OrchServer["fetch"];
  /**
   * Answers the requests of an app's users, each as the user that the app says: for Hono, Deno, Bun, service workers, and with
   * `nodeListener` for Express and `node:http`. No user is the admin unless `authenticate` says so.
   * @example
   * app.mount("/cluster", server.handler({ authenticate: (request) => sessions.userOf(request) }));
   */
  handler(options?: RequestHandlerOptions): (request: Request) => Promise<Response>;
  /**
   * Has a webhook asked about writes of a kind: its certificate, its port and its configuration are made, and removed by `close`. The kind is as
   * in `until`.
   * @example
   * await using hook = await server.webhook(ConfigMap, { validate({ object }) { if (!object?.data) throw new Error("data is needed"); } });
   */
  webhook<T extends AnyObject = ApiObject>(
    kind: NamedKind<T> | string,
    handlers: Pick<WebhookHandlers<T>, "mutate" | "validate">,
    options?: WebhookOptions,
  ): Promise<AsyncDisposable & { close(): Promise<void> }>;
  /**
   * A workspace of this server, which is created if there is none of this name; the server needs the option `workspaces`.
   * @example
   * const shop = await server.workspace("shop");
   * await shop.fetch("/api/v1/namespaces");
   */
  workspace(name: string, options?: { readonly type?: string }): Promise<ServerWorkspace>;
  /** Opens the port if it is not open yet, and resolves with the URL. */
  listen(): Promise<string>;
  /** Undefined: not listening. */
  readonly url: string | undefined;
  /** For clients that use HTTPS; starts to listen. As an object, and as the text of a file. */
  clientConfig(): Promise<ClientConfig>;
  /**
   * Opens the console on a port of the loopback address, and resolves with its link, to look at the server while a test is paused. The
   * page acts as the admin.
   */
  consoleUrl(): Promise<string>;
  /** Ends every watch and releases all resources. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * An API server of its own at a path of another one: its requests are those of an ordinary server.
 * @example
 * const shop: ServerWorkspace = await server.workspace("shop");
 */
export interface ServerWorkspace
  extends Pick<OrchServer, "fetch" | "fetchAs" | "clientConfig" | "until" | "untilGone" | "settled"> {
  readonly name: string;
}

/**
 * A client configuration, as text and as an object.
 * @example
 * const { text, kubeconfig }: ClientConfig = await server.clientConfig();
 */
export interface ClientConfig {
  readonly server: string;
  /** PEM texts. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  /** The form that kubectl and client libraries read. */
  readonly kubeconfig: ClientConfiguration;
  /** The body as text. */
  readonly text: string;
}
