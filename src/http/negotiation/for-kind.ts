/** What can be negotiated for one kind. */

import type { BoundKind, BoundSubresource } from "../../machinery/schema/catalog.ts";

import type { Context } from "../context.ts";
import type { Negotiator } from "./choose.ts";

/** Only resources that can be listed have columns, and so a Table: subresources and reviews have none in v1.21. */
export function negotiatorFor(context: Context, kind: BoundKind, subresource?: BoundSubresource): Negotiator {
  if (kind.codec.protobuf === undefined) return context.textNegotiator;
  const hasTable = subresource === undefined && kind.declaration.action === undefined;
  return hasTable ? context.negotiator : context.metadataNegotiator;
}
