/** The part of a kind's life that reaches beyond its object, and where objects come from that are not kept. */

import type { Family } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Registry } from "./registry.ts";

/**
 * The part of a kind's life that reaches beyond its object: what it needs is given to it before it is stored and taken
 * back when it is gone. By the identity of the family; `strategies/` has one for each.
 */
export interface Strategy {
  /** Called with a valid object that is about to be stored; may fill it in, and refuses by throwing. */
  begin(write: StrategyWrite): Promise<StrategyAttempt>;
  /** The object is gone from the store. Calling it again, or for an object that was never stored, does nothing. */
  end(object: ApiObject): Promise<void>;
}

export interface StrategyWrite {
  readonly family: Family;
  /** Of the hub version, ours to change. */
  readonly object: ApiObject;
  /** Frozen. Undefined: the object is new. */
  readonly old: ApiObject | undefined;
  /** Nothing will be stored, so nothing may be taken. */
  readonly dryRun: boolean;
}

/** One of the two is called, once. Neither is where nobody can tell whether the write happened. */
export interface StrategyAttempt {
  stored(): Promise<void>;
  failed(): Promise<void>;
}

/**
 * Where the objects of a family come from that is kept nowhere: they are made anew for every reader, have no version, and
 * can be neither written nor watched. By the identity of the family; `strategies/` has them.
 */
export interface Source {
  /** Of the hub version, in any order; what is absent in them is filled in. */
  objects(registry: Registry): Promise<readonly ApiObject[]>;
}

/** Names that one object at a time may hold, whichever server of the store it is written through. */
export interface Claims {
  /**
   * False: it is taken, be it by the same holder. Of two writes of one object only the one that took a name may free it
   * when it fails.
   */
  take(pool: string, name: string, holder: string): Promise<boolean>;
  /** Does nothing unless `holder` has it. */
  free(pool: string, name: string, holder: string): Promise<void>;
  /** Everything of a pool that is taken, by name. `revision` tells a claim from a later one of the same name. */
  held(pool: string): Promise<ReadonlyMap<string, { readonly holder: string; readonly revision: bigint }>>;
}
