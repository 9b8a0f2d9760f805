/** Assembles the rooms into one server without a socket, which every command and the library use. */

import { openWith } from "../base/lifetime.ts";
import type { Fairness } from "../flowcontrol/contract.ts";
import type { Handler, MayUpgrade } from "../http/contract/exchange.ts";
import type { Lifecycle } from "../http/contract/health.ts";
import { createMayUpgrade } from "../http/upgrades.ts";
import type { ChangingCatalog } from "../machinery/catalog/bind.ts";
import type { OpenRegistry } from "../registry/registry.ts";
import type { OwnService } from "../upkeep/own-service.ts";
import { openAccess } from "./server/access.ts";
import {
  createInitialObjects,
  createUpkeepStart,
  identityOf,
  isOfLowerLevel,
  knownObjects,
} from "./server/bootstrap.ts";
import { openCore } from "./server/core.ts";
import { openExtensions } from "./server/extensions.ts";
import { openHandler } from "./server/handler.ts";
import type { ServerAccess, ServerOptions } from "./server/options.ts";

export interface Server {
  readonly handler: Handler;
  /** Which requests for another protocol the handler forwards. */
  readonly mayUpgrade: MayUpgrade;
  readonly lifecycle: Lifecycle;
  readonly registry: OpenRegistry;
  readonly catalog: ChangingCatalog;
  /** Whether what caused a write is worth sending. */
  readonly keepsHistory: boolean;
  readonly access: Pick<ServerAccess, "authenticator" | "authorizer">;
  /** Undefined: only the numbers of requests are limited. */
  readonly fairness: Fairness | undefined;
  /** The service through which clients in the cluster find this server. */
  readonly ownService: OwnService;
  /** Starts the upkeep of conditions and required objects. If clients are waiting, let them in before calling this. */
  startUpkeep(): void;
  /** Ends every watch, waits for writes in progress and closes the store. */
  close(): Promise<void>;
}

/** Resolves when the server is ready: the cache is filled and its initial objects exist. If a stage throws, the others are closed. */
export function openServer(options: ServerOptions): Promise<Server> {
  return openWith(async (lifetime) => {
    lifetime.use(options.store.kv);
    const known = await knownObjects(options);
    const isRaised = await isOfLowerLevel(options);
    const core = await openCore(options, lifetime);
    const extensions = openExtensions(options, core, lifetime);
    const access = await openAccess(options, core, extensions, lifetime);
    const stages = { core, extensions, access };
    const { handler, fairness } = openHandler(options, stages, lifetime);
    const identity = identityOf(options, stages);
    const services = await createInitialObjects(options, stages, identity, { known, isRaised });
    return {
      handler,
      mayUpgrade: createMayUpgrade(core.catalog, extensions.remoteGroups),
      lifecycle: core.lifecycle,
      registry: core.registry,
      catalog: core.catalog,
      keepsHistory: core.changes !== undefined,
      access,
      fairness,
      ownService: services.ownService,
      startUpkeep: createUpkeepStart(options, stages, identity, services, lifetime),
      close() {
        core.lifecycle.end();
        return lifetime.close();
      },
    };
  });
}
