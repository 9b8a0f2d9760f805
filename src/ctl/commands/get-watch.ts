/** `get --watch`: rows or objects as they change, until the user stops it. */

import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { pathOf } from "../api/api.ts";
import type { Context } from "../context.ts";
import { CtlError, ServerError } from "../errors.ts";
import type { Lookup } from "../input/lookups.ts";
import { apiVersionOf, isJson, type Json, kindOf, nameOf, namespaceOf, object, text } from "../json.ts";
import { unifiedDiff } from "../output/diff.ts";
import { type ObjectPrinter, outputOf } from "../output/formats.ts";
import { LiveTable } from "../output/live-table.ts";
import { asTable, TableWriter, tableAccept, tableOptions } from "../output/tables.ts";

export async function watchLookups(
  context: Context,
  lookups: readonly Lookup[],
  printer: ObjectPrinter | undefined,
): Promise<void> {
  const types = new Set(lookups.map(({ resource }) => resource));
  if (lookups.length > 1 && context.isKubectl && lookups.some(({ object: manifest }) => manifest !== undefined))
    throw new CtlError(
      "watch is only supported on individual resources and resource collections, but a list of resources is found",
    );
  if (types.size > 1 && context.isKubectl) throw new CtlError("you may only specify a single resource type");
  await Promise.all(lookups.map((lookup) => watchOne(context, lookup, printer, lookups)));
}

async function watchOne(
  context: Context,
  lookup: Lookup,
  printer: ObjectPrinter | undefined,
  all: readonly Lookup[],
): Promise<void> {
  const { flags, api } = context;
  const { resource, namespace, name } = lookup;
  const showsObjects = printer !== undefined || flags.on("diff");
  const accept = showsObjects ? "application/json" : await tableAccept(context);
  const query = {
    labelSelector: flags.text("selector"),
    fieldSelector: name === undefined ? flags.text("field-selector") : `metadata.name=${name}`,
  };
  const writer = new TableWriter(context, tableOptions(context, all, resource), false);
  const differ = flags.on("diff") ? new Differ() : undefined;
  const isLive =
    context.environment.stdout.isTerminal && !context.isKubectl && all.length === 1 && !flags.on("watch-only");
  const live = isLive ? new LiveTable(context, tableOptions(context, all, resource)) : undefined;
  const withEvents = flags.on("output-watch-events");
  const show = (type: string, answer: Json) => {
    if (differ !== undefined) return context.print(differ.show(type, answer));
    if (printer === undefined && live !== undefined) return live.show(type, asTable(answer));
    if (printer === undefined) return writer.write(asTable(answer), undefined, withEvents ? [type] : []);
    context.printRaw(
      printer(
        withEvents && ["json", "yaml", "ndjson"].includes(outputOf(context).format) ? { type, object: answer } : answer,
      ),
    );
  };
  let since = "";
  let next = "";
  do {
    const page = await api.json(pathOf({ resource, namespace, name }), {
      accept,
      query:
        name === undefined
          ? { ...query, limit: flags.int("chunk-size") || undefined, continue: next || undefined }
          : {},
    });
    if (!flags.on("watch-only")) {
      if (printer === undefined && !showsObjects) show("ADDED", page);
      else for (const item of itemsOf(page)) show("ADDED", item);
    } else if (showsObjects) for (const item of itemsOf(page)) differ?.show("ADDED", item);
    since = text(page, "metadata", "resourceVersion") || versionOfRow(page);
    next = text(page, "metadata", "continue");
    await context.environment.stdout.drained();
  } while (next !== "");
  const place = { resource, namespace };
  for await (const event of api.watch(place, { accept, query: { ...query, resourceVersion: since } })) {
    const type = text(event, "type");
    const value = object(event, "object");
    if (type === "ERROR") throw new ServerError(value, Number(value["code"] ?? 500));
    if (type !== "BOOKMARK") show(type, value);
    await context.environment.stdout.drained();
  }
}

/** The table of one object has no version of its own, but the object in its row has. */
function versionOfRow(table: Json): string {
  const rows = Array.isArray(table["rows"]) ? table["rows"] : [];
  return text(rows[0], "object", "metadata", "resourceVersion");
}

function itemsOf(answer: Json): Json[] {
  if (!Array.isArray(answer["items"])) return [answer];
  const kind = kindOf(answer).replace(/List$/, "");
  return answer["items"].filter(isJson).map((item) => ({ apiVersion: apiVersionOf(answer), kind, ...item }));
}

/** Shows what a change did to an object, against its state before. */
class Differ {
  readonly #known = new Map<string, string>();

  show(type: string, value: Json): string {
    const key = `${namespaceOf(value)}/${nameOf(value)}`;
    const { managedFields: _, ...metadata } = object(value, "metadata");
    const before = this.#known.get(key) ?? "";
    const after = encodeYaml({ ...value, metadata });
    if (type === "DELETED") this.#known.delete(key);
    else this.#known.set(key, after);
    const title = `${type} ${kindOf(value).toLowerCase()}/${nameOf(value)}\n`;
    return type === "MODIFIED" ? title + unifiedDiff(before, after) : title;
  }
}
