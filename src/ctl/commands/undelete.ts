/** `undelete`: creates a deleted object again, or a namespace with what was in it. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { revisionBefore } from "../../operations/past.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, throwFailures, UsageError } from "../errors.ts";
import { dryRunFlag, fieldManagerFlag, printFlags } from "../flags/declared.ts";
import { revisionOf } from "../input/causes.ts";
import { everyResource } from "../input/everything.ts";
import { findLookups } from "../input/lookups.ts";
import { aboutObject, findChanges, momentOf, stateAt, statesAt } from "../input/past.ts";
import { type Json, list, nameOf, text } from "../json.ts";
import { dryRunOf } from "../output/formats.ts";
import { isMade, isOwn } from "../output/own-objects.ts";
import { createAgain, inOrder } from "../write/create-again.ts";
import { untilNotTerminating, untilUsable } from "../write/namespace-waits.ts";

const undeleteFlags = {
  ...printFlags,
  ...dryRunFlag,
  ...fieldManagerFlag("undelete"),
  since: string("With a type alone: all of its objects that were deleted after this time, or in the last so long"),
};

type UndeleteContext = Context<FlagValues<typeof undeleteFlags>>;

export const undelete = command({
  name: "undelete",
  summary: "Create a deleted object again, as it was last; a namespace with what was in it",
  usage: "(TYPE NAME | TYPE/NAME | TYPE --since=10m)",
  description:
    "They are created by ordinary requests, in an order that works, with new uids, and with those owners that are there. Of a namespace, what `export` would have written when its deletion began; controllers make the rest.",
  examples: `ctl undelete configmap/prices
ctl undelete namespace/shop
ctl undelete widgets --since=10m -n shop`,
  flags: undeleteFlags,
  run,
});

async function run(context: UndeleteContext): Promise<void> {
  const { since } = context.flags;
  for (const { resource, namespace, name } of await findLookups(context, { allowLists: true })) {
    if (name === undefined && since === "") throw new UsageError("name an object, or say --since with a type");
    if (name !== undefined && since !== "") throw new UsageError("--since is for a type without a name");
    if (name === undefined) await undeleteSince(context, resource, namespace, momentOf(context, since, "since"));
    else if (resource.kind === "Namespace" && resource.group === "") await undeleteNamespace(context, resource, name);
    else await undeleteOne(context, resource, namespace, name);
  }
}

async function undeleteOne(
  context: Context,
  resource: DiscoveredResource,
  namespace: string,
  name: string,
): Promise<void> {
  const change = await deleteOf(context, resource, namespace, name);
  const past = await stateAt(context, resource, refOf(namespace, name), {
    resourceVersion: revisionBefore(nameOf(change)),
  });
  if (past === undefined)
    throw new CtlError(`the state of ${resource.resource}/${name} before its delete is no longer kept`);
  await createAgain(context, { resource, past, verb: "undelete" });
}

const refOf = (namespace: string, name: string) => (namespace === "" ? { name } : { namespace, name });

/** The newest delete of an object that is not there. */
async function deleteOf(
  context: Context,
  resource: DiscoveredResource,
  namespace: string,
  name: string,
): Promise<Json> {
  const about = [...aboutObject(resource, name), "operation=delete"];
  const [change] = await findChanges(context, namespace, about, 1);
  const label = `${resource.resource}/${name}`;
  if (change === undefined) throw new CtlError(`no delete of ${label} is kept`);
  if ((await context.session.find(resource, refOf(namespace, name))) !== undefined)
    throw new CtlError(`${label} is there`);
  return change;
}

/** How many deletes one command takes back at most. */
const deletesMax = 5_000;

async function undeleteSince(
  context: Context,
  resource: DiscoveredResource,
  namespace: string,
  since: string,
): Promise<void> {
  const about = [...aboutObject(resource, "").slice(0, 2), "operation=delete", `since=${since}`];
  const deletes = await findChanges(context, namespace, about, deletesMax);
  const failures: unknown[] = [];
  const seen = new Set<string>();
  // Newest first: an object that was deleted twice is what it was last.
  for (const change of deletes) {
    const [where, name] = [text(change, "object", "namespace"), text(change, "object", "name")];
    if (seen.has(`${where}/${name}`)) continue;
    seen.add(`${where}/${name}`);
    try {
      const ref = refOf(where, name);
      if ((await context.session.find(resource, ref)) !== undefined) continue;
      const past = await stateAt(context, resource, ref, { resourceVersion: revisionBefore(nameOf(change)) });
      if (past !== undefined && isOwn(past)) await createAgain(context, { resource, past, verb: "undelete" });
    } catch (error) {
      failures.push(error);
    }
  }
  if (seen.size === 0) context.say(`no deletes of ${resource.resource} are kept since ${since}`);
  throwFailures(failures);
}

async function undeleteNamespace(context: Context, namespaces: DiscoveredResource, name: string): Promise<void> {
  if (dryRunOf(context) === "none") await untilNotTerminating(context, namespaces, name);
  const gone = await deleteOf(context, namespaces, "", name);
  const resourceVersion = await beginOf(context, namespaces, name, gone);
  const past = await stateAt(context, namespaces, { name }, { resourceVersion });
  if (past === undefined) throw new CtlError(`the state of namespaces/${name} before its deletion is no longer kept`);
  const all: { readonly resource: DiscoveredResource; readonly past: Json }[] = [];
  const failures: unknown[] = [];
  for (const resource of await everyResource(context)) {
    if (!resource.namespaced || isMade(resource) || !resource.verbs.includes("create")) continue;
    try {
      for (const one of await statesAt(context, resource, name, { resourceVersion }))
        if (isOwn(one)) all.push({ resource, past: one });
    } catch (error) {
      failures.push(error);
    }
  }
  await createAgain(context, { resource: namespaces, past, verb: "undelete" });
  if (dryRunOf(context) !== "none") {
    // In a namespace that is not there, nothing can be tried.
    for (const one of inOrder(all)) context.print(`${one.resource.resource}/${nameOf(one.past)} would be created\n`);
    return throwFailures(failures);
  }
  await untilUsable(context, name);
  for (const { resource, past: one } of inOrder(all)) {
    try {
      await createAgain(context, { resource, past: one, verb: "undelete" });
    } catch (error) {
      failures.push(error);
    }
  }
  throwFailures(failures);
}

/** The state when the deletion began: afterwards its objects went one by one. */
async function beginOf(context: Context, namespaces: DiscoveredResource, name: string, gone: Json): Promise<string> {
  const about = [...aboutObject(namespaces, name), "operation=update"];
  const updates = await findChanges(context, "", about, 50);
  const begun = updates.find(
    (change) =>
      revisionOf(change) < revisionOf(gone) &&
      list(change, "fields").some((field) => text(field, "path") === "metadata.deletionTimestamp"),
  );
  return revisionBefore(nameOf(begun ?? gone));
}
