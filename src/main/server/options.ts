/** What a server is made of: given by the flags of a command, or by the options of the library. */

import type { ComponentName } from "../../actions/components/components.ts";
import type { PluginConfigurations } from "../../admission/configuration/admission-configuration.ts";
import type { AdmissionPlugin } from "../../admission/contract.ts";
import type { GateHistories } from "../../api/gates/stages.ts";
import type { Audit } from "../../audit/contract.ts";
import type { RequestAuthenticator } from "../../authn/contract.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { Clock } from "../../base/clock.ts";
import type { AddressCheck } from "../../base/https-call.ts";
import type { Log } from "../../base/log.ts";
import type { Metric } from "../../base/metrics.ts";
import type { Release } from "../../base/release.ts";
import type { Tracing } from "../../base/tracing.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import type { ProxyOptions } from "../../extensions/proxy/proxy.ts";
import type { Fairness } from "../../flowcontrol/contract.ts";
import type { RequestLimits } from "../../http/contract/handler-options.ts";
import type { Interventions } from "../../http/contract/interventions.ts";
import type { Route } from "../../http/contract/routes.ts";
import type { Kv, KvEvents } from "../../kv/contract.ts";
import type { ChangingCatalog } from "../../machinery/catalog/bind.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import type { CacheState } from "../../registry/cache/watch-cache.ts";
import type { Action } from "../../registry/contract/action.ts";
import type { VirtualSource } from "../../registry/contract/allocator.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import type { DefaultRoles } from "../../upkeep/bootstrap.ts";
import type { IdentityLease } from "../../upkeep/contract.ts";
import type { InitialObjects } from "../../upkeep/initial-objects.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { IsServed } from "../flags/runtime-config.ts";
import type { HistoryKinds } from "../history-kinds.ts";
import type { MetricChoice } from "../metric-choice.ts";
import type { ServiceRanges } from "../services.ts";

export interface ServerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** See EnvironmentOptions. */
  readonly random?: ((below: number) => number) | undefined;
  readonly api: ApiOptions;
  readonly store: StoreOptions;
  readonly access: AccessOptions;
  readonly admission: AdmissionOptions;
  readonly requests: RequestOptions;
  readonly network: NetworkOptions;
  readonly metrics?: MetricOptions;
}

/** A kind that is not stored, with the source of its objects. */
export interface VirtualKind {
  readonly kind: Kind;
  readonly source: VirtualSource;
}

/** What the server serves, and in which names. */
interface ApiOptions {
  readonly vocabulary: Vocabulary;
  /** --emulated-version. Default: the level of the specification. */
  readonly level?: Release | undefined;
  /** What the server declares. Default: all that the product does; a test gives a release that does not exist yet. */
  readonly declared?: { readonly kinds?: readonly Kind[]; readonly gates?: GateHistories } | undefined;
  /** --feature-gates. */
  readonly gates: ReadonlyMap<string, boolean>;
  readonly isServed: IsServed;
  readonly allowPrivileged: boolean;
  /** Kinds in addition to those of the product, whose objects are made for each reader. Default: none. */
  readonly virtual?: readonly VirtualKind[] | undefined;
  /** Stored kinds in addition to those of the product. Default: none. */
  readonly more?: readonly Kind[] | undefined;
  /** Which parts of a control plane run in this process, for component statuses. Default: none. */
  readonly runningHere?: (() => readonly ComponentName[]) | undefined;
  /** Whether FaultPlan objects are served, whose definition an earlier start may have left in the store. Default: false. */
  readonly faultPlans?: boolean | undefined;
}

interface StoreOptions {
  /** The server takes ownership and closes it. */
  readonly kv: Kv;
  /** The store whose bytes backups copy, if `kv` shows them in another form (encryption at rest). Default: `kv`. */
  readonly backupOf?: Kv;
  /** Whether other servers write to the store too. Default: false. */
  readonly isShared?: boolean;
  readonly timeoutMs: number;
  /** How long past states can be read and watched again. */
  readonly historyMs: number;
  /** Kinds whose changes the history does not keep, or for a shorter time. Absent: none but the fleeting ones. */
  readonly historyKinds?: HistoryKinds;
  /** --kvstore-db-metric-poll-interval. Default: that of v1.21. */
  readonly sizePollMs?: number;
  /** Event TTL; 0: Events are kept forever. Absent: the default of v1.21. */
  readonly eventTtlMs?: number;
  /** Encryption of what is stored. The code that opened it closes it, after the server. Absent: nothing is encrypted. */
  readonly encryption?: Encryption;
  /** The store was forked from that of another server of this process, so the initial objects are there. */
  readonly continues?: Continued | undefined;
  /** Signs continue tokens. Absent: one is kept in the store. */
  readonly continueKey?: Uint8Array | undefined;
  /** Objects that servers of this process have created in new stores. Absent: they are made for each store. */
  readonly initialObjects?: InitialObjects;
}

/** A server from whose store another one goes on. */
interface Continued {
  /** What both may share because they have the same clock: declarations, and the objects in memory. Absent: nothing. */
  readonly shared?: { readonly catalog: ChangingCatalog; readonly cache: CacheState } | undefined;
  /** What the store holds beyond the objects in memory, as changes to them. Absent: nothing. */
  readonly changes?: (() => Promise<KvEvents>) | undefined;
}

interface AccessOptions {
  /** Called when the registry exists, since some parts look up accounts, roles and tokens. */
  open(parts: AccessParts): ServerAccess | Promise<ServerAccess>;
  readonly anonymous: boolean | ((path: string) => boolean);
  /** What other servers need to trust the same clients; shown in the system namespace. Absent: nothing is shown. */
  readonly published?: Readonly<Record<string, string>>;
}

interface AdmissionOptions {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** Plugins of the program that runs the server; see PluginChoice. */
  readonly own?: readonly AdmissionPlugin[];
  /** From --admission-control-config-file. Absent: no plugin is configured. */
  readonly configuration?: PluginConfigurations;
  /** Whether a controller of this process creates the default accounts of namespaces: a pod waits longer for it. Default: false. */
  readonly makesAccounts?: boolean;
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
}

/** How requests are bounded and recorded. */
interface RequestOptions {
  readonly limits: Partial<RequestLimits>;
  /**
   * --enable-priority-and-fairness; the gate APIPriorityAndFairness must be on too. Default: true. An object decides for this server in the place
   * of its own one.
   */
  readonly fairness?: boolean | Fairness;
  /** Further changes after which users of open watches are authorized again: given the check. Default: none. */
  readonly onAccessChange?: ((check: () => void) => void) | undefined;
  /** Absent: nothing is audited. The code that opened it closes it, after the server. */
  readonly audit?: { readonly audit: Audit; readonly metrics: readonly Metric[] } | undefined;
  readonly livezGraceMs: number;
  /** Absent: no test sees or disturbs requests. */
  readonly interventions?: Interventions;
  /** Paths in addition to the server's own. Default: none. */
  readonly routes?: readonly Route[];
}

/** Which addresses the server gives out, and which it connects to. */
interface NetworkOptions {
  /** Addresses and ports that services get; absent: those of v1.21. */
  readonly services?: ServiceRanges;
  /** The certificate by which aggregated servers recognize this one (PEM) and trust its user headers. Absent: none is sent. */
  readonly proxyIdentity?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether webhooks may have this address. Default: not on this machine or its link. */
  readonly webhookAddresses?: AddressCheck;
  /** Absent: requests are proxied only to addresses beyond this machine and its link, whose certificates the system trusts. */
  readonly proxy?: ProxySettings;
  /** How this server reports that it is alive, if the gate APIServerIdentity is on. Default: as v1.21. */
  readonly identityLease?: IdentityLease;
  /** The name of the machine, by which a server is known since 1.27. Default: what the system says. */
  readonly hostname?: string;
}

interface MetricOptions {
  /** Metrics that /metrics shows in addition to the server's own. Default: none. */
  readonly more?: readonly Metric[];
  /** Whether what the process uses is shown. Default: true. */
  readonly process?: boolean;
  /** Which metrics are shown. Default: those that are not hidden. */
  readonly choice?: MetricChoice;
  /** Whether profiles are served below /debug/. Default: false. */
  readonly profiling?: boolean;
}

/** Where proxied requests may go, and what they trust there. */
export interface ProxySettings extends Omit<ProxyOptions, "ending" | "log"> {
  /** Kinds of addresses of nodes, in the order of preference. Default: those of v1.21. */
  readonly addressTypes?: readonly string[];
}

export interface AccessParts {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
}

/** Authentication and authorization. */
export interface ServerAccess {
  readonly authenticator: RequestAuthenticator;
  readonly authorizer: Authorizer;
  /** The actions of virtual resources and of subresources with an action. */
  readonly actions: ReadonlyMap<string, Action>;
  /** Checks on writes that cannot be turned off; they run after the chosen plugins. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly routes?: readonly Route[];
  /** The default roles of RBAC, which every start restores. Absent: none are created. */
  readonly roles?: DefaultRoles | undefined;
  readonly metrics?: readonly Metric[];
  close?(): void;
}
