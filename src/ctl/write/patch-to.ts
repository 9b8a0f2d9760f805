/** Changes an object with the smallest patch. */

import { createPatch } from "../../machinery/patch/create-patch.ts";
import type { Context } from "../context.ts";
import type { ObjectTarget } from "../input/targets.ts";
import type { Json } from "../json.ts";
import { dryRunOf } from "../output/formats.ts";
import { writeOptions } from "./write-options.ts";

/** The changed object; undefined: there is nothing to change. */
export async function patchTo(
  context: Context,
  target: ObjectTarget,
  change: { readonly before: Json; readonly after: Json; readonly manager: string },
): Promise<Json | undefined> {
  const schema = await context.session.openApi.mergeSchema(target.resource);
  const patch = createPatch(change.before, change.after, schema);
  if (Object.keys(patch).length === 0) return undefined;
  const dryRun = dryRunOf(context);
  if (dryRun === "client") return change.after;
  return context.at(target.resource).patch(target, patch, {
    ...writeOptions(change.manager, dryRun),
    type: schema === undefined ? "merge" : "strategic",
  });
}
