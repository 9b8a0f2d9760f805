/** What the subcommands of `set` share: objects with pods in them, changed here and saved with a patch. */

import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import {
  allFlag,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  localFlag,
  printFlags,
  recordFlag,
  selectorFlag,
} from "../../flags/declared.ts";
import type { Flag } from "../../flags/flag.ts";
import { forEachTarget, type Target } from "../../input/targets.ts";
import { copy, isJson, isSame, type Json, kindOf, list, object, text } from "../../json.ts";
import { isBuiltIn } from "../../merge/patch.ts";
import { dryRunOf, printResult } from "../../output/formats.ts";
import { recorded } from "../../write/notes.ts";
import { managerOf, patchTo } from "../../write/submit.ts";
import { typedForm } from "./typed-form.ts";

export const changeFlags: readonly Flag[] = [
  ...filenameFlags,
  ...printFlags,
  selectorFlag,
  allFlag,
  dryRunFlag,
  localFlag,
  recordFlag,
  fieldManagerFlag("set"),
];

export interface Change {
  /** The arguments that name objects. */
  readonly args: readonly string[];
  /** "image updated" */
  readonly done: string;
  /** Changes the copy it is given. */
  readonly apply: (object: Json, target: Target) => void | Promise<void>;
}

const filesWanted = `you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`;

export async function changeAll(context: Context, change: Change): Promise<void> {
  const isLocal = context.flags.on("local");
  if (isLocal && dryRunOf(context) === "server")
    throw new CtlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  if (isLocal && change.args.length > 0) throw new CtlError(filesWanted);
  const manager = await managerOf(context, "set");
  const dryRun = dryRunOf(context);
  const count = await forEachTarget(context, { args: change.args, isLocal }, async (target) => {
    const after = copy(target.object);
    await change.apply(after, target);
    const isChanged = !isSame(after, target.object);
    const noted = isChanged ? await recorded(context, after) : after;
    if (isLocal) return printResult(context, isBuiltIn(target.resource.group) ? typedForm(noted) : noted, change.done);
    const result = (await patchTo(context, target, { before: target.object, after: noted, manager })) ?? noted;
    if (isChanged || context.flags.isSet("output")) printResult(context, result, change.done, dryRun);
  });
  if (count === 0) throw new CtlError(`no objects passed to ${context.path.join(" ")}`);
}

/** The pod inside of an object; undefined: it has none. */
export function podSpecOf(value: Json): Json | undefined {
  const spec = object(value, "spec");
  const inside =
    kindOf(value) === "Pod"
      ? spec
      : kindOf(value) === "CronJob"
        ? object(spec, "jobTemplate", "spec", "template")["spec"]
        : object(spec, "template")["spec"];
  return isJson(inside) ? inside : undefined;
}

export function requirePodSpec(value: Json): Json {
  const spec = podSpecOf(value);
  if (spec === undefined)
    throw new CtlError(
      `${kindOf(value).toLowerCase()}s/${text(value, "metadata", "name")} the object is not a pod or does not have a pod template: ${kindOf(value)}`,
    );
  return spec;
}

export function containersOf(spec: Json): Json[] {
  return [...list(spec, "initContainers"), ...list(spec, "containers")];
}

/** `*`, `web-*`, `web`. */
export function isNamed(container: Json, pattern: string): boolean {
  if (pattern === "*") return true;
  const form = new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|\\[\]]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );
  return form.test(text(container, "name"));
}

/** Words with "=" behind a name are changes; the others name objects. */
export function splitPairs(args: readonly string[]): { resources: string[]; pairs: string[] } {
  const at = args.findIndex(
    (word) => /^[^=/]+=/.test(word) || (word.endsWith("-") && word.length > 1 && !word.includes("/")),
  );
  return at < 0 ? { resources: [...args], pairs: [] } : { resources: args.slice(0, at), pairs: args.slice(at) };
}
