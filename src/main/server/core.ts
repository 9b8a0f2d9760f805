/** The first stage: the catalog of kinds, and the registry on its store. */

import { componentsFamily, createComponents } from "../../actions/components/components.ts";
import { catalog as kinds } from "../../api/catalog.ts";
import { createFeatureGates } from "../../api/feature-gates.ts";
import { Change } from "../../api/history/v1alpha1/change.ts";
import type { Lifetime } from "../../base/lifetime.ts";
import { ChangesSource } from "../../history/changes.ts";
import { openKeptKinds } from "../../history/kept-kinds.ts";
import { createWriteNotes } from "../../history/note.ts";
import type { Lifecycle } from "../../http/contract/health.ts";
import { createLifecycle } from "../../http/server/lifecycle.ts";
import { withSpans } from "../../kv/with-spans.ts";
import { createOwnership } from "../../machinery/apply/ownership.ts";
import { type ChangingCatalog, createCatalog } from "../../machinery/catalog/bind.ts";
import { type FamilyId, familyIdOf } from "../../machinery/schema/identity.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import type { VirtualSource } from "../../registry/contract/allocator.ts";
import { plainTransformer } from "../../registry/contract/transformer.ts";
import { type OpenRegistry, openRegistry } from "../../registry/registry.ts";
import { apiGroups } from "../../vocabulary/api-groups.ts";
import { createEnvironment } from "../environment.ts";
import type { IsServed } from "../flags/runtime-config.ts";
import { createAskStore, createHealth, type Health } from "../health.ts";
import type { HistoryKinds } from "../history-kinds.ts";
import { createServiceParts, defaultServiceRanges, type ServiceParts } from "../services.ts";
import { LateAdmission } from "./late-admission.ts";
import type { ServerOptions } from "./options.ts";
import { tracedAdmission } from "./traced-admission.ts";

export interface Core {
  readonly catalog: ChangingCatalog;
  readonly registry: OpenRegistry;
  readonly admission: LateAdmission;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  readonly services: ServiceParts;
  /** Whether priority and fairness decides which requests wait. */
  readonly isFair: boolean;
  /** Undefined: the store keeps no history. */
  readonly changes: ChangesSource | undefined;
}

const allKinds: HistoryKinds = { leftOut: new Set(), agesMs: new Map() };

export async function openCore(options: ServerOptions, lifetime: Lifetime): Promise<Core> {
  const { api, store, requests, network, clock, log, random, tracing } = options;
  const kv = tracing === undefined ? store.kv : withSpans(store.kv, tracing);
  const { virtual = [], more = [] } = api;
  const history = kv.history?.();
  const made = [...virtual.map(({ kind }) => kind), ...more, ...(history === undefined ? [] : [Change])];
  const shared = store.continues?.shared;
  // A fork has the gates, the level and the clock of its server.
  const environment =
    shared?.catalog.environment ??
    createEnvironment({ ...api, gates: createFeatureGates(api.gates, api.level, api.declared?.gates), clock, random });
  const { gates } = environment;
  const catalog =
    shared?.catalog.fork() ??
    createCatalog([...(api.declared?.kinds ?? kinds), ...made], environment, {
      groups: apiGroups,
      isEnabled: servedWith(made, api),
    });
  const lifecycle = createLifecycle();
  const { transformer = plainTransformer } = store.encryption ?? {};
  const keptKinds = history && (await openKeptKinds({ kv, history, clock, ...(store.historyKinds ?? allKinds) }));
  const changes = history && keptKinds && new ChangesSource({ kv, history, kinds: keptKinds, catalog, transformer });
  const askStore = createAskStore({ kv, clock, storeTimeoutMs: store.timeoutMs });
  const isFair = requests.fairness !== false && gates.enabled("APIPriorityAndFairness");
  const health = createHealth({
    vocabulary: api.vocabulary,
    lifecycle,
    askStore,
    gates,
    isFair,
    level: environment.level,
  });
  const admission = new LateAdmission();
  const ranges = network.services ?? defaultServiceRanges;
  const services = createServiceParts({ kv, catalog, clock, log, ranges, alone: store.isShared !== true, random });
  const registry = await openRegistry({
    kv,
    catalog,
    admission: tracing === undefined ? admission : tracedAdmission(admission, tracing),
    keepsContext: tracing !== undefined,
    allocators: services.allocators,
    sources: new Map<FamilyId, VirtualSource>([
      [componentsFamily, createComponents({ catalog, askStore, runningHere: api.runningHere })],
      ...virtual.map(({ kind, source }) => [familyIdOf(kind), source] as const),
      ...(changes === undefined ? [] : [[familyIdOf(Change), changes] as const]),
    ]),
    ownership: createOwnership(),
    ...(keptKinds && { notes: createWriteNotes(keptKinds) }),
    transformer,
    clock,
    log,
    historyMs: store.historyMs,
    ...(store.sizePollMs === undefined ? {} : { sizePollMs: store.sizePollMs }),
    lifeMs: store.eventTtlMs,
    initial: shared && { cache: shared.cache, changes: store.continues?.changes },
    ...(store.continueKey === undefined ? {} : { continueKey: store.continueKey }),
  });
  lifetime.use(registry);
  return { catalog, registry, admission, lifecycle, health, services, isFair, changes };
}

/** Who gives a server further kinds wants them served: like those of aggregated servers, they do not depend on --runtime-config. */
function servedWith(made: readonly Kind[], { isServed, vocabulary }: ServerOptions["api"]): IsServed {
  const given = new Set<string>(made.map((kind) => `${vocabulary.group(kind.group)}/${kind.version}`));
  return (group, version, resource) => given.has(`${group}/${version}`) || isServed(group, version, resource);
}
