/** The fourth stage: what answers requests. */

import { coreActions } from "../../actions/core-actions.ts";
import { addressTypesDefault } from "../../actions/proxy/address-types.ts";
import type { Lifetime } from "../../base/lifetime.ts";
import type { Metric } from "../../base/metrics.ts";
import { createProxy } from "../../extensions/proxy/proxy.ts";
import type { Fairness } from "../../flowcontrol/contract.ts";
import { createHandler } from "../../http/chain.ts";
import type { Handler } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { checkActions } from "../../http/server/actions.ts";
import { defaultLimits } from "../../http/server/context.ts";
import { createQueries } from "../../queries/queries.ts";
import type { Action } from "../../registry/contract/action.ts";
import { withAdmission } from "../../registry/with-admission.ts";
import { followAccessChanges } from "../../upkeep/access-changes.ts";
import { createBackupRoute } from "../backup/backup-route.ts";
import { createReencryptRoute } from "../backup/reencrypt-route.ts";
import { openDebug } from "../debug/routes.ts";
import { createUnreadableMetric, encryptionChecks } from "../encryption.ts";
import { type OpenFairness, openFairness } from "../fairness.ts";
import { metricPrinter } from "../metric-choice.ts";
import { versionInfoOf } from "../version.ts";
import type { OpenAccess } from "./access.ts";
import type { Core } from "./core.ts";
import { type Extensions, isElsewhere } from "./extensions.ts";
import { gateMetrics } from "./gate-metric.ts";
import type { ServerOptions } from "./options.ts";

/** What the stages before this one made. */
export interface Stages {
  readonly core: Core;
  readonly extensions: Extensions;
  readonly access: OpenAccess;
}

export function openHandler(
  options: ServerOptions,
  stages: Stages,
  lifetime: Lifetime,
): { readonly handler: Handler; readonly fairness: Fairness | undefined } {
  const { clock, log, requests, network, metrics = {} } = options;
  const { core, extensions, access } = stages;
  const { registry, catalog, lifecycle, admission } = core;
  const { level } = catalog.environment;
  const { addressTypes: _addressTypes, ...proxy } = network.proxy ?? { allows: isElsewhere };
  const limits = { ...defaultLimits, ...requests.limits };
  const given = typeof requests.fairness === "object" ? requests.fairness : undefined;
  const fair = core.isFair && given === undefined ? openFairness({ registry, catalog, clock, limits }) : undefined;
  lifetime.use(fair?.fairness);
  const fairness = given ?? fair?.fairness;
  const accessChanges = lifetime.use(followAccessChanges(registry, catalog, clock));
  const debug = lifetime.use(metrics.profiling ? openDebug(clock) : undefined);
  const actions = actionsOf(options, stages);
  // A fork has the actions of its server, and began with its kinds.
  if (options.store.continues === undefined) checkActions(catalog, actions);
  const handler = createHandler({
    registry,
    catalog,
    authenticator: access.authenticator,
    anonymous: options.access.anonymous,
    authorizer: access.authorizer,
    actions,
    onAccessChange(check) {
      accessChanges.onChange(check);
      requests.onAccessChange?.(check);
    },
    queries: createQueries(),
    interventions: requests.interventions,
    tracing: options.tracing,
    routes: [...(debug?.routes ?? []), ...routesOf(options, stages), ...(fair?.routes ?? [])],
    delegate: extensions.remoteGroups,
    proxy: createProxy({ ...proxy, ending: lifecycle.ending, log }),
    admission,
    metrics: metricsOf(options, stages, fair),
    ...(requests.audit === undefined ? {} : { audit: requests.audit.audit }),
    ...(metrics.process === undefined ? {} : { processMetrics: metrics.process }),
    printMetrics: metricPrinter(options.api.vocabulary, metrics.choice, level),
    version: versionInfoOf(level),
    healthChecks: core.health.checks,
    changingHealthChecks: () => encryptionChecks(registry, options.store.encryption),
    livezGraceMs: requests.livezGraceMs,
    lifecycle,
    limits: requests.limits,
    ...(fairness === undefined ? {} : { fairness }),
    clock,
    log,
  });
  return { handler, fairness };
}

function actionsOf({ network }: ServerOptions, { core, extensions, access }: Stages): ReadonlyMap<string, Action> {
  const { catalog, admission } = core;
  const addressTypes = network.proxy?.addressTypes ?? addressTypesDefault;
  const all = [...access.actions, ...coreActions({ catalog, random: extensions.random, addressTypes })];
  return new Map(all.map(([name, action]) => [name, withAdmission(name, action, admission)]));
}

function routesOf({ store, api, requests, clock, log }: ServerOptions, { access }: Stages): readonly Route[] {
  const { kv, backupOf = kv, encryption } = store;
  return [
    ...(access.routes ?? []),
    createBackupRoute({ kv: backupOf, vocabulary: api.vocabulary.name, clock, log }),
    ...(encryption?.isConfigured ? [createReencryptRoute(kv, encryption.transformer, log)] : []),
    ...(requests.routes ?? []),
  ];
}

function metricsOf(
  { api, requests, store, metrics }: ServerOptions,
  { core, extensions, access }: Stages,
  fair: OpenFairness | undefined,
): readonly Metric[] {
  return [
    ...access.admissionMetrics,
    ...(fair?.fairness.metrics ?? []),
    ...(access.metrics ?? []),
    ...core.registry.metrics,
    ...gateMetrics(core.catalog.environment, api.declared?.gates),
    ...extensions.apiServiceMetrics.all,
    ...(requests.audit?.metrics ?? []),
    // Workspaces use the keys of the process, and must not see how much others use them.
    ...(metrics?.process === false ? [] : (store.encryption?.metrics ?? [])),
    createUnreadableMetric(core.registry),
    ...(metrics?.more ?? []),
  ];
}
