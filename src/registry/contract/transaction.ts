/** Several writes that are stored together, as http runs them. */

import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { ObjectRef } from "./entry.ts";

/** What a write of a transaction that is not stored yet leaves of an object; frozen. Undefined: it is removed. */
export interface Staged<T extends ApiObject = ApiObject> {
  readonly object: T | undefined;
}

/**
 * Writes that name it in their context go through all their steps one after the other and are then held back, so that each of their
 * promises waits for `commit` or `abandon`:
 *
 *     create a   -> its steps, held back
 *     update b   -> its steps, admission sees a; held back
 *     commit     -> both are stored at once, and both promises resolve
 */
export interface Transaction {
  /** Resolves when the next write is held back. */
  staged(): Promise<void>;
  /** How many writes are held back. */
  readonly size: number;
  /** The revision that the last write which was held back replaces; 0n: the object is new. */
  readonly replaced: bigint;
  /** Whether a write that could not be stored has begun again, so that the transaction can too. */
  readonly isBegunAgain: boolean;
  /** The object must be at this revision when all is stored; 0n: it must not exist. */
  expect(family: Family, ref: ObjectRef, revision: bigint): void;
  /** What a write that is held back leaves of an object; undefined: none changes it. */
  find<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Staged<T> | undefined;
  /**
   * Stores all of them, or none; each promise then has its outcome. `refused`: which of them says why, counted in the order in which they
   * were held back. "moved": an object is not at the revision that `expect` named.
   */
  commit(): Promise<CommitOutcome>;
  /** None is stored. */
  abandon(): void;
}

export type CommitOutcome = "stored" | "moved" | { readonly refused: number };
