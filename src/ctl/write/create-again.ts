/** Creates objects again that are gone: with new uids, and owners as they are now. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { createdAgain } from "../../operations/past.ts";
import type { Context } from "../context.ts";
import { findServed } from "../input/lookups.ts";
import { apiVersionOf, type Json, list, namespaceOf, object, text } from "../json.ts";
import { legacyOrder } from "../kustomize/order.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { managerOf, writeOptions } from "./write-options.ts";

interface Again {
  readonly resource: DiscoveredResource;
  readonly past: Json;
  readonly verb: "restore" | "undelete" | "undo";
}

/** As a dry run first, so that a refusal comes before anything is written. Returns what was created. */
export async function createAgain(context: Context, { resource, past, verb }: Again): Promise<Json> {
  const again = createdAgain(past);
  const owners = await ownersNow(context, past);
  if (owners.length > 0) object(again, "metadata")["ownerReferences"] = owners;
  const dryRun = dryRunOf(context);
  const create = (run: typeof dryRun) =>
    context.at(resource).create(again, writeOptions(managerOf(context, verb), run));
  const trial = dryRun === "client" ? again : await create("server");
  const made = dryRun === "none" ? await create("none") : trial;
  printResult(context, made, "created", dryRun);
  return made;
}

/** As for manifests, and owners before what they own. */
export function inOrder<T extends { readonly past: Json }>(all: readonly T[]): T[] {
  const depthOf = ({ past }: T): number => (list(past, "metadata", "ownerReferences").length === 0 ? 0 : 1);
  return [...all].sort((a, b) => depthOf(a) - depthOf(b) || legacyOrder(a.past, b.past));
}

/** Those that are there, under the uids that they have now: with the others the object would be collected at once. */
async function ownersNow(context: Context, past: Json): Promise<Json[]> {
  const found: Json[] = [];
  for (const owner of list(past, "metadata", "ownerReferences")) {
    const resource = await findServed(context, (served) => served.byKind(apiVersionOf(owner), text(owner, "kind")));
    if (resource === undefined) continue;
    const name = text(owner, "name");
    const ref = resource.namespaced ? { namespace: namespaceOf(past), name } : { name };
    const now = await context.session.find(resource, ref);
    if (now !== undefined) found.push({ ...owner, uid: text(now, "metadata", "uid") });
  }
  return found;
}
