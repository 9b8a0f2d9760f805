/** `events`: the Events of a namespace or about an object, oldest first. */

import { bool, type FlagValues, string, strings } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { ageOf } from "../describe/events.ts";
import { allNamespacesFlag, printFlags } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, namespaceOf, text } from "../json.ts";
import { asList, objectPrinter } from "../output/formats.ts";
import { Columns } from "../output/table.ts";
import { itemsOf } from "../server/follow.ts";
import { keepFollowing, tellOnce } from "../server/keep-following.ts";
import { listSource } from "../server/list-source.ts";

const eventsFlags = {
  ...printFlags,
  ...allNamespacesFlag,
  for: string("Only events of this object, as type/name"),
  types: strings("Only events of these types: Normal, Warning"),
  watch: bool("After listing, watch for more", false, { short: "w" }),
  "no-headers": bool("Print no headers"),
};

type EventsContext = Context<FlagValues<typeof eventsFlags>>;

export const events = command({
  name: "events",
  summary: "List events",
  usage: "[-A] [--for TYPE/NAME] [--watch]",
  examples: `ctl events
ctl events -A --types=Warning
ctl events --for=pod/web -w`,
  flags: eventsFlags,
  run,
});

const timeOf = (event: Json): string =>
  text(event, "lastTimestamp") || text(event, "eventTime") || text(event, "metadata", "creationTimestamp");

async function run(context: EventsContext): Promise<void> {
  const { flags } = context;
  const resource = await findResource(context, "events.v1.");
  const namespace = flags["all-namespaces"] ? "" : context.namespace;
  const query = { namespace, fieldSelector: await selectorOf(context) };
  const show = viewOf(context);
  const showSorted = (events: readonly Json[]) =>
    show(
      events.filter((event) => isWanted(context, event)).sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)),
      true,
    );
  if (!flags.watch) return showSorted((await context.at(resource).listAll(query)).items);
  const state: Json[] = [];
  for await (const one of keepFollowing(context, listSource(context, resource, query), tellOnce(context))) {
    if (one.type === "PAGE") state.push(...itemsOf(one.object));
    else if (one.type !== "DELETED" && isWanted(context, one.object)) show([one.object], false);
    if (one.type === "PAGE" && one.isLast) showSorted(state.splice(0));
  }
  context.signal.throwIfAborted();
}

/** Shows Events as a table or in a chosen format, as one list unless more may follow. */
function viewOf(context: EventsContext): (events: readonly Json[], isFirst: boolean) => void {
  const { flags } = context;
  const printer = objectPrinter(context);
  if (printer !== undefined)
    return (events) => {
      if (!flags.watch) context.printRaw(printer(asList(context, [...events])));
      else for (const event of events) context.printRaw(printer(event));
    };
  const layout = new Columns();
  const isEverywhere = flags["all-namespaces"];
  const header = [...(isEverywhere ? ["NAMESPACE"] : []), "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];
  const row = (event: Json) => [
    ...(isEverywhere ? [namespaceOf(event)] : []),
    ageOf(event, context.environment.clock.now()),
    text(event, "type"),
    text(event, "reason"),
    `${text(event, "involvedObject", "kind")}/${text(event, "involvedObject", "name")}`,
    text(event, "message").split("\n")[0] ?? "",
  ];
  return (events, isFirst) => {
    if (events.length === 0 && !flags.watch)
      return context.say(isEverywhere ? "No events found" : `No events found in ${context.namespace} namespace.`);
    context.print(layout.format([...(isFirst && !flags["no-headers"] ? [header] : []), ...events.map(row)]));
  };
}

async function selectorOf(context: EventsContext): Promise<string> {
  const target = context.flags.for;
  if (target === "") return "";
  const [type = "", name = ""] = target.split("/");
  const { kind } = await findResource(context, type);
  return `involvedObject.kind=${kind},involvedObject.name=${name}`;
}

function isWanted({ flags }: EventsContext, event: Json): boolean {
  const types = flags.types;
  return types.length === 0 || types.some((type) => type.toLowerCase() === text(event, "type").toLowerCase());
}
