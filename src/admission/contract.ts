/** Whether it should be so: the contract of admission plugins, which may change or refuse a write before it is stored. */

import type { User } from "../authn/contract.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** One write on its way to the store. Objects are of the family's hub version. */
export interface AdmissionRequest {
  readonly operation: Operation;
  /** The version the client speaks. */
  readonly kind: BoundKind;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * Mutating plugins change it in place; when others judge it, it is printed already. Undefined on DELETE. For a create through a subresource: what was sent. On
   * CONNECT: the options of the connection, which have no metadata of their own.
   */
  readonly object: ApiObject | undefined;
  /** Frozen. Undefined on CREATE. */
  readonly old: ApiObject | undefined;
  /** The create, update or delete options the client gave. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly user: User;
  readonly dryRun: boolean;
  /** Adds a sentence to the Warning header. */
  warn(text: string): void;
}

/** Throws a StatusError to refuse. `mutate` runs after defaults and before the kind's life and validation, `validate` last. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Which requests concern it; everything else never reaches it. */
  handles(request: AdmissionRequest): boolean;
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** The chain as the registry sees it. */
export interface Admission {
  mutate(request: AdmissionRequest): void | Promise<void>;
  validate(request: AdmissionRequest): void | Promise<void>;
}

export const admitAll: Admission = { mutate() {}, validate() {} };
