/** Prints what the server answers as tables, chunk by chunk, one table for each type. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import { pathOf } from "../api/api.ts";
import { type ApiResource, groupVersionResource, kindName } from "../api/discovery.ts";
import type { Context } from "../context.ts";
import { isForbidden, isNotFound, whileListing } from "../errors.ts";
import type { Lookup } from "../input/lookups.ts";
import { allowedNamespaces } from "../input/namespaces.ts";
import { throwAll } from "../input/targets.ts";
import { type Json, list, text } from "../json.ts";
import { abnormal } from "./abnormal.ts";
import { outputOf } from "./formats.ts";
import { sortBy } from "./sort.ts";
import { Columns, columnsOf, headerOf, rowOf, type TableOptions } from "./table.ts";

export async function tableAccept(context: Context): Promise<string> {
  if (context.flags.has("server-print") && !context.flags.on("server-print")) return "application/json";
  const group = (await context.vocabulary()).group("meta.orch.io");
  return `application/json;as=Table;v=v1;g=${group},application/json;as=Table;v=v1beta1;g=${group},application/json`;
}

export function tableOptions(context: Context, lookups: readonly Lookup[], resource: ApiResource): TableOptions {
  const { flags } = context;
  const types = new Set(lookups.map((lookup) => kindName(lookup.resource)));
  return {
    isWide: outputOf(context).format === "wide",
    noHeaders: flags.on("no-headers"),
    withNamespace: flags.on("all-namespaces") && resource.namespaced,
    kindPrefix: flags.on("show-kind") || types.size > 1 ? `${kindName(resource)}/` : "",
    showLabels: flags.on("show-labels"),
    labelColumns: flags.list("label-columns"),
    highlight: context.useColor ? abnormal : undefined,
  };
}

/** Lookups of one type follow each other in one table. */
export async function printTables(context: Context, lookups: readonly Lookup[]): Promise<void> {
  const failures: unknown[] = [];
  let printed = 0;
  let tables = 0;
  for (let at = 0; at < lookups.length; ) {
    const first = lookups[at];
    if (first === undefined) break;
    let end = at + 1;
    while (end < lookups.length && lookups[end]?.resource === first.resource) end++;
    const options = tableOptions(context, lookups, first.resource);
    const writer = new TableWriter(context, options, tables > 0);
    for (const lookup of lookups.slice(at, end)) {
      try {
        await printLookup(context, lookup, writer);
      } catch (error) {
        if (context.signal.aborted) throw error;
        if (!(isNotFound(error) && context.flags.on("ignore-not-found"))) failures.push(error);
      }
    }
    if (writer.rows > 0) tables++;
    printed += writer.rows;
    at = end;
  }
  throwAll(failures);
  if (printed === 0 && !context.flags.on("ignore-not-found")) sayNothingFound(context, lookups);
}

function sayNothingFound(context: Context, lookups: readonly Lookup[]): void {
  const isNamespaced = lookups.some(({ resource }) => resource.namespaced);
  const allNamespaces = context.flags.on("all-namespaces");
  context.say(
    isNamespaced && !allNamespaces ? `No resources found in ${context.namespace} namespace.` : "No resources found",
  );
}

/** Writes rows as they come; the widths of columns follow the first chunk and what came later. */
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

  write(table: Json, rows: readonly Json[] = list(table, "rows"), before: readonly string[] = []): void {
    const columns = columnsOf(table);
    const lines = rows.map((row) => [...before, ...rowOf(columns, row, this.#options)]);
    if (lines.length === 0) return;
    this.rows += lines.length;
    const header = this.#isBegun ? [] : [[...before.map(() => "EVENT"), ...headerOf(columns, this.#options)]];
    this.#isBegun = true;
    const blank = this.#needsBlank ? "\n" : "";
    this.#needsBlank = false;
    const text = this.#columns.format([...header, ...lines]);
    const { highlight } = this.#options;
    this.#context.environment.stdout.write(
      blank + (highlight === undefined ? text : text.replaceAll(/\S+/g, highlight)),
    );
  }
}

async function printLookup(context: Context, lookup: Lookup, writer: TableWriter): Promise<void> {
  const { resource, namespace, name, problem } = lookup;
  if (problem !== undefined) throw problem;
  const { flags, api } = context;
  const sort = flags.text("sort-by");
  const accept = await tableAccept(context);
  const includeObject = sort === "" ? undefined : "Object";
  if (name !== undefined) {
    writer.write(asTable(await api.json(pathOf({ resource, namespace, name }), { accept, query: { includeObject } })));
    return;
  }
  const selectors = { labels: flags.text("selector"), fields: flags.text("field-selector") };
  const query = { labelSelector: selectors.labels, fieldSelector: selectors.fields, includeObject };
  const kept: { table: Json; row: Json }[] = [];
  let next = "";
  do {
    const limit = flags.int("chunk-size") || undefined;
    let page: Json;
    try {
      page = asTable(
        await api.json(pathOf({ resource, namespace }), {
          accept,
          query: { ...query, limit, continue: next || undefined },
        }),
      );
    } catch (error) {
      const isEverywhere = isForbidden(error) && resource.namespaced && namespace === "";
      const allowed = isEverywhere && next === "" ? await allowedNamespaces(context, resource) : undefined;
      if (allowed === undefined) throw whileListing(groupVersionResource(resource), selectors, error);
      context.say(`you may not list ${resource.name} in all namespaces; showing ${allowed.join(", ")}`);
      for (const one of allowed) await printLookup(context, { ...lookup, namespace: one }, writer);
      return;
    }
    if (sort === "") writer.write(page);
    else kept.push(...list(page, "rows").map((row) => ({ table: page, row })));
    next = text(page, "metadata", "continue");
    await context.environment.stdout.drained();
  } while (next !== "");
  const sorted = sort === "" ? [] : sortBy(kept, sort, ({ row }) => row["object"]);
  const [first] = sorted;
  if (first !== undefined)
    writer.write(
      first.table,
      sorted.map(({ row }) => row),
    );
}

/** A server that makes no tables answers with objects; they are shown by name and age. */
export function asTable(answer: Json): Json {
  if (answer["kind"] === "Table") return answer;
  const items = Array.isArray(answer["items"]) ? list(answer, "items") : [answer];
  return {
    kind: "Table",
    metadata: answer["metadata"],
    columnDefinitions: [{ name: "Name" }, { name: "Age" }],
    rows: items.map((object) => ({
      cells: [text(object, "metadata", "name"), ageOf(object)],
      object,
    })),
  };
}

function ageOf(object: Json): string {
  const created = Date.parse(text(object, "metadata", "creationTimestamp"));
  return Number.isNaN(created) ? "<unknown>" : humanDuration(Date.now() - created);
}
