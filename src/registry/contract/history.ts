/** What the registry keeps with each write for its history, and how readers name a moment of the past. */

import type { Family } from "../../machinery/schema/catalog.ts";
import type { FamilyId } from "../../machinery/schema/identity.ts";
import type { WriteContext } from "./write-context.ts";

/** What a write did to an object. */
export type WriteOperation = "create" | "update" | "delete";

/** Makes the notes that the store keeps with writes (kv/contract.ts); `history/note.ts` has the layout. */
export interface WriteNotes extends KeptKinds {
  /** Undefined: changes of the family are not kept. `context` undefined: the server itself. */
  noteOf(family: Family, operation: WriteOperation, context: WriteContext | undefined): Uint8Array | undefined;
}

/** Of which kinds a history keeps changes (`history/kept-kinds.ts`). */
export interface KeptKinds {
  /** A family without a strategy is one whose definition is gone. */
  keeps(family: { readonly id: FamilyId; readonly strategy?: { readonly isFleeting?: boolean } }): boolean;
  /** Since when those of a family are kept that was left out before. Undefined: since the history began. */
  since(id: FamilyId): KeptSince | undefined;
}

/** Changes after the revision are kept, and states from it on. */
export interface KeptSince {
  readonly revision: bigint;
  readonly atMs: number;
}

/** A moment of the past; at most one of the two. Absent: the present. */
export interface Moment {
  /** Exact: the state of `resourceVersion`, and no newer one. */
  readonly resourceVersionMatch?: string;
  /** An RFC 3339 time: the state that was current then. */
  readonly atTime?: string;
}

/** Who asked for a write, as its request says. Texts are "" where there is none. */
export interface WriteOrigin {
  readonly verb: string;
  readonly subresource: string;
  readonly userAgent: string;
  /** The id of the request in the audit log. */
  readonly requestId: string;
  /** The user who acted as another one; "": nobody did. */
  readonly impersonator: string;
  /** What made a controller act, as it says. */
  readonly cause: string;
  /** The webhooks and policies that have changed the object. */
  readonly changedBy: readonly string[];
}
