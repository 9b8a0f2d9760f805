/** The kind that a subresource reads and returns, if it differs from the parent's kind. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Context } from "../context.ts";
import type { Target } from "./target.ts";

/** Undefined: the parent's own kind. */
export function acceptedKind(context: Context, { subresource }: Pick<Target, "subresource">): BoundKind | undefined {
  const accepts = subresource?.accepts;
  if (accepts === undefined) return undefined;
  const found = context.catalog.byKind(accepts.group, accepts.version, accepts.kind);
  if (found === undefined) throw new Error(`no kind ${accepts.group}/${accepts.version} ${accepts.kind} is declared`);
  return found;
}
