/** `delete`: deletes objects by name, file or selector, and waits until they are gone. */

import { anyDuration, bool, type FlagValues, int, string } from "../../base/flags/flag.ts";
import type { DeleteOptions, ObjectAddress } from "../../client/contract.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, TimedOut, throwFailures, whileDoing } from "../errors.ts";
import {
  allFlag,
  allNamespacesFlag,
  dryRunFlag,
  fieldSelectorFlag,
  filenameFlags,
  selectorFlag,
} from "../flags/declared.ts";
import { findLookups, type Lookup } from "../input/lookups.ts";
import { located } from "../input/problems.ts";
import { requirePath } from "../input/raw.ts";
import { targetsOf } from "../input/targets.ts";
import { type Json, nameText, text, texts } from "../json.ts";
import { type DryRun, dryRunOf } from "../output/formats.ts";
import { Progress } from "../output/progress.ts";
import { pause } from "../pause.ts";
import { kindName } from "../server/resource-names.ts";
import { workInOrder } from "../write/in-order.ts";

/** Flags of all commands that delete. */
export const deletionFlags = {
  cascade: string("background, foreground or orphan: what happens to dependents", "background", { bare: "background" }),
  force: bool("Delete at once; for apply and replace: delete and create anew"),
  "grace-period": int("The grace period in seconds; negative: that of the object", -1),
  timeout: anyDuration("How long to wait for the deletion; 0: without limit"),
  wait: bool("Wait until the objects are gone", true),
};

export type DeletionContext = Context<FlagValues<typeof deletionFlags>>;

const deleteFlags = {
  ...filenameFlags,
  ...deletionFlags,
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...allFlag,
  ...allNamespacesFlag,
  ...dryRunFlag,
  "ignore-not-found": bool("An object that does not exist is not an error"),
  now: bool("The same as --grace-period=1"),
  output: string("name: print names only", "", { short: "o" }),
  raw: string("A path of the server to DELETE"),
};

type DeleteContext = Context<FlagValues<typeof deleteFlags>>;

export const deleteCommand = command({
  name: "delete",
  summary: "Delete resources by filenames, stdin, resources and names, or by resources and label selector",
  usage: "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
  examples: `ctl delete -f ./pod.json
ctl delete pod,service baz foo
ctl delete pods,services -l name=myLabel
ctl delete pod foo --grace-period=0 --force
ctl delete pods --all`,
  flags: deleteFlags,
  run,
});

export type Propagation = NonNullable<DeleteOptions["propagationPolicy"]>;

/** Deletes and resolves when the object is gone. */
export async function deleteAndWait(
  context: Context,
  place: ObjectAddress,
  options: DeleteOptions & { readonly timeoutMs: number },
): Promise<void> {
  let answer: Json;
  try {
    answer = await context.at(place.resource).delete(place, options);
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  await waitGone(context, place, uidOf(answer), options.timeoutMs);
}

/** The answer is the object itself, or a Status that names it. */
function uidOf(answer: Json): string {
  return text(answer, "metadata", "uid") || text(answer, "details", "uid");
}

const pollMs = 250;

/** Resolves when the object is gone, or another object has its name. */
export async function waitGone(
  context: Context,
  place: ObjectAddress,
  uid: string,
  timeoutMs: number,
  onStill: (live: Json) => void = () => {},
): Promise<void> {
  const { clock } = context.environment;
  const endMs = timeoutMs > 0 ? clock.monotonic() + timeoutMs : Number.POSITIVE_INFINITY;
  for (;;) {
    try {
      const live = await context.at(place.resource).get(place);
      if (uid !== "" && text(live, "metadata", "uid") !== uid) return;
      onStill(live);
    } catch (error) {
      if (isNotFound(error) || (error instanceof StatusError && error.code === 405)) return;
      throw error;
    }
    if (clock.monotonic() >= endMs)
      throw new TimedOut(`timed out waiting for the condition on ${place.resource.resource}/${place.name}`);
    await pause(context, pollMs);
  }
}

export function propagationOf(context: DeletionContext): Propagation {
  const value = context.flags.cascade;
  switch (value) {
    case "background":
    case "":
      return "Background";
    case "foreground":
      return "Foreground";
    case "orphan":
      return "Orphan";
    case "true":
      context.say(
        "warning: --cascade=true is deprecated (boolean value) and can be replaced with --cascade=background.",
      );
      return "Background";
    case "false":
      context.say("warning: --cascade=false is deprecated (boolean value) and can be replaced with --cascade=orphan.");
      return "Orphan";
    default:
      throw new CtlError(`invalid cascade value (${value}). Must be "background", "foreground", or "orphan"`);
  }
}

async function run(context: DeleteContext): Promise<void> {
  const { flags } = context;
  if (context.isSet("raw")) {
    requirePath(flags.raw, (message) => new CtlError(message));
    const response = await context.session.send.open(flags.raw, { method: "DELETE" });
    return context.printRaw(await response.text());
  }
  const output = flags.output;
  if (output !== "" && output !== "name")
    throw new CtlError(`unexpected -o output mode: ${output}. We only support '-o name'`);
  const propagationPolicy = propagationOf(context);
  const grace = graceOf(context);
  const dryRun = dryRunOf(context);
  const deletion = { propagationPolicy, gracePeriodSeconds: grace, dryRun: dryRun === "server" };
  const lookups = await findLookups(context, { filesOnly: true });
  const isForced = flags.force || grace === 0;
  if (isForced && flags.force && dryRun === "none")
    context.say(
      "warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.",
    );
  const failures: unknown[] = [];
  const waiting: { place: ObjectAddress; uid: string }[] = [];
  let count = 0;
  let isScopeTold = flags.namespace === "" || flags["all-namespaces"];
  const ignoresMissing = context.isSet("ignore-not-found")
    ? flags["ignore-not-found"]
    : flags.all || flags.selector !== "";
  for (const lookup of lookups) {
    try {
      for await (const place of placesOf(context, lookup)) {
        if (!isScopeTold && !place.resource.namespaced) {
          isScopeTold = true;
          context.say("warning: deleting cluster-scoped resources, not scoped to the provided namespace");
        }
        try {
          const answer =
            dryRun === "client"
              ? await context.at(place.resource).get(place)
              : await context.at(place.resource).delete(place, deletion);
          count++;
          printDeleted(context, place, { isForced: flags.force, output, dryRun });
          waiting.push({ place, uid: uidOf(answer) });
        } catch (error) {
          if (!(isNotFound(error) && ignoresMissing))
            failures.push(located(context, lookup.manifest, whileDoing(context, "deleting", lookup.source, error)));
        }
      }
    } catch (error) {
      if (!(isNotFound(error) && ignoresMissing)) failures.push(located(context, lookup.manifest, error));
    }
  }
  const isList = lookups.every(({ name }) => name === undefined);
  if (count === 0 && failures.length === 0 && output !== "name" && isList) {
    if (context.behaviour.printsNothingFound) context.print("No resources found\n");
    else context.say("No resources found");
  }
  if (flags.wait && dryRun === "none") await waitAll(context, waiting);
  throwFailures(failures);
}

function graceOf(context: DeleteContext): number | undefined {
  const { flags } = context;
  if (flags.now && context.isSet("grace-period"))
    throw new CtlError("--now and --grace-period cannot be specified together");
  const given = flags["grace-period"];
  if (flags.force) {
    if (context.isSet("grace-period") && given > 0)
      throw new CtlError("--force and --grace-period greater than 0 cannot be specified together");
    return 0;
  }
  if (flags.now) return 1;
  // Without --force a grace period of zero becomes one second, so that the node confirms the end.
  if (given === 0) return 1;
  return given < 0 ? undefined : given;
}

async function* placesOf(context: Context, lookup: Lookup): AsyncIterable<ObjectAddress> {
  const { resource, namespace, name, object: manifest, problem } = lookup;
  if (problem !== undefined) throw problem;
  if (name !== undefined) yield { resource, namespace, name };
  else if (manifest !== undefined) throw new CtlError("resource name may not be empty");
  else
    for await (const target of targetsOf(context, lookup))
      yield { resource, namespace: target.namespace, name: target.name };
}

function printDeleted(
  context: Context,
  place: ObjectAddress,
  options: { isForced: boolean; output: string; dryRun: DryRun },
): void {
  const { resource, name } = place;
  if (options.output === "name") {
    context.print(`${kindName(resource)}/${name}\n`);
    return;
  }
  const suffix = options.dryRun === "client" ? " (dry run)" : options.dryRun === "server" ? " (server dry run)" : "";
  context.print(`${kindName(resource)} "${name}" ${options.isForced ? "force deleted" : "deleted"}${suffix}\n`);
}

async function waitAll(
  context: DeleteContext,
  waiting: readonly { place: ObjectAddress; uid: string }[],
): Promise<void> {
  const progress = new Progress(context);
  let left = waiting.length;
  if (left > 1) progress.show(`waiting for ${left} objects to be deleted`);
  const endOf = ({ place, uid }: { place: ObjectAddress; uid: string }) =>
    waitGone(context, place, uid, context.flags.timeout, (live) =>
      progress.show(left === 1 ? waitingFor(live) : `waiting for ${left} objects to be deleted`),
    );
  try {
    await workInOrder({
      batches: [waiting],
      work: endOf,
      onDone: () => left--,
      onFailed(error) {
        throw error;
      },
    });
  } finally {
    progress.clear();
  }
}

/** The finalizers that an object waits for, if it has any. */
function waitingFor(live: Json): string {
  const finalizers = [...texts(live, "metadata", "finalizers"), ...texts(live, "spec", "finalizers")];
  const reason = finalizers.length === 0 ? "" : `: its finalizers are ${finalizers.join(", ")}`;
  return `waiting for ${nameText(live)} to be deleted${reason}`;
}
