/** `get`: shows objects as a table of the server, or in a chosen format. */

import { isNotFound } from "../../client/requests/refusals.ts";
import { command } from "../command.ts";
import { CtlError, UsageError } from "../errors.ts";
import { everythingLookups } from "../input/everything.ts";
import { findLookups, type Lookup, subresourceOf } from "../input/lookups.ts";
import { inNamespaces } from "../input/namespaces.ts";
import { lookupsAt, pastOf } from "../input/past.ts";
import { requirePath } from "../input/raw.ts";
import { throwCollected } from "../input/targets.ts";
import type { Json } from "../json.ts";
import { columnsPrinter } from "../output/custom-columns.ts";
import { asList, objectPrinter, outputOf } from "../output/formats.ts";
import { sortObjects } from "../output/sort.ts";
import { printTables } from "../output/tables.ts";
import { checkQuestion, printCounts } from "./get-count.ts";
import { type GetContext, getFlags } from "./get-flags.ts";
import { eachObject, fetchObjects } from "./get-objects.ts";
import { watchLookups } from "./get-watch.ts";

export const get = command({
  name: "get",
  summary: "Display one or many resources.",
  usage: "[(-o|--output=)FORMAT] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]",
  description:
    "Prints a table of the most important information. `everything` means every type that can be listed, `all` the common ones.",
  examples: `ctl get pods
ctl get pods -o wide
ctl get -f pod.yaml -o json
ctl get deployments.v1.apps -A --sort-by=.metadata.creationTimestamp
ctl get rc/web service/frontend pods/web-pod-13je7
ctl get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}'
ctl get pods -n shop,'team-*' --show-labels
ctl get deployments -A --where 'self.status.readyReplicas < self.spec.replicas' --order-by 'spec.replicas desc'
ctl get pods -A --where 'self.status.phase == "Failed"' --count
ctl get pods --at=-5m`,
  flags: getFlags,
  run,
});

/** Formats that only `get` has. */
const ownFormats = ["custom-columns", "custom-columns-file", "wide"];

/** Formats that kubectl lacks. */
const moreFormats = ["csv"];

async function run(context: GetContext): Promise<void> {
  const { flags } = context;
  if (context.isSet("raw")) return printPath(context);
  if (context.isSet("watch") && context.isSet("output") && flags.watch && flags["sort-by"] !== "")
    throw new CtlError("--watch and --sort-by cannot be used together");
  if (flags["output-watch-events"] && !flags.watch && !flags["watch-only"])
    throw new CtlError("--output-watch-events option can only be used with --watch or --watch-only");
  if (context.isSet("at")) checkPast(context);
  const { format, argument } = outputOf(context);
  if (format.startsWith("custom-columns") && argument === "")
    throw new CtlError("custom-columns format specified but no custom columns given");
  const printer = format.startsWith("custom-columns")
    ? columnsPrinter(context, format, argument)
    : objectPrinter(context, context.behaviour.hasCsv ? [...ownFormats, ...moreFormats] : ownFormats);
  if (context.args.length === 0 && !context.isSet("filename") && !context.isSet("kustomize"))
    throw new CtlError(
      `You must specify the type of resource to get. Use "${context.program} api-resources" for a complete list of supported resources.\n\nerror: Required resource not specified.\nUse "${context.program} explain <resource>" for a detailed description of that resource (e.g. ${context.program} explain pods).\nSee '${context.program} get -h' for help and examples`,
      { isBare: true },
    );
  const everything = context.args[0] === "everything";
  const named = everything ? await everythingLookups(context) : await findLookups(context, { allowLists: true });
  if (subresourceOf(context) !== undefined && named.some(({ name }) => name === undefined))
    throw new CtlError("--subresource needs the name of an object");
  const present = await inNamespaces(context, named);
  const lookups = flags.at === "" ? present : await lookupsAt(context, pastOf(context, flags.at, "at"), present);
  checkQuestion(context, lookups);
  if (flags.count) return printCounts(context, lookups);
  const print = () => {
    if (flags.watch || flags["watch-only"]) return watchLookups(context, lookups, printer);
    if (printer === undefined) return printTables(context, lookups);
    if (eachAlone.has(format) && flags["sort-by"] === "") return streamObjects(context, lookups, printer);
    return printObjects(context, lookups, printer);
  };
  // The user has not named these types, so a warning about one is not for them.
  await (everything ? context.withoutWarnings(print) : print());
  if (context.args[0] === "all" && context.behaviour.givesHints)
    context.note(`"all" means the common types; "${context.program} get everything" shows every type`);
}

/** Only reads of whole objects know a past. */
function checkPast({ flags }: GetContext): void {
  if (flags.at === "") throw new UsageError("--at is empty");
  for (const flag of ["watch", "watch-only", "subresource"] as const)
    if (flags[flag]) throw new UsageError(`--at and --${flag} cannot be used together`);
}

/** Formats that print each object separately, so that printing starts before the list is complete. */
const eachAlone: ReadonlySet<string> = new Set(["name", "ndjson"]);

async function streamObjects(
  context: GetContext,
  lookups: readonly Lookup[],
  printer: (object: Json) => string,
): Promise<void> {
  const failures: unknown[] = [];
  for (const lookup of lookups) {
    try {
      for await (const object of eachObject(context, lookup)) {
        context.printRaw(printer(object));
        await context.environment.stdout.drained();
      }
    } catch (error) {
      if (!(isNotFound(error) && context.flags["ignore-not-found"])) failures.push(error);
    }
  }
  throwCollected(failures);
}

async function printObjects(
  context: GetContext,
  lookups: readonly Lookup[],
  printer: (object: Json) => string,
): Promise<void> {
  const failures: unknown[] = [];
  const found: Json[] = [];
  let whole: Json | undefined;
  for (const lookup of lookups) {
    try {
      const answer = await fetchObjects(context, lookup);
      if (lookup.name !== undefined) found.push(answer);
      else {
        whole = lookups.length === 1 ? answer : undefined;
        const items = Array.isArray(answer["items"]) ? (answer["items"] as Json[]) : [];
        found.push(...items);
      }
    } catch (error) {
      if (!(isNotFound(error) && context.flags["ignore-not-found"])) failures.push(error);
    }
  }
  const sortBy = context.flags["sort-by"];
  const sorted = sortBy === "" ? found : sortObjects(found, sortBy);
  const isSingle = lookups.length === 1 && lookups[0]?.name !== undefined;
  if (failures.length > 0 && found.length === 0 && whole === undefined) throwCollected(failures);
  if (isSingle && sorted[0] !== undefined) context.printRaw(printer(sorted[0]));
  else if (!isSingle) {
    const { format } = outputOf(context);
    if (eachAlone.has(format)) for (const item of sorted) context.printRaw(printer(item));
    else context.printRaw(printer(asList(context, sorted)));
  }
  throwCollected(failures);
}

async function printPath(context: GetContext): Promise<void> {
  const { flags } = context;
  if (context.args.length > 0) throw new CtlError("arguments may not be passed when --raw is specified");
  for (const flag of ["watch", "watch-only", "selector", "field-selector", "filename"] as const)
    if (context.isSet(flag))
      throw new CtlError(
        `--raw may not be specified with other flags that filter the server request or alter the output`,
      );
  if (flags.output !== "") throw new UsageError("--raw and --output are mutually exclusive");
  requirePath(flags.raw, (message) => new UsageError(message));
  const response = await context.session.send.open(flags.raw, { accept: "application/json, */*" });
  if (response.body === null) return;
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    context.printRaw(chunk);
    await context.environment.stdout.drained();
  }
}
