/** `history`: who changed what, when, on a server that keeps a history. */

import { bool, type FlagValues, int, string } from "../../base/flags/flag.ts";
import { humanDuration } from "../../machinery/table/human-duration.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { allNamespacesFlag } from "../flags/declared.ts";
import { findLookups, findResource } from "../input/lookups.ts";
import { aboutObject, changePages, momentOf } from "../input/past.ts";
import { type Json, list, text } from "../json.ts";
import { fold, foldedText, isOfStatus } from "../output/folded-changes.ts";
import { becauseOf, byOf, whatOf } from "../output/past.ts";
import { Columns } from "../output/table.ts";
import { pause } from "../pause.ts";

/** How many changes are asked for at once where most may be updates of a status, and how many are looked at. */
const lookedAtOnce = 200;
const lookedAtMax = 2_000;
/** The pause before a watch that the server has ended is opened again. */
const againMs = 250;

const historyFlags = {
  ...allNamespacesFlag,
  since: string("Only changes after this time, or in the last so long: 1h"),
  until: string("Only changes before this time, or before so long ago"),
  by: string("Only changes by this user"),
  manager: string("Only changes by this manager of fields"),
  values: bool("Print each changed field with its value before and after"),
  limit: int("How many changes to print at most", 50),
  status: bool("Print updates of a status as well, instead of only how many there were"),
  watch: bool("After these changes, oldest first, print what is written", false, { short: "w" }),
};

type HistoryContext = Context<FlagValues<typeof historyFlags>>;

export const history = command({
  name: "history",
  summary: "Show who changed what, and when",
  usage: "[TYPE NAME | TYPE/NAME] [--since=1h] [--by=USER]",
  description:
    "Newest first. The server must keep a history (--history). A change has a number, which `undo` takes; what you may not get is left out. Updates that only report a status are counted, and shown with --status.",
  examples: `ctl history deploy/web
ctl history deploy/web --status
ctl history -n shop -w
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
  if (flags.watch) {
    const [only, ...others] = asked;
    if (only === undefined || others.length > 0)
      throw new UsageError("--watch follows one object, one type, or one namespace");
    return follow(context, only.namespace, [...only.about, ...requirements]);
  }
  const found: Json[] = [];
  for (const { namespace, about } of asked)
    found.push(...(await search(context, namespace, [...about, ...requirements])).changes);
  if (found.length === 0) context.say("No changes found");
  else printer(context)(found);
}

/** Beyond the updates of a status, at most --limit; `version`: of the list that they are of. */
async function search(
  context: HistoryContext,
  namespace: string,
  requirements: readonly string[],
): Promise<{ readonly changes: readonly Json[]; readonly version: string }> {
  const { status, limit } = context.flags;
  const changes: Json[] = [];
  let shown = 0;
  let begin = "";
  const wanted = () => (status ? limit - shown : lookedAtOnce);
  for await (const { items, version } of changePages(context, namespace, requirements, wanted)) {
    begin ||= version;
    for (const change of items) {
      if (shown === limit) return { changes, version: begin };
      changes.push(change);
      if (status || !isOfStatus(change)) shown += 1;
    }
    if (changes.length >= lookedAtMax || shown === limit) break;
  }
  return { changes, version: begin };
}

/** Status updates are left out unless all are wanted: what is printed cannot be folded later. */
async function follow(context: HistoryContext, namespace: string, requirements: readonly string[]): Promise<void> {
  const { status } = context.flags;
  const print = printer(context);
  const { changes, version } = await search(context, namespace, requirements);
  print(changes.toReversed());
  const resource = await findResource(context, "changes.v1alpha1.history.orch.io");
  const query = { namespace, fieldSelector: requirements.join(","), bookmarks: true } as const;
  for (let since = version; !context.signal.aborted; await pause(context, againMs)) {
    for await (const { type, object: change } of context.session.watch(resource, {
      ...query,
      resourceVersion: since,
    })) {
      since = text(change, "metadata", "resourceVersion") || since;
      if (type === "ADDED" && (status || !isOfStatus(change))) print([change]);
    }
  }
  context.signal.throwIfAborted();
}

/** Prints changes in lines under one head. */
function printer(context: HistoryContext): (changes: readonly Json[]) => void {
  const { status, values } = context.flags;
  const columns = new Columns();
  let hasHead = false;
  return (changes) => {
    const now = context.environment.clock.now();
    const rows = status ? changes.map((change) => ({ change })) : fold(changes);
    const cells = rows.flatMap((row) => ("change" in row ? [cellsOf(row.change, now)] : []));
    const head = hasHead ? [] : [["CHANGE", "AGE", "OBJECT", "WHAT", "BY", "CAUSE", "FIELDS"]];
    const lines = columns.format([...head, ...cells]).split("\n");
    if (!hasHead) context.print(`${lines.shift()}\n`);
    hasHead = true;
    for (const row of rows) {
      if ("folded" in row) {
        context.print(`  …  ${foldedText(row.folded)}\n`);
        continue;
      }
      context.print(`${lines.shift()?.trimEnd()}\n`);
      if (values) context.print(columns.format(list(row.change, "fields").map((field) => [valuesOf(field)])));
    }
  };
}

const cellsOf = (change: Json, now: number): string[] => [
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
];

const valuesOf = (field: Json): string =>
  `    ${text(field, "path") || "(all)"}: ${text(field, "old") || "-"} -> ${text(field, "new") || "-"}`;
