/** The contract between the registry and encryption at rest: how values are transformed before they are stored and after they are read. */

import { KvError } from "../../kv/contract.ts";
import type { FamilyId } from "../../machinery/schema/identity.ts";

/** `value`: the result. `keyId`: the key that the stored form is encrypted with; "": it is stored in plain text. */
export interface Transformed {
  readonly value: Uint8Array;
  readonly keyId: string;
}

/** Answers at once where the key is in this process, which matters for the speed of lists at the start. */
export interface Transformer {
  /** `key`: where it will be stored. Throws (or rejects with) an Error that says why, without secrets. */
  toStorage(key: string, value: Uint8Array): Transformed | Promise<Transformed>;
  /** Throws (or rejects with) Unreadable. */
  fromStorage(key: string, stored: Uint8Array): Transformed | Promise<Transformed>;
  /** The key that values of a family are written with now. What has another one is stale: its next write is never skipped. */
  writesWith(family: FamilyId): string;
  /** Whether stored values of a family may be encrypted. */
  encrypts(family: FamilyId): boolean;
  /** Calls back when keys have changed, so that what could not be read may be readable now. Returns a function that stops it. */
  onChange(callback: () => void): () => void;
}

/** A stored value that the present keys cannot read. */
export class Unreadable extends Error {
  /** Whether it may become readable without a change of keys: the process that has the key did not answer. */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}

/** Whether a request failed because of a stored object that is damaged or cannot be decrypted: it exists, and repeating does not help. */
export const isUnreadable = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Unreadable || (cause instanceof KvError && cause.code === "damaged");
};

/** Stores values in plain text. */
export const plainTransformer: Transformer = {
  toStorage: (_key, value) => ({ value, keyId: "" }),
  fromStorage: (_key, value) => ({ value, keyId: "" }),
  writesWith: () => "",
  encrypts: () => false,
  onChange: () => () => {},
};
