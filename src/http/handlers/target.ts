/** What a resource request refers to: the kind, the object, the subresource and the verb. */

import type { BoundKind, BoundSubresource } from "../../machinery/schema/catalog.ts";
import type { Verb } from "../../machinery/schema/kind.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { ServerContext } from "../server/context.ts";

export interface HandledTarget {
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly subresource: BoundSubresource | undefined;
  readonly verb: Verb;
}

/** The kind that a subresource reads and returns. Undefined: the parent's own kind. */
export function acceptedKind(
  context: ServerContext,
  { subresource }: Pick<HandledTarget, "subresource">,
): BoundKind | undefined {
  const accepts = subresource?.accepts;
  if (accepts === undefined) return undefined;
  const found = context.catalog.byKind(accepts.group, accepts.version, accepts.kind);
  if (found === undefined) throw new Error(`no kind ${accepts.group}/${accepts.version} ${accepts.kind} is declared`);
  return found;
}
