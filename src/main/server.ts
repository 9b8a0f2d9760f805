/** Assembles the rooms into one server without a socket, which every command and the library use. */

import { randomInt } from "node:crypto";
import { componentsFamily, createComponents } from "../actions/components/components.ts";
import { coreActions } from "../actions/core-actions.ts";
import { addressTypesDefault } from "../actions/proxy/address-types.ts";
import { createFindEndpoint } from "../actions/services/find-endpoint.ts";
import { servicesFamily } from "../actions/services/services.ts";
import { createAdmissionMetrics } from "../admission/admission-metrics.ts";
import { createAdmission } from "../admission/chain.ts";
import { noConfigurations, type PluginConfigurations } from "../admission/configuration/admission-configuration.ts";
import type { AdmissionContext } from "../admission/context.ts";
import type { AdmissionPlugin } from "../admission/contract.ts";
import { choosePlugins, handlesCreates, optionalPlugins } from "../admission/order.ts";
import { createWebhookMetrics } from "../admission/webhooks/webhook-metrics.ts";
import { catalog as kinds } from "../api/catalog.ts";
import { createFeatureGates } from "../api/feature-gates.ts";
import type { Audit } from "../audit/contract.ts";
import type { RequestAuthenticator } from "../authn/contract.ts";
import type { Authorizer } from "../authz/contract.ts";
import { addressScope } from "../base/address-scope.ts";
import type { Clock } from "../base/clock.ts";
import type { AddressCheck } from "../base/https-call.ts";
import type { Log } from "../base/log.ts";
import type { Metric } from "../base/metrics.ts";
import { createWebhookCaller } from "../base/webhook-caller.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { createApiServers } from "../extensions/aggregation/api-server.ts";
import { followApiServices } from "../extensions/aggregation/metrics.ts";
import { createRemoteGroups } from "../extensions/aggregation/remote-groups.ts";
import { serveDefinitions } from "../extensions/definitions/serve-definitions.ts";
import { createProxy, type ProxyOptions } from "../extensions/proxy/proxy.ts";
import { createHandler } from "../http/chain.ts";
import type { Handler, MayUpgrade } from "../http/contract/exchange.ts";
import type { Limits } from "../http/contract/handler-options.ts";
import type { Lifecycle } from "../http/contract/health.ts";
import type { Route } from "../http/contract/routes.ts";
import { defaultLimits } from "../http/server/context.ts";
import { createLifecycle } from "../http/server/lifecycle.ts";
import { createMayUpgrade } from "../http/upgrades.ts";
import type { Kv } from "../kv/contract.ts";
import { createOwnership } from "../machinery/apply/ownership.ts";
import { createCatalog } from "../machinery/schema/bind.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import type { Action } from "../registry/contract/action.ts";
import { type Admission, admitAll } from "../registry/contract/admission.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { openRegistry } from "../registry/registry.ts";
import { withAdmission } from "../registry/with-admission.ts";
import { followAccessChanges } from "../upkeep/access-changes.ts";
import { type DefaultRoles, makeBootstrapObjects } from "../upkeep/bootstrap.ts";
import type { IdentityLease, RunningUpkeep } from "../upkeep/contract.ts";
import { type InitialObjects, withInitialObjects } from "../upkeep/initial-objects.ts";
import { startUpkeep } from "../upkeep/list.ts";
import type { OwnService } from "../upkeep/own-service.ts";
import { defaultIdentityLease } from "../upkeep/server-identity.ts";
import { apiGroups } from "../vocabulary/api-groups.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { createBackupRoute } from "./backup/backup-route.ts";
import { createReencryptRoute } from "./backup/reencrypt-route.ts";
import { openDebug } from "./debug/routes.ts";
import { createUnreadableMetric, encryptionChecks } from "./encryption.ts";
import { createEnvironment } from "./environment.ts";
import { openFairness } from "./fairness.ts";
import type { IsServed } from "./flags/runtime-config.ts";
import { createAskStore, createHealth } from "./health.ts";
import { type MetricChoice, metricPrinter } from "./metric-choice.ts";
import { createServiceParts, defaultServiceRanges, type ServiceRanges } from "./services.ts";
import { versionInfo } from "./version.ts";

export interface ServerOptions {
  readonly vocabulary: Vocabulary;
  /** The server takes ownership and closes it. */
  readonly kv: Kv;
  /** The store whose bytes backups copy, if `kv` shows them in another form (encryption at rest). Default: `kv`. */
  readonly backupOf?: Kv;
  readonly clock: Clock;
  readonly log: Log;
  /** --feature-gates. */
  readonly gates: ReadonlyMap<string, boolean>;
  readonly isServed: IsServed;
  readonly allowPrivileged: boolean;
  readonly admission: {
    readonly enable: readonly string[];
    readonly disable: readonly string[];
    /** Plugins of the program that runs the server; see PluginChoice. */
    readonly own?: readonly AdmissionPlugin[];
    /** From --admission-control-config-file. Absent: no plugin is configured. */
    readonly configuration?: PluginConfigurations;
    readonly notReadyTolerationSeconds: number;
    readonly unreachableTolerationSeconds: number;
  };
  /** The certificate by which aggregated servers recognize this one (PEM) and trust its user headers. Absent: none is sent. */
  readonly proxyIdentity?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether webhooks may have this address. Default: not on this machine or its link. */
  readonly webhookAddresses?: AddressCheck;
  /** Absent: requests are proxied only to addresses beyond this machine and its link, whose certificates the system trusts. */
  readonly proxy?: ProxySettings;
  /** Called when the registry exists, since some parts look up accounts, roles and tokens. */
  readonly access: (parts: AccessParts) => Access | Promise<Access>;
  readonly anonymous: boolean;
  readonly limits: Partial<Limits>;
  /** --enable-priority-and-fairness; the gate APIPriorityAndFairness must be on too. Default: true. */
  readonly fairness?: boolean;
  /** Absent: nothing is audited. The code that opened it closes it, after the server. */
  readonly audit?: { readonly audit: Audit; readonly metrics: readonly Metric[] } | undefined;
  readonly livezGraceMs: number;
  readonly storeTimeoutMs: number;
  /** How long past states can be read and watched again. */
  readonly historyMs: number;
  /** --kvstore-db-metric-poll-interval. Default: that of v1.21. */
  readonly storeSizePollMs?: number;
  /** Event TTL; 0: Events are kept forever. Absent: the default of v1.21. */
  readonly eventTtlMs?: number;
  /** What other servers need to trust the same clients; shown in the system namespace. Absent: nothing is shown. */
  readonly published?: Readonly<Record<string, string>>;
  /** Addresses and ports that services get; absent: those of v1.21. */
  readonly services?: ServiceRanges;
  /** Metrics that /metrics shows in addition to the server's own. Default: none. */
  readonly metrics?: readonly Metric[];
  /** How this server reports that it is alive, if the gate APIServerIdentity is on. Default: as v1.21. */
  readonly identityLease?: IdentityLease;
  /** Which metrics are shown. Default: those that are not hidden. */
  readonly metricChoice?: MetricChoice;
  /** Whether profiles are served below /debug/. Default: false. */
  readonly profiling?: boolean;
  /** Encryption of what is stored. The code that opened it closes it, after the server. Absent: nothing is encrypted. */
  readonly encryption?: Encryption;
  /** Whether other servers write to the store too. Default: false. */
  readonly sharedStore?: boolean;
  /** Objects that servers of this process have created in new stores. Absent: the objects of a new store are always made anew. */
  readonly initialObjects?: InitialObjects;
  /** See EnvironmentOptions. */
  readonly random?: ((below: number) => number) | undefined;
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
export interface Access {
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

export interface Server {
  readonly handler: Handler;
  /** Which requests for another protocol the handler forwards. */
  readonly mayUpgrade: MayUpgrade;
  readonly lifecycle: Lifecycle;
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** The service through which clients in the cluster find this server. */
  readonly ownService: OwnService;
  /** Starts the upkeep of conditions and required objects. If clients are waiting, let them in before calling this. */
  startUpkeep(): void;
  /** Ends every watch, waits for writes in progress and closes the store. */
  close(): Promise<void>;
}

/** Resolves when the server is ready: the cache is filled and its initial objects exist. */
export async function openServer(options: ServerOptions): Promise<Server> {
  try {
    return await assemble(options);
  } catch (error) {
    await options.kv.close();
    throw error;
  }
}

/** The address is neither on this machine nor on its link. */
const isElsewhere: AddressCheck = (address) => addressScope(address) === "global";

async function assemble(options: ServerOptions): Promise<Server> {
  const { vocabulary, kv, clock, log } = options;
  const environment = createEnvironment({
    vocabulary,
    gates: createFeatureGates(options.gates),
    clock,
    allowPrivileged: options.allowPrivileged,
    random: options.random,
  });
  const catalog = createCatalog(kinds, environment, { groups: apiGroups, isEnabled: options.isServed });
  const lifecycle = createLifecycle();
  const askStore = createAskStore({ kv, clock, storeTimeoutMs: options.storeTimeoutMs });
  const isFair = options.fairness !== false && environment.gates.enabled("APIPriorityAndFairness");
  const health = createHealth({ vocabulary, lifecycle, askStore, gates: environment.gates, isFair });
  // The registry calls the admission chain, and plugins call the registry; nothing is written until both exist.
  let chain: Admission = admitAll;
  const admission: Admission = {
    mutate: (request) => chain.mutate(request),
    validate: (request) => chain.validate(request),
  };
  const services = createServiceParts({
    kv,
    clock,
    log,
    ranges: options.services ?? defaultServiceRanges,
    alone: options.sharedStore !== true,
    random: options.random,
  });
  const known = await initialObjectsFor(options);
  const registry = await openRegistry({
    kv,
    catalog,
    admission,
    allocators: services.allocators,
    sources: new Map([[componentsFamily, createComponents({ catalog, askStore })]]),
    ownership: createOwnership(),
    ...(options.encryption === undefined ? {} : { transformer: options.encryption.transformer }),
    clock,
    log,
    historyMs: options.historyMs,
    ...(options.storeSizePollMs === undefined ? {} : { sizePollMs: options.storeSizePollMs }),
    lifeMs: options.eventTtlMs,
  });
  const limits = { ...defaultLimits, ...options.limits };
  const fair = isFair ? openFairness({ registry, catalog, clock, limits }) : undefined;
  const accessChanges = followAccessChanges(registry, catalog, clock);
  const random = options.random ?? ((below: number) => randomInt(below));
  const findEndpoint = createFindEndpoint({ registry, catalog, random });
  const allows: AddressCheck = options.webhookAddresses ?? isElsewhere;
  const webhookCaller = createWebhookCaller({ findService: findEndpoint, allows });
  const definitions = serveDefinitions({ registry, catalog, log, caller: webhookCaller });
  const { ending } = lifecycle;
  const identity = options.proxyIdentity;
  const apiServers = createApiServers({ registry, catalog, findEndpoint, allows, ending, identity });
  const apiServiceMetrics = followApiServices(registry, catalog);
  const remoteGroups = createRemoteGroups({ registry, catalog, servers: apiServers, clock, log });
  const { addressTypes = addressTypesDefault, ...proxy } = options.proxy ?? { allows: isElsewhere };
  const debug = options.profiling ? openDebug(clock) : undefined;
  let access: Access | undefined;
  let upkeep: RunningUpkeep | undefined;
  let closed = false;
  const close = async () => {
    closed = true;
    debug?.close();
    remoteGroups.close();
    fair?.fairness.close();
    apiServiceMetrics.close();
    accessChanges.close();
    definitions.close();
    lifecycle.end();
    await upkeep?.close();
    access?.close?.();
    webhookCaller.close();
    apiServers.close();
    await registry.close();
  };
  try {
    access = await options.access({ registry, catalog, clock, log });
    const webhookMetrics = createWebhookMetrics();
    const admissionMetrics = createAdmissionMetrics(clock);
    const webhooks = { caller: webhookCaller, metrics: webhookMetrics };
    const plugins = pluginsOf(options, access, { registry, catalog, clock, log, webhooks });
    chain = createAdmission(plugins, admissionMetrics.meter, access.plugins);
    const handler = createHandler({
      registry,
      catalog,
      authenticator: access.authenticator,
      anonymous: options.anonymous,
      authorizer: access.authorizer,
      actions: new Map(
        [...access.actions, ...coreActions({ catalog, random, addressTypes })].map(([name, action]) => [
          name,
          withAdmission(name, action, admission),
        ]),
      ),
      onAccessChange: accessChanges.onChange,
      routes: [
        ...(access.routes ?? []),
        ...(debug?.routes ?? []),
        createBackupRoute({ kv: options.backupOf ?? kv, vocabulary: vocabulary.name, clock, log }),
        ...(options.encryption?.isConfigured ? [createReencryptRoute(kv, options.encryption.transformer, log)] : []),
        ...(fair?.routes ?? []),
      ],
      delegate: remoteGroups,
      proxy: createProxy({ ...proxy, ending, log }),
      admission,
      metrics: [
        ...admissionMetrics.metrics,
        ...webhookMetrics.metrics,
        ...(fair?.fairness.metrics ?? []),
        ...(access.metrics ?? []),
        ...registry.metrics,
        ...apiServiceMetrics.all,
        ...(options.audit?.metrics ?? []),
        ...(options.encryption?.metrics ?? []),
        createUnreadableMetric(registry),
        ...(options.metrics ?? []),
      ],
      ...(options.audit === undefined ? {} : { audit: options.audit.audit }),
      printMetrics: metricPrinter(vocabulary, options.metricChoice),
      version: versionInfo,
      healthChecks: health.checks,
      changingHealthChecks: () => encryptionChecks(registry, options.encryption),
      livezGraceMs: options.livezGraceMs,
      lifecycle,
      limits: options.limits,
      ...(fair === undefined ? {} : { fairness: fair.fairness }),
      clock,
      log,
    });
    const published = options.published ?? {};
    const isSpecial = createIsSpecial(options, plugins);
    const { ownPort } = options.services ?? defaultServiceRanges;
    const initial = known && withInitialObjects({ registry, catalog, known, ownPort, isSpecial });
    await makeBootstrapObjects({ registry: initial ?? registry, catalog, health, roles: access.roles, published });
    const { ownService, ...serviceUpkeep } = await services.start(registry, catalog, initial);
    health.finishAll();
    return {
      handler,
      mayUpgrade: createMayUpgrade(catalog, remoteGroups),
      lifecycle,
      registry,
      catalog,
      ownService,
      startUpkeep() {
        if (closed || upkeep !== undefined) return;
        const kindDefinedBy = (name: string) => definitions.familyOf(name)?.stored;
        const checkApiServer = apiServers.check;
        const identity = options.identityLease ?? defaultIdentityLease;
        const parts = { registry, catalog, clock, log, kindDefinedBy, names: definitions, checkApiServer, identity };
        remoteGroups.start();
        upkeep = startUpkeep({ ...parts, ...serviceUpkeep });
      },
      async close() {
        await close();
        await kv.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undefined: the initial objects must be made, because the store is not new, or because gates may change them. */
async function initialObjectsFor({ initialObjects, gates, kv }: ServerOptions): Promise<InitialObjects | undefined> {
  return gates.size === 0 && (await kv.revision()) === 0n ? initialObjects : undefined;
}

/** Plugins beyond the default ones may change an object, and a second range of addresses changes services. */
function createIsSpecial(
  { admission, services = defaultServiceRanges }: ServerOptions,
  plugins: readonly AdmissionPlugin[],
): (kind: BoundKind) => boolean {
  const optional = optionalPlugins(plugins, admission);
  const isDual = services.addresses.length > 1;
  return (kind) => handlesCreates(optional, kind) || (isDual && kind.family.id === servicesFamily);
}

function pluginsOf(
  { admission }: ServerOptions,
  { authorizer }: Access,
  parts: Pick<AdmissionContext, "registry" | "catalog" | "clock" | "log" | "webhooks">,
): readonly AdmissionPlugin[] {
  const { configuration = noConfigurations, notReadyTolerationSeconds, unreachableTolerationSeconds } = admission;
  return choosePlugins(admission, {
    ...parts,
    authorizer,
    configuration,
    notReadyTolerationSeconds,
    unreachableTolerationSeconds,
  });
}
