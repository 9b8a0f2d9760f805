/** What can be negotiated for one kind. */

import type { BoundKind, BoundSubresource } from "../../machinery/schema/catalog.ts";

import type { Context } from "../context.ts";
import type { Negotiator } from "./choose.ts";

const known = new WeakMap<BoundKind, boolean>();

/** Kinds that arrive at run time have no field numbers, and so no protobuf and no strategic merge. */
export function hasProtobuf(kind: BoundKind): boolean {
  let answer = known.get(kind);
  if (answer === undefined) {
    answer = [...kind.schema.fields].every(([name, field]) => name === "metadata" || field.number > 0);
    known.set(kind, answer);
  }
  return answer;
}

/** Only what can be listed has columns, and so a Table: subresources and reviews have none in v1.21. */
export function negotiatorFor(context: Context, kind: BoundKind, subresource?: BoundSubresource): Negotiator {
  if (!hasProtobuf(kind)) return context.textNegotiator;
  const hasTable = subresource === undefined && kind.declaration.action === undefined;
  return hasTable ? context.negotiator : context.metadataNegotiator;
}
