/** `history`: who changed what, when, on a server that keeps a history. */

import { bool, type FlagValues, int, string } from "../../base/flags/flag.ts";
import { humanDuration } from "../../machinery/table/human-duration.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { allNamespacesFlag } from "../flags/declared.ts";
import { findLookups } from "../input/lookups.ts";
import { aboutObject, findChanges, momentOf } from "../input/past.ts";
import { type Json, list, text } from "../json.ts";
import { becauseOf, byOf, whatOf } from "../output/past.ts";
import { Columns } from "../output/table.ts";

const historyFlags = {
  ...allNamespacesFlag,
  since: string("Only changes after this time, or in the last so long: 1h"),
  until: string("Only changes before this time, or before so long ago"),
  by: string("Only changes by this user"),
  manager: string("Only changes by this manager of fields"),
  values: bool("Print each changed field with its value before and after"),
  limit: int("How many changes to print at most", 50),
};

type HistoryContext = Context<FlagValues<typeof historyFlags>>;

export const history = command({
  name: "history",
  summary: "Show who changed what, and when",
  usage: "[TYPE NAME | TYPE/NAME] [--since=1h] [--by=USER]",
  description:
    "Newest first. The server must keep a history (--history). A change has a number, which `undo` takes; what you may not get is left out.",
  examples: `ctl history deploy/web
ctl history -n shop --since=1h --by=jane
ctl history configmap/prices --values`,
  flags: historyFlags,
  run,
});

async function run(context: HistoryContext): Promise<void> {
  const { flags } = context;
  if (flags.limit < 1) throw new UsageError("--limit must be at least 1");
  const lookups = context.args.length === 0 ? [] : await findLookups(context, { allowLists: true });
  const requirements = [
    ...(flags.by === "" ? [] : [`user=${flags.by}`]),
    ...(flags.manager === "" ? [] : [`manager=${flags.manager}`]),
    ...(flags.since === "" ? [] : [`since=${momentOf(context, flags.since, "since")}`]),
    ...(flags.until === "" ? [] : [`until=${momentOf(context, flags.until, "until")}`]),
  ];
  const everywhere = flags["all-namespaces"] ? "" : context.namespace;
  const asked =
    lookups.length === 0
      ? [{ namespace: everywhere, about: [] }]
      : lookups.map(({ resource, name, namespace }) => ({
          namespace,
          about: name === undefined ? aboutObject(resource, "").slice(0, 2) : aboutObject(resource, name),
        }));
  const found: Json[] = [];
  for (const { namespace, about } of asked)
    found.push(...(await findChanges(context, namespace, [...about, ...requirements], flags.limit)));
  if (found.length === 0) context.say("No changes found");
  else print(context, found);
}

function print(context: HistoryContext, changes: readonly Json[]): void {
  const now = context.environment.clock.now();
  const rows = changes.map((change) => [
    text(change, "metadata", "name"),
    humanDuration(now - Date.parse(text(change, "metadata", "creationTimestamp"))),
    `${text(change, "object", "resource")}/${text(change, "object", "name")}`,
    whatOf(change),
    byOf(change),
    becauseOf(change),
    list(change, "fields")
      .map((field) => text(field, "path"))
      .filter((path) => path !== "")
      .join(" "),
  ]);
  const columns = new Columns();
  const lines = columns.format([["CHANGE", "AGE", "OBJECT", "WHAT", "BY", "CAUSE", "FIELDS"], ...rows]).split("\n");
  context.print(`${lines[0]}\n`);
  for (const [index, change] of changes.entries()) {
    context.print(`${lines[index + 1]?.trimEnd()}\n`);
    if (context.flags.values) context.print(columns.format(list(change, "fields").map((field) => [valuesOf(field)])));
  }
}

const valuesOf = (field: Json): string =>
  `    ${text(field, "path") || "(all)"}: ${text(field, "old") || "-"} -> ${text(field, "new") || "-"}`;
