/** Prints the tables of the server, chunk by chunk, one table for each type. */

import type { Clock } from "../../base/clock.ts";
import type { FlagValues } from "../../base/flags/flag.ts";
import { nearest } from "../../base/suggest.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { collectionPath } from "../../client/requests/address.ts";
import { asks, requireQuestions } from "../../client/requests/questions.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { humanDuration } from "../../machinery/table/human-duration.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Context } from "../context.ts";
import { whileListing } from "../errors.ts";
import type { tableFlags } from "../flags/declared.ts";
import { type Lookup, subresourceOf } from "../input/lookups.ts";
import { allNamespaces, allowedInstead } from "../input/namespaces.ts";
import { questionOf } from "../input/question.ts";
import { throwCollected } from "../input/targets.ts";
import { type Json, list, text } from "../json.ts";
import { groupVersionResource, kindName } from "../server/resource-names.ts";
import { abnormal } from "./abnormal.ts";
import { outputOf } from "./formats.ts";
import { sortBy } from "./sort.ts";
import { Columns, columnsOf, csvLine, headerOf, painter, rowOf, type TableOptions } from "./table.ts";

/** The context of a command that shows tables. */
export type TableContext = Context<FlagValues<typeof tableFlags>>;

export function tableAccept(context: TableContext): string {
  if (!context.flags["server-print"]) return "application/json";
  // A server chooses the first name that it knows. Its vocabulary may be unknown, or be that of another server before it.
  const tables = [kubernetes, orch].flatMap((vocabulary) =>
    ["v1", "v1beta1"].map((version) => `application/json;as=Table;v=${version};g=${vocabulary.group("meta.orch.io")}`),
  );
  return [...tables, "application/json"].join(",");
}

export function tableOptions(
  context: TableContext,
  lookups: readonly Lookup[],
  resource: DiscoveredResource,
): TableOptions {
  const { flags } = context;
  const types = new Set(lookups.map((lookup) => kindName(lookup.resource)));
  const namespaced = lookups.filter((lookup) => lookup.resource.namespaced && lookup.object === undefined);
  const namespaces = new Set(namespaced.map(({ namespace }) => namespace));
  return {
    isWide: outputOf(context).format === "wide",
    isCsv: outputOf(context).format === "csv",
    noHeaders: flags["no-headers"],
    withNamespace: resource.namespaced && (flags["all-namespaces"] === true || namespaces.size > 1),
    kindPrefix: flags["show-kind"] || types.size > 1 ? `${kindName(resource)}/` : "",
    showLabels: flags["show-labels"],
    labelColumns: flags["label-columns"],
    highlight: context.useColor ? abnormal : undefined,
  };
}

/** Lookups of one type share one table. */
export async function printTables(context: TableContext, lookups: readonly Lookup[]): Promise<void> {
  const failures: unknown[] = [];
  let printed = 0;
  let tables = 0;
  const named = await fetchNamed(context, lookups);
  const found = lookups.filter((lookup) => !(named.get(lookup) instanceof Error));
  for (let at = 0; at < lookups.length; ) {
    const first = lookups[at];
    if (first === undefined) break;
    let end = at + 1;
    while (end < lookups.length && lookups[end]?.resource === first.resource) end++;
    const options = tableOptions(context, found, first.resource);
    const writer = new TableWriter(context, options, tables > 0 && !options.noHeaders);
    const kept: KeptRow[] = [];
    for (const lookup of lookups.slice(at, end)) {
      try {
        const answer = named.get(lookup);
        if (answer instanceof Error) throw answer;
        if (answer === undefined) await printLookup(context, lookup, writer, kept);
        else writer.write(asTable(answer, context.environment.clock));
      } catch (error) {
        if (context.signal.aborted) throw error;
        if (!(isNotFound(error) && context.flags["ignore-not-found"])) failures.push(error);
      }
    }
    writeSorted(context, writer, kept);
    if (writer.rows > 0) tables++;
    printed += writer.rows;
    at = end;
  }
  throwCollected(failures);
  if (printed === 0 && !context.flags["ignore-not-found"]) await sayNothingFound(context, lookups);
}

/** Names of several types are requested before anything is printed: types without results get no prefix. */
async function fetchNamed(context: TableContext, lookups: readonly Lookup[]): Promise<Map<Lookup, Json | Error>> {
  const answers = new Map<Lookup, Json | Error>();
  if (new Set(lookups.map(({ resource }) => resource)).size < 2) return answers;
  for (const lookup of lookups) {
    if (lookup.name === undefined || lookup.problem !== undefined) continue;
    try {
      answers.set(
        lookup,
        await context.session.read(
          lookup.resource,
          { ...lookup, name: lookup.name },
          {
            query: lookup.past,
            subresource: subresourceOf(context),
            accept: tableAccept(context),
          },
        ),
      );
    } catch (error) {
      if (context.signal.aborted || !(error instanceof Error)) throw error;
      answers.set(lookup, error);
    }
  }
  return answers;
}

async function sayNothingFound(context: TableContext, lookups: readonly Lookup[]): Promise<void> {
  const isNamespaced = lookups.some(({ resource }) => resource.namespaced);
  if (!isNamespaced || context.flags["all-namespaces"]) {
    context.note("No resources found");
    return;
  }
  context.note(`No resources found in ${context.namespace} namespace.`);
  if (context.behaviour.givesHints && context.isSet("namespace")) await noteMissingNamespace(context);
}

/** A misspelt namespace looks like an empty one, so a hint is printed. */
async function noteMissingNamespace(context: TableContext): Promise<void> {
  const names = await allNamespaces(context).catch(() => undefined);
  if (names === undefined || context.isQuiet) return;
  for (const name of context.namespace.split(",").filter((one) => !/[*?]/.test(one) && !names.includes(one))) {
    const near = nearest(name, names);
    context.note(`There is no namespace "${name}".${near === undefined ? "" : ` Did you mean "${near}"?`}`);
  }
}

/** Writes rows as they arrive; the widths of columns follow the first chunk and later ones. */
export class TableWriter {
  readonly #context: Context;
  readonly #options: TableOptions;
  readonly #columns = new Columns();
  #isBegun: boolean;
  #needsBlank: boolean;
  rows = 0;

  constructor(context: Context, options: TableOptions, needsBlank: boolean) {
    this.#context = context;
    this.#options = options;
    this.#isBegun = options.noHeaders;
    this.#needsBlank = needsBlank;
  }

  /** `before`: columns of our own, by title. */
  write(table: Json, rows: readonly Json[] = list(table, "rows"), before: Readonly<Record<string, string>> = {}): void {
    const columns = columnsOf(table);
    const lines = rows.map((row) => [...Object.values(before), ...rowOf(columns, row, this.#options)]);
    if (lines.length === 0) return;
    this.rows += lines.length;
    const header = [...Object.keys(before), ...headerOf(columns, this.#options)];
    const all = this.#isBegun ? lines : [header, ...lines];
    const paint = painter(header, { ...this.#options, noHeaders: this.#isBegun });
    this.#isBegun = true;
    const blank = this.#needsBlank ? "\n" : "";
    this.#needsBlank = false;
    if (this.#options.isCsv) this.#context.printRaw(blank + all.map(csvLine).join(""));
    else this.#context.environment.stdout.write(blank + this.#columns.format(all, paint));
  }
}

/** A row that waits to be sorted. */
interface KeptRow {
  readonly table: Json;
  readonly row: Json;
}

function writeSorted(context: TableContext, writer: TableWriter, kept: readonly KeptRow[]): void {
  const [first] = kept;
  if (first === undefined) return;
  const sorted = sortBy(kept, context.flags["sort-by"], ({ row }) => row["object"]);
  writer.write(
    first.table,
    sorted.map(({ row }) => row),
  );
}

async function printLookup(context: TableContext, lookup: Lookup, writer: TableWriter, kept: KeptRow[]): Promise<void> {
  const { resource, namespace, name, problem, past } = lookup;
  if (problem !== undefined) throw problem;
  const { flags, session } = context;
  const sort = flags["sort-by"];
  const accept = tableAccept(context);
  const includeObject = sort === "" ? undefined : "Object";
  if (name !== undefined) {
    const request = { accept, query: { ...past, includeObject }, subresource: subresourceOf(context) };
    writer.write(asTable(await session.read(resource, { namespace, name }, request), context.environment.clock));
    return;
  }
  const selectors = { labels: flags.selector ?? "", fields: flags["field-selector"] ?? "" };
  const question = questionOf(flags);
  if (asks(question)) await requireQuestions(session.send, collectionPath(resource, namespace), context.signal);
  const query = { labelSelector: selectors.labels, fieldSelector: selectors.fields, ...question, includeObject };
  let next = "";
  do {
    const limit = flags["chunk-size"] || undefined;
    let page: Json;
    try {
      page = asTable(
        await session.readList(resource, namespace, {
          accept,
          // The token of a chunk says of which moment it is.
          query: { ...query, limit, ...(next === "" ? past : { continue: next }) },
        }),
        context.environment.clock,
      );
    } catch (error) {
      const allowed = next === "" ? await allowedInstead(context, lookup, error) : undefined;
      if (allowed === undefined) throw whileListing(groupVersionResource(resource), selectors, error);
      for (const one of allowed) await printLookup(context, one, writer, kept);
      return;
    }
    if (sort === "") writer.write(page);
    else kept.push(...list(page, "rows").map((row) => ({ table: page, row })));
    next = text(page, "metadata", "continue");
    await context.environment.stdout.drained();
  } while (next !== "");
}

/** A server without table support answers with objects; they are shown by name and age. */
export function asTable(answer: Json, clock: Clock): Json {
  if (answer["kind"] === "Table") return answer;
  const items = Array.isArray(answer["items"]) ? list(answer, "items") : [answer];
  return {
    kind: "Table",
    metadata: answer["metadata"],
    columnDefinitions: [{ name: "Name" }, { name: "Age" }],
    rows: items.map((object) => ({
      cells: [text(object, "metadata", "name"), ageOf(object, clock)],
      object,
    })),
  };
}

function ageOf(object: Json, clock: Clock): string {
  const created = Date.parse(text(object, "metadata", "creationTimestamp"));
  return Number.isNaN(created) ? "<unknown>" : humanDuration(clock.now() - created);
}
