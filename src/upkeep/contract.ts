/** The contract of a loop inside the server: it watches objects, or checks them from time to time, and corrects differences. */

import type { TakenNames } from "../api/apiextensions/definition/group-names.ts";
import type { DefinitionStatus } from "../api/apiextensions/v1/definition-parts.ts";
import type { APIService } from "../api/apiregistration/v1/api-service.ts";
import type { ServiceSubsets } from "../api/discovery/service-subset.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import type { Registry } from "../registry/contract/registry.ts";

/** The environment of every loop. */
export interface UpkeepParts {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  /** The stored version of the kind that the definition of this name defines; undefined: it has no objects. */
  kindDefinedBy(name: string): BoundKind | undefined;
  readonly names: HeldNames;
  /** Whether the server behind an API service answers. Rejects with an Error that says why not. */
  checkApiServer(service: APIService): Promise<void>;
  readonly serviceSubsets: ServiceSubsets;
  /** Releases addresses and ports that no service has any more, and claims those that a service has. */
  repairAddresses(): Promise<void>;
  /** Creates the server's own service if it is missing, and corrects its endpoints. */
  ensureOwnService(): Promise<void>;
  /** How this server reports that it is alive, if the gate APIServerIdentity is on. */
  readonly identity: ServerIdentity;
}

/** The names that definitions hold, whether or not their status shows it yet. */
interface HeldNames {
  /** Undefined: there is no such definition. */
  namesHeldBy(name: string): DefinitionStatus["acceptedNames"] | undefined;
  /** By the other definitions of its group. */
  namesTakenBeside(name: string): TakenNames;
}

/** --identity-lease-duration-seconds and --identity-lease-renew-interval-seconds. */
export interface IdentityLease {
  readonly durationSeconds: number;
  readonly renewIntervalMs: number;
}

/** Who a server is, for the other servers of its store and for controllers. */
export interface ServerIdentity extends IdentityLease {
  /** The name of its lease. */
  readonly id: string;
  /** The holder of the lease, new in each process. */
  readonly holder: string;
  /** The name of its machine. */
  readonly hostname: string;
}

export interface Upkeep {
  /** The name in logs. */
  readonly name: string;
  /** Begins at once. */
  start(parts: UpkeepParts): RunningUpkeep;
}

export interface RunningUpkeep {
  /** Stops new work. Resolves when the work in progress has ended. */
  close(): Promise<void>;
}
