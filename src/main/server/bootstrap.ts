/** The fifth stage: the objects that a server creates before it is ready, and the loops that keep them right. */

import { hostname } from "node:os";
import { servicesFamily } from "../../actions/services/services.ts";
import { handlesCreates, optionalPlugins } from "../../admission/order.ts";
import type { Lifetime } from "../../base/lifetime.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { storedLevel } from "../../registry/store-level.ts";
import { makeBootstrapObjects } from "../../upkeep/bootstrap.ts";
import type { ServerIdentity } from "../../upkeep/contract.ts";
import { type InitialObjects, withInitialObjects } from "../../upkeep/initial-objects.ts";
import { startUpkeep } from "../../upkeep/list.ts";
import { createServerIdentity, defaultIdentityLease } from "../../upkeep/server-identity.ts";
import { publishStorageVersions } from "../../upkeep/storage-versions.ts";
import { defaultServiceRanges, type StartedServices } from "../services.ts";
import type { Stages } from "./handler.ts";
import type { ServerOptions } from "./options.ts";

/** Undefined: the initial objects must be made, because the store is not new, or because gates or the level may change them. */
export async function knownObjects({ api, store }: ServerOptions): Promise<InitialObjects | undefined> {
  const { gates, level = levelDefault } = api;
  return level === levelDefault && gates.size === 0 && (await store.kv.revision()) === 0n
    ? store.initialObjects
    : undefined;
}

/** Whether what the server continues was made at a lower level, and so has the initial objects of that one. */
export async function isOfLowerLevel({ store }: ServerOptions): Promise<boolean> {
  const { shared } = store.continues ?? {};
  return shared !== undefined && (await storedLevel(store.kv)) !== shared.catalog.environment.level;
}

/** Who this server is, as long as it runs. */
export function identityOf({ network }: ServerOptions, { core }: Stages): ServerIdentity {
  const { identityLease = defaultIdentityLease, hostname: given = hostname() } = network;
  return createServerIdentity(core.catalog.environment, given, identityLease);
}

export async function createInitialObjects(
  options: ServerOptions,
  { core, access }: Stages,
  identity: ServerIdentity,
  { known, isRaised }: { readonly known: InitialObjects | undefined; readonly isRaised: boolean },
): Promise<StartedServices> {
  const { registry, catalog, health, services } = core;
  if (options.store.continues !== undefined && !isRaised) {
    health.finishAll();
    return services.resume(registry, catalog);
  }
  const { ownPort } = options.network.services ?? defaultServiceRanges;
  const isSpecial = createIsSpecial(options, access.admissionPlugins);
  const initial = known && withInitialObjects({ registry, catalog, known, ownPort, isSpecial });
  const published = options.access.published ?? {};
  await makeBootstrapObjects({ registry: initial ?? registry, catalog, health, roles: access.roles, published });
  const started = await services.start(registry, catalog, initial);
  await publishStorageVersions({ registry, catalog, clock: options.clock, identity });
  health.finishAll();
  return started;
}

/** Plugins beyond the default ones may change an object, and a second range of addresses changes services. */
function createIsSpecial(
  { admission, network }: ServerOptions,
  plugins: Stages["access"]["admissionPlugins"],
): (kind: BoundKind) => boolean {
  const optional = optionalPlugins(plugins, admission);
  const isDual = (network.services ?? defaultServiceRanges).addresses.length > 1;
  return (kind) => handlesCreates(optional, kind) || (isDual && kind.family.id === servicesFamily);
}

/** Starts once, and not after the server was closed. */
export function createUpkeepStart(
  { clock, log }: ServerOptions,
  { core, extensions }: Stages,
  identity: ServerIdentity,
  { ownService: _ownService, ...services }: StartedServices,
  lifetime: Lifetime,
): () => void {
  let isStarted = false;
  return () => {
    if (isStarted || lifetime.isClosed) return;
    isStarted = true;
    const { definitions, apiServers, remoteGroups } = extensions;
    remoteGroups.start();
    lifetime.use(
      startUpkeep({
        registry: core.registry,
        catalog: core.catalog,
        clock,
        log,
        kindDefinedBy: (name) => definitions.familyOf(name)?.stored,
        names: definitions,
        checkApiServer: apiServers.check,
        serviceSubsets: extensions.subsets,
        identity,
        ...services,
      }),
    );
  };
}
