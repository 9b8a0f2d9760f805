/** `get --watch`: shows rows or objects as they change, until the user interrupts. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { CtlError } from "../errors.ts";
import type { Lookup } from "../input/lookups.ts";
import { allowedInstead } from "../input/namespaces.ts";
import { type Json, kindOf, nameOf, text } from "../json.ts";
import { ChangedLines } from "../output/changes.ts";
import { type ObjectPrinter, outputOf } from "../output/formats.ts";
import { LiveTable } from "../output/live-table.ts";
import { asTable, TableWriter, tableAccept, tableOptions } from "../output/tables.ts";
import { type Followed, follow, itemsOf } from "../server/follow.ts";
import type { GetContext } from "./get-flags.ts";

export async function watchLookups(
  context: GetContext,
  lookups: readonly Lookup[],
  printer: ObjectPrinter | undefined,
): Promise<void> {
  const types = new Set(lookups.map(({ resource }) => resource));
  if (
    lookups.length > 1 &&
    !context.behaviour.watchesSeveralTypes &&
    lookups.some(({ object: manifest }) => manifest !== undefined)
  )
    throw new CtlError(
      "watch is only supported on individual resources and resource collections, but a list of resources is found",
    );
  if (types.size > 1 && !context.behaviour.watchesSeveralTypes)
    throw new CtlError("you may only specify a single resource type");
  const views = new Map([...types].map((type) => [type, viewOf(context, lookups, type, printer)]));
  await Promise.all(
    lookups.map((lookup) => watchOne(context, lookup, views.get(lookup.resource) ?? (() => {}), printer !== undefined)),
  );
  context.signal.throwIfAborted();
}

/** Shows objects, or tables of them, as they come and change. */
type View = (type: string, answer: Json) => void;

/**
 * Updates the table in place for one type on a terminal of a known size; otherwise prints a line for each event, with
 * its time and type.
 */
function viewOf(
  context: GetContext,
  lookups: readonly Lookup[],
  resource: DiscoveredResource,
  printer: ObjectPrinter | undefined,
): View {
  const { flags, environment } = context;
  const withEvents = flags["output-watch-events"];
  if (flags.diff) return diffView(context);
  if (printer !== undefined) {
    const wraps = withEvents && ["json", "yaml", "ndjson"].includes(outputOf(context).format);
    return (type, answer) => context.printRaw(printer(wraps ? { type, object: answer } : answer));
  }
  const options = tableOptions(context, lookups, resource);
  const isSingleType = lookups.every((lookup) => lookup.resource === resource);
  const { isTerminal, columns, rows } = environment.stdout;
  const hasSize = columns !== undefined && rows !== undefined;
  const isLive = isTerminal && hasSize && environment.env["TERM"] !== "dumb" && !options.isCsv;
  if (isLive && context.behaviour.updatesInPlace && isSingleType && !flags["watch-only"]) {
    const live = new LiveTable(context, options);
    return (type, answer) => live.show(type, asTable(answer));
  }
  const writer = new TableWriter(context, options, false);
  const before = (type: string): Record<string, string> => {
    // As wide as the longest type from the start, so that the columns behind it stay where they are.
    const padded = options.isCsv ? type : type.padEnd("MODIFIED".length);
    if (context.behaviour.timesEvents) return { TIME: new Date(environment.clock.now()).toISOString(), EVENT: padded };
    return withEvents ? { EVENT: type } : {};
  };
  return (type, answer) => writer.write(asTable(answer), undefined, before(type));
}

/** The type of an event that only records an object. */
const known = "";

function diffView(context: GetContext): View {
  const changes = new ChangedLines();
  return (type, value) => {
    const time = new Date(context.environment.clock.now()).toISOString();
    const changed = changes.note(type, value);
    if (type === known) return;
    context.print(`${time} ${type.padEnd(8)} ${kindOf(value).toLowerCase()}/${nameOf(value)}\n${changed}`);
  };
}

async function watchOne(context: GetContext, lookup: Lookup, show: View, hasPrinter: boolean): Promise<void> {
  const { flags } = context;
  const showsObjects = hasPrinter || flags.diff;
  const accept = showsObjects ? "application/json" : await tableAccept(context);
  let hasBegun = false;
  try {
    for await (const { type, object } of changesOf(context, lookup, accept)) {
      hasBegun = true;
      if (type !== "PAGE") show(type, object);
      // A difference needs the previous state, even if it is not shown.
      else if (showsObjects && (flags.diff || !flags["watch-only"]))
        for (const item of itemsOf(object)) show(flags["watch-only"] ? known : "ADDED", item);
      else if (!flags["watch-only"]) show("ADDED", object);
      await context.environment.stdout.drained();
    }
  } catch (error) {
    const allowed = hasBegun ? undefined : await allowedInstead(context, lookup, error);
    if (allowed === undefined) throw error;
    await Promise.all(allowed.map((one) => watchOne(context, one, show, hasPrinter)));
  }
}

/** One object is read by its name first, so that it is an error if it does not exist. */
async function* changesOf(
  context: GetContext,
  { resource, namespace, name }: Lookup,
  accept: string,
): AsyncGenerator<Followed> {
  const { flags } = context;
  const labelSelector = flags.selector;
  if (name === undefined) {
    const query = { labelSelector, fieldSelector: flags["field-selector"], limit: flags["chunk-size"] };
    yield* follow(context, resource, { namespace, accept, ...query });
    return;
  }
  const object = await context.session.read(resource, { namespace, name }, { accept });
  yield { type: "PAGE", object };
  const resourceVersion = text(object, "metadata", "resourceVersion") || versionOfRow(object);
  const query = { labelSelector, fieldSelector: `metadata.name=${name}`, resourceVersion };
  for await (const event of context.session.watch(resource, { namespace, accept, ...query }))
    if (event.type !== "BOOKMARK") yield event;
}

/** The table of one object has no resourceVersion, but the object in its row has. */
function versionOfRow(table: Json): string {
  const rows = Array.isArray(table["rows"]) ? table["rows"] : [];
  return text(rows[0], "object", "metadata", "resourceVersion");
}
