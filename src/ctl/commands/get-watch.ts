/** `get --watch`: shows rows or objects as they change, until the user interrupts. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { CtlError } from "../errors.ts";
import type { Lookup } from "../input/lookups.ts";
import { allowedInstead } from "../input/namespaces.ts";
import { questionOf } from "../input/question.ts";
import { type Json, kindOf, nameOf } from "../json.ts";
import { ChangedLines } from "../output/changes.ts";
import { type ObjectPrinter, outputOf } from "../output/formats.ts";
import { LiveTable } from "../output/live-table.ts";
import { asTable, TableWriter, tableAccept, tableOptions } from "../output/tables.ts";
import { type Followed, itemsOf } from "../server/follow.ts";
import { type FollowedSource, keepFollowing, type Tell, tellOnce } from "../server/keep-following.ts";
import { listSource } from "../server/list-source.ts";
import { objectSource } from "../server/object-source.ts";
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
  // A line between the lines of a table that is updated in place would move it.
  const tell = isLive(context, lookups, printer) ? () => {} : tellOnce(context);
  const options = { hasPrinter: printer !== undefined, tell };
  await Promise.all(
    lookups.map((lookup) => watchOne(context, lookup, views.get(lookup.resource) ?? (() => {}), options)),
  );
  context.signal.throwIfAborted();
}

/** Shows objects, or tables of them, as they come and change. */
type View = (type: string, answer: Json) => void;

/** One type on a terminal of a known size is shown as a table that is updated in place. */
function isLive(context: GetContext, lookups: readonly Lookup[], printer: ObjectPrinter | undefined): boolean {
  const { environment, flags, behaviour } = context;
  const { isTerminal, columns, rows } = environment.stdout;
  const hasSize = columns !== undefined && rows !== undefined;
  const isTable = printer === undefined && !flags.diff && !flags["watch-only"] && outputOf(context).format !== "csv";
  const isSingleType = new Set(lookups.map(({ resource }) => resource)).size === 1;
  return (
    isTable && isSingleType && behaviour.updatesInPlace && isTerminal && hasSize && environment.env["TERM"] !== "dumb"
  );
}

/** Updates the table in place where that is possible; otherwise prints a line for each event, with its time and type. */
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
  if (isLive(context, lookups, printer)) {
    const live = new LiveTable(context, options);
    return (type, answer) => live.show(type, asTable(answer, context.environment.clock));
  }
  const writer = new TableWriter(context, options, false);
  const before = (type: string): Record<string, string> => {
    // As wide as the longest type from the start, so that the columns behind it stay where they are.
    const padded = options.isCsv ? type : type.padEnd("MODIFIED".length);
    if (context.behaviour.timesEvents) return { TIME: new Date(environment.clock.now()).toISOString(), EVENT: padded };
    return withEvents ? { EVENT: type } : {};
  };
  return (type, answer) => writer.write(asTable(answer, context.environment.clock), undefined, before(type));
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

interface WatchOptions {
  readonly hasPrinter: boolean;
  readonly tell: Tell;
}

async function watchOne(context: GetContext, lookup: Lookup, show: View, options: WatchOptions): Promise<void> {
  const { flags } = context;
  const showsObjects = options.hasPrinter || flags.diff;
  const accept = showsObjects ? "application/json" : tableAccept(context);
  let hasBegun = false;
  try {
    for await (const { type, object } of changesOf(context, sourceOf(context, lookup, accept), options.tell)) {
      if (type === "BOOKMARK") continue;
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
    await Promise.all(allowed.map((one) => watchOne(context, one, show, options)));
  }
}

/** Under the name kubectl a watch ends when the server ends it. */
function changesOf(context: GetContext, source: FollowedSource, tell: Tell): AsyncIterable<Followed> {
  return context.behaviour.resumesWatches ? keepFollowing(context, source, tell) : source.state();
}

function sourceOf(context: GetContext, { resource, namespace, name }: Lookup, accept: string): FollowedSource {
  const { flags } = context;
  const labelSelector = flags.selector;
  if (name !== undefined) return objectSource(context, resource, { namespace, name, accept, labelSelector });
  const { where } = questionOf(flags);
  const query = { labelSelector, fieldSelector: flags["field-selector"], where, limit: flags["chunk-size"] };
  return listSource(context, resource, { namespace, accept, ...query });
}
