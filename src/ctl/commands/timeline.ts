/** `timeline`: an object and all that it owns as one story, from the request of a person to what nodes made of it. */

import { type FlagValues, int, string } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { fieldLines, numberOf, objectText } from "../input/causes.ts";
import { findLookups, type Lookup } from "../input/lookups.ts";
import { aboutObject, findChanges, momentOf } from "../input/past.ts";
import { type Json, list, text } from "../json.ts";
import { becauseOf, byOf, whatOf } from "../output/past.ts";
import { Columns } from "../output/table.ts";

const timelineFlags = {
  since: string("Only changes after this time, or in the last so long", "1h"),
  limit: int("How many changes of the namespace to look at", 2_000),
};

type TimelineContext = Context<FlagValues<typeof timelineFlags>>;

export const timeline = command({
  name: "timeline",
  summary: "Show what happened to an object and to all that it owns, as one story",
  usage: "(TYPE NAME | TYPE/NAME) [--since=1h]",
  description:
    "Oldest first: the request, what controllers made of it, the scheduler, the node. Also of objects that are gone.",
  examples: `ctl timeline deploy/web
ctl timeline deploy/web --since=10m`,
  flags: timelineFlags,
  async run(context: TimelineContext) {
    if (context.flags.limit < 1) throw new UsageError("--limit must be at least 1");
    for (const lookup of await findLookups(context, { allowLists: true })) await tell(context, lookup);
  },
});

async function tell(context: TimelineContext, { resource, namespace, name }: Lookup): Promise<void> {
  if (name === undefined) throw new UsageError("the name of an object is needed");
  const since = `since=${momentOf(context, context.flags.since, "since")}`;
  const { limit } = context.flags;
  const own = await findChanges(context, namespace, [...aboutObject(resource, name), since], limit);
  const live = await context.session.find(resource, namespace === "" ? { name } : { namespace, name });
  const uids = new Set([...own.map((change) => text(change, "object", "uid")), text(live, "metadata", "uid")]);
  uids.delete("");
  const all = resource.namespaced ? await findChanges(context, namespace, [since], limit) : own;
  const story = all.toReversed().filter((change) => belongs(change, uids));
  if (story.length === 0) context.say("No changes found");
  else print(context, story);
}

/** Owners are older than what they own, so one walk from the oldest finds them all. */
function belongs(change: Json, uids: Set<string>): boolean {
  const uid = text(change, "object", "uid");
  if (uids.has(uid)) return true;
  if (!list(change, "object", "owners").some((owner) => uids.has(text(owner, "uid")))) return false;
  if (uid !== "") uids.add(uid);
  return true;
}

function print(context: Context, story: readonly Json[]): void {
  const rows = story.map((change) => [
    new Date(text(change, "metadata", "creationTimestamp")).toISOString().slice(11, 19),
    numberOf(change),
    objectText(change),
    whatOf(change),
    byOf(change),
    becauseOf(change),
    fieldLines(change, 2).join(", "),
  ]);
  context.print(new Columns().format([["TIME", "CHANGE", "OBJECT", "WHAT", "BY", "CAUSE", "FIELDS"], ...rows]));
}
