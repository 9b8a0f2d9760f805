/** Takes what was written through a subresource of another kind (a Scale) over into its parent. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notFound } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import type { Target } from "./target.ts";

export function mergeWritten(
  context: Context,
  target: Target,
  written: ApiObject,
  current: ApiObject | undefined,
): ApiObject {
  const { kind, ref, subresource } = target;
  if (current === undefined) throw notFound({ group: kind.group, kind: kind.resource }, ref.name);
  if (subresource?.merge === undefined) throw new Error(`${kind.resource}/${subresource?.name} cannot be written`);
  // `merge` gives the parent's next state, in the parent's own version.
  const next = subresource.merge(written, current, context.catalog.environment) as ApiObject;
  // The version and identity that the client expects are those of the parent.
  const { resourceVersion, uid } = written.metadata;
  return {
    ...next,
    metadata: { ...next.metadata, ...(resourceVersion ? { resourceVersion } : {}), ...(uid ? { uid } : {}) },
  };
}
