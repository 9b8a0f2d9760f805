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
  const fieldSelector = await selectorOf(context);
  const { items, resourceVersion } = await context.at(resource).listAll({ namespace, fieldSelector });
  const found = items.filter((event) => isWanted(context, event));
  found.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  const printer = objectPrinter(context);
  if (printer !== undefined) return context.printRaw(printer(asList(found)));
  const layout = new Columns();
  const header = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];
  const isEverywhere = flags["all-namespaces"];
  const row = (event: Json) => [
    ...(isEverywhere ? [namespaceOf(event)] : []),
    ageOf(event, context.environment.clock.now()),
    text(event, "type"),
    text(event, "reason"),
    `${text(event, "involvedObject", "kind")}/${text(event, "involvedObject", "name")}`,
    text(event, "message").split("\n")[0] ?? "",
  ];
  if (found.length === 0 && !flags.watch)
    return context.say(isEverywhere ? "No events found" : `No events found in ${namespace} namespace.`);
  context.print(
    layout.format([
      ...(flags["no-headers"] ? [] : [[...(isEverywhere ? ["NAMESPACE"] : []), ...header]]),
      ...found.map(row),
    ]),
  );
  if (!flags.watch) return;
  for await (const { type, object: event } of context.session.watch(resource, {
    namespace,
    fieldSelector,
    resourceVersion,
  }))
    if (type !== "DELETED" && isWanted(context, event)) context.print(layout.format([row(event)]));
  context.signal.throwIfAborted();
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
