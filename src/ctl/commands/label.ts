/** `label` and `annotate`: set and remove labels and annotations. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import {
  allFlag,
  allNamespacesFlag,
  dryRunFlag,
  fieldManagerFlag,
  fieldSelectorFlag,
  filenameFlags,
  localFlag,
  printFlags,
  recordFlag,
  selectorFlag,
} from "../flags/declared.ts";
import { nothingNamed } from "../input/lookups.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { copy, ensure, entries, isSame, type Json, object } from "../json.ts";
import { type DryRun, dryRunOf, objectPrinter, printResult } from "../output/formats.ts";
import { recorded } from "../write/notes.ts";
import { managerOf, writeOptions } from "../write/write-options.ts";

interface Marks {
  readonly member: "labels" | "annotations";
  readonly noun: "label" | "annotation";
  readonly done: "labeled" | "annotated";
  readonly command: "label" | "annotate";
}

const flagsOf = (command: string) => ({
  ...filenameFlags,
  ...printFlags,
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...allFlag,
  ...allNamespacesFlag,
  ...dryRunFlag,
  ...localFlag,
  ...recordFlag,
  ...fieldManagerFlag(command),
  overwrite: bool("Replace existing values"),
  list: bool("Print the current ones"),
  "resource-version": string("Only change the object if it has this version"),
});

type MarkContext = Context<FlagValues<ReturnType<typeof flagsOf>>>;

export const label = command({
  name: "label",
  summary: "Update the labels on a resource",
  usage: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  examples: `ctl label pods foo unhealthy=true
ctl label --overwrite pods foo status=unhealthy
ctl label pods --all status=unhealthy
ctl label pods foo bar-`,
  flags: flagsOf("label"),
  run: (context) => mark(context, { member: "labels", noun: "label", done: "labeled", command: "label" }),
});

export const annotate = command({
  name: "annotate",
  summary: "Update the annotations on a resource",
  usage: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  examples: `ctl annotate pods foo description='my frontend'
ctl annotate pods foo description-`,
  flags: flagsOf("annotate"),
  run: (context) =>
    mark(context, { member: "annotations", noun: "annotation", done: "annotated", command: "annotate" }),
});

interface Changes {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Words with "=" or a trailing "-" are changes; the words before them name objects. */
function split(args: readonly string[], hasFiles: boolean): { resources: string[]; words: string[] } {
  const isChange = (word: string) => /^[^=]+=/.test(word) || (word.endsWith("-") && word.length > 1);
  const at = hasFiles ? 0 : args.findIndex((word, index) => isChange(word) && !(index === 0 && !word.includes("=")));
  return at < 0 ? { resources: [...args], words: [] } : { resources: args.slice(0, at), words: args.slice(at) };
}

function changesOf(words: readonly string[], noun: string): Changes {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    if (at > 0 && noun === "label" && word.indexOf("=", at + 1) > 0) throw new CtlError(`invalid label spec: ${word}`);
    if (at > 0) set.set(word.slice(0, at), word.slice(at + 1));
    else if (word.endsWith("-") && word.length > 1) remove.push(word.slice(0, -1));
    else throw new CtlError(`unknown ${noun} spec: ${word}`);
  }
  const both = remove.filter((key) => set.has(key));
  if (both.length > 0)
    throw new CtlError(
      noun === "label"
        ? "can not both modify and remove a label in the same command"
        : `can not both modify and remove the following annotation(s) in the same command: ${both.join(", ")}`,
    );
  return { set, remove };
}

async function mark(context: MarkContext, marks: Marks): Promise<void> {
  const given = context.flags;
  const hasFiles = given.filename.length > 0 || given.kustomize !== "";
  const { resources, words } = split(context.args, hasFiles);
  const changes = changesOf(words, marks.noun);
  if (resources.length === 0 && !hasFiles)
    throw new CtlError("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  if (words.length === 0 && !given.list) throw new CtlError(`at least one ${marks.noun} update is required`);
  for (const [key, value] of changes.set) checkPair(marks.noun, key, value);
  const version = given["resource-version"];
  if (version !== "" && (given.all || given.selector !== ""))
    throw new CtlError("--resource-version may only be used with a single resource");
  const isLocal = given.local;
  if (isLocal && !hasFiles) throw new CtlError(nothingNamed);
  const manager = managerOf(context, marks.command);
  await forEachTarget(
    context,
    { args: resources, isLocal, allowLists: given.list && words.length === 0, mayNameAll: true },
    async (target) => {
      const result =
        words.length === 0
          ? target.object
          : await change(context, target, { marks, changes, manager, isLocal, version });
      if (given.list) listMarks(context, { ...target, object: result }, resources, marks);
    },
  );
}

/** Reports what the server would refuse before the request, in the words of the server. */
function checkPair(noun: string, key: string, value: string): void {
  if (noun === "label" && value.length > 63)
    throw new CtlError(`invalid label value: "${key}=${value}": must be no more than 63 characters`);
  if (noun === "label" && !/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value))
    throw new CtlError(
      `invalid label value: "${key}=${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    );
}

function listMarks(
  context: MarkContext,
  { object: value, resource }: ObjectTarget,
  args: readonly string[],
  { member }: Marks,
): void {
  const { flags } = context;
  const names = args.length - (args[0]?.includes("/") ? 0 : 1);
  const isOne = names === 1 || (args.length === 0 && flags.filename.length === 1);
  if (!isOne)
    context.print(
      `Listing ${member} for ${resource.kind}.${resource.group}/${String(object(value, "metadata")["name"])}:\n`,
    );
  for (const [key, mark] of entries(value, "metadata", member)) context.print(`${isOne ? "" : " "}${key}=${mark}\n`);
}

interface Change {
  readonly marks: Marks;
  readonly changes: Changes;
  readonly manager: string;
  readonly isLocal: boolean;
  readonly version: string;
}

async function change(
  context: MarkContext,
  target: ObjectTarget,
  { marks, changes, manager, isLocal, version }: Change,
): Promise<Json> {
  const { resource, namespace, name, object: before } = target;
  const current = object(before, "metadata", marks.member);
  if (!context.flags.overwrite)
    for (const [key, value] of changes.set)
      if (Object.hasOwn(current, key) && (current[key] !== value || context.behaviour.refusesSameValue))
        throw new CtlError(
          marks.noun === "label"
            ? `'${key}' already has a value (${String(current[key])}), and --overwrite is false`
            : `--overwrite is false but found the following declared annotation(s): '${key}' already has a value (${String(current[key])})`,
        );
  for (const key of changes.remove)
    if (!Object.hasOwn(current, key) && marks.noun === "label" && objectPrinter(context) === undefined)
      context.print(`label "${key}" not found.\n`);
  const after = copy(before);
  const next = ensure(after, "metadata", marks.member);
  for (const [key, value] of changes.set) next[key] = value;
  for (const key of changes.remove) delete next[key];
  const noted = await recorded(context, after);
  const dryRun = dryRunOf(context);
  const isChanged =
    !isSame(object(before, "metadata", marks.member), object(after, "metadata", marks.member)) || noted !== after;
  const told = isChanged || marks.noun === "annotation" ? marks.done : `not ${marks.done}`;
  const say = (result: Json, suffix: DryRun): Json => {
    if (!context.flags.list) printResult(context, result, told, context.behaviour.saysDryRun ? dryRun : suffix);
    return result;
  };
  if (isLocal || dryRun === "client" || (!isChanged && version === ""))
    return say(noted, dryRun === "client" && marks.noun === "annotation" ? dryRun : "none");
  const result = await context
    .at(resource)
    .patch(
      { namespace, name },
      { metadata: metadataPatch(before, noted, marks, version) },
      writeOptions(manager, dryRun),
    );
  return say(result, marks.noun === "label" ? "none" : dryRun);
}

function metadataPatch(before: Json, after: Json, marks: Marks, version: string): Json {
  const patch: Json = version === "" ? {} : { resourceVersion: version };
  for (const member of ["labels", "annotations"] as const) {
    const [old, next] = [object(before, "metadata", member), object(after, "metadata", member)];
    const changed = Object.entries(next).filter(([key, value]) => old[key] !== value);
    const gone = Object.keys(old).filter((key) => !Object.hasOwn(next, key));
    if (changed.length + gone.length > 0)
      patch[member] = { ...Object.fromEntries(changed), ...Object.fromEntries(gone.map((key) => [key, null])) };
  }
  return Object.keys(patch).length > 0 ? patch : { [marks.member]: {} };
}
