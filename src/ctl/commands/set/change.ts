/** What the subcommands of `set` share: objects with pod templates, changed here and saved with a patch. */

import type { FlagValues } from "../../../base/flags/flag.ts";
import { StatusError } from "../../../machinery/status/status.ts";
import type { Context } from "../../context.ts";
import { CtlError, throwFailures } from "../../errors.ts";
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
import { findTargets, type ObjectTarget } from "../../input/targets.ts";
import { copy, isSame, type Json, kindOf, list, text } from "../../json.ts";
import { dryRunOf, printResult } from "../../output/formats.ts";
import { recorded } from "../../write/notes.ts";
import { patchTo } from "../../write/patch-to.ts";
import { managerOf } from "../../write/write-options.ts";
import { podSpecOf } from "./find-pod-spec.ts";
import { typedForm } from "./typed-form.ts";

export const changeFlags = {
  ...filenameFlags,
  ...printFlags,
  ...selectorFlag,
  ...allFlag,
  ...dryRunFlag,
  ...localFlag,
  ...recordFlag,
  ...fieldManagerFlag("set"),
};

interface SetChange {
  /** The arguments that name objects. */
  readonly args: readonly string[];
  /** "image updated" */
  readonly done: string;
  /** The prefix of a refusal of the server. */
  readonly failure?: string;
  /** Whether an object that already has the value is reported as well. */
  readonly tellsUnchanged?: boolean;
  /** Throws if flags are missing; called when all objects were found. */
  readonly check?: () => void;
  /** Changes its argument, a copy; returned errors are reported after the other objects are saved. */
  readonly apply: (object: Json, target: ObjectTarget) => CtlError | undefined | Promise<CtlError | undefined>;
}

const filesWanted = `you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`;

export async function changeAll(context: Context<FlagValues<typeof changeFlags>>, change: SetChange): Promise<void> {
  const isLocal = context.flags.local;
  if (isLocal && dryRunOf(context) === "server")
    throw new CtlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  if (isLocal && change.args.length > 0) throw new CtlError(filesWanted);
  const manager = managerOf(context, "set");
  const dryRun = dryRunOf(context);
  const targets = await findTargets(context, { args: change.args, isLocal, mayNameAll: true });
  change.check?.();
  const failures: unknown[] = [];
  for (const target of targets) {
    try {
      await changeOne(target);
    } catch (error) {
      if (context.signal.aborted) throw error;
      failures.push(error);
    }
  }
  throwFailures(failures);
  if (targets.length === 0 && context.behaviour.refusesNoChange)
    throw new CtlError(`no objects passed to ${context.path.join(" ")}`);

  async function changeOne(target: ObjectTarget): Promise<void> {
    const after = copy(target.object);
    const problem = await change.apply(after, target);
    await save(target, after);
    if (problem !== undefined) throw problem;
  }

  async function save(target: ObjectTarget, after: Json): Promise<void> {
    const isChanged = !isSame(after, target.object);
    const noted = isChanged ? await recorded(context, after) : after;
    if (isLocal) {
      const isBuiltIn = (await context.session.openApi.mergeSchema(target.resource)) !== undefined;
      return printResult(context, isBuiltIn ? typedForm(noted) : noted, change.done);
    }
    const patched = await patchTo(context, target, { before: target.object, after: noted, manager }).catch(
      (error: unknown) => {
        if (change.failure === undefined || !(error instanceof StatusError)) throw error;
        throw new CtlError(change.failure + error.message, { cause: error });
      },
    );
    if (isChanged || change.tellsUnchanged === true || context.isSet("output"))
      printResult(context, patched ?? noted, change.done, dryRun);
  }
}

export function requirePodSpec(value: Json): Json {
  const spec = podSpecOf(value);
  if (spec === undefined)
    throw new CtlError(
      `${kindOf(value).toLowerCase()}s/${text(value, "metadata", "name")} the object is not a pod or does not have a pod template: *${text(value, "apiVersion").split("/").at(-1)}.${kindOf(value)}`,
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

/** Words with "=" after a name are changes; the others name objects. */
export function splitPairs(args: readonly string[]): { resources: string[]; pairs: string[] } {
  const at = args.findIndex(
    (word) => /^[^=/]+=/.test(word) || (word.endsWith("-") && word.length > 1 && !word.includes("/")),
  );
  return at < 0 ? { resources: [...args], pairs: [] } : { resources: args.slice(0, at), pairs: args.slice(at) };
}
