/** `describe`: an object in detail, with its events. */

import { bool, type FlagValues } from "../../base/flags/flag.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { events } from "../describe/events.ts";
import { anyKind } from "../describe/generic.ts";
import { descriptionOf, endsWithEvents } from "../describe/list.ts";
import { describeBy } from "../describe/writer.ts";
import { CtlError } from "../errors.ts";
import { allNamespacesFlag, chunkSizeFlag, filenameFlags, selectorFlag } from "../flags/declared.ts";
import { findLookups, hasFiles, type Lookup } from "../input/lookups.ts";
import { type ObjectTarget, targetsOf, throwCollected } from "../input/targets.ts";
import { nameOf, namespaceOf } from "../json.ts";

const describeFlags = {
  ...filenameFlags,
  ...selectorFlag,
  ...allNamespacesFlag,
  "show-events": bool("Also show the events of the object", true),
  ...chunkSizeFlag(500),
};

type DescribeContext = Context<FlagValues<typeof describeFlags>>;

export const describe = command({
  name: "describe",
  summary: "Show details of a specific resource or group of resources",
  usage: "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
  examples: `ctl describe nodes my-node
ctl describe pods/nginx
ctl describe -f pod.json
ctl describe pods -l name=myLabel`,
  flags: describeFlags,
  run,
});

async function run(context: DescribeContext): Promise<void> {
  if (context.args.length === 0 && !hasFiles(context))
    throw new CtlError(
      `You must specify the type of resource to describe. Use "${context.program} api-resources" for a complete list of supported resources.`,
    );
  const lookups = await findLookups(context, { allowLists: true });
  const failures: unknown[] = [];
  let count = 0;
  const show = async (target: ObjectTarget) => {
    context.print((count === 0 ? "" : "\n\n") + (await textOf(context, target)));
    count++;
  };
  for (const lookup of lookups) {
    try {
      for await (const target of targetsOf(context, lookup)) await show(target);
    } catch (error) {
      const near =
        isNotFound(error) && lookup.name !== undefined && lookup.object === undefined
          ? await byPrefix(context, lookup)
          : [];
      for (const target of near) await show(target);
      if (near.length === 0) failures.push(error);
    }
  }
  throwCollected(failures);
  if (count === 0) {
    const isNamespaced = lookups.some(({ resource }) => resource.namespaced);
    if (isNamespaced && !context.flags["all-namespaces"])
      context.say(`No resources found in ${context.namespace} namespace.`);
    else context.say("No resources found");
  }
}

/** A name that does not exist may be the prefix of names. */
async function byPrefix(context: Context, lookup: Lookup): Promise<ObjectTarget[]> {
  const { resource, namespace, name = "" } = lookup;
  const found: ObjectTarget[] = [];
  for await (const object of context.at(resource).items({ namespace }))
    if (nameOf(object).startsWith(name))
      found.push({ resource, namespace: namespaceOf(object), name: nameOf(object), object, source: "" });
  return found;
}

async function textOf(context: DescribeContext, { resource, object }: ObjectTarget): Promise<string> {
  const rows = descriptionOf(resource.kind, resource.group) ?? anyKind;
  return describeBy(
    context.flags["show-events"] && endsWithEvents(rows) ? [...rows, ...events] : rows,
    object,
    context,
  );
}
