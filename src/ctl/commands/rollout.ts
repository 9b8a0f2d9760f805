/** `rollout`: manages the rollout of a workload. */

import { anyDuration, bool, type FlagValues } from "../../base/flags/flag.ts";
import { int64 } from "../../base/flags/numbers.ts";
import { pausePatch, restartPatch } from "../../operations/acts.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { selectorText } from "../describe/selector.ts";
import { CtlError, TimedOut } from "../errors.ts";
import { dryRunFlag, fieldManagerFlag, filenameFlags, printFlags, selectorFlag } from "../flags/declared.ts";
import { findResource, hasFiles } from "../input/lookups.ts";
import { findTargets, forEachTarget, type ObjectTarget, visitFound } from "../input/targets.ts";
import { changedBy, dig, type Json, nameOf } from "../json.ts";
import { printResult } from "../output/formats.ts";
import { pause } from "../pause.ts";
import { isJustCreated, pendingReasons } from "../streams/pending.ts";
import { patchTo } from "../write/patch-to.ts";
import { managerOf } from "../write/write-options.ts";
import { historyText } from "./rollout/history.ts";
import { statusOf } from "./rollout/status.ts";
import { undo } from "./rollout/undo.ts";

const sharedFlags = { ...filenameFlags, ...printFlags, ...selectorFlag };
const writeFlags = { ...sharedFlags, ...fieldManagerFlag("rollout") };

const statusFlags = {
  ...sharedFlags,
  watch: bool("Wait until it is done", true, { short: "w" }),
  revision: int64("End when another revision becomes the current one"),
  timeout: anyDuration("How long to wait; 0: without limit"),
};

type StatusContext = Context<FlagValues<typeof statusFlags>>;

/** A type alone means all of its objects. */
const anyOf = { allowLists: true };

export const rollout = command({
  name: "rollout",
  summary: "Manage the rollout of a resource",
  usage: "SUBCOMMAND",
  bareHelp: { stream: "stdout", code: 1 },
  examples: `ctl rollout status deployment/nginx
ctl rollout undo deployment/nginx`,
  subcommands: [
    command({
      name: "history",
      summary: "View rollout history",
      usage: "(TYPE NAME | TYPE/NAME) [flags]",
      examples: `ctl rollout history deployment/nginx
ctl rollout history daemonset/nginx --revision=3`,
      flags: { ...sharedFlags, revision: int64("Show the details of this revision") },
      run: history,
    }),
    command({
      name: "pause",
      summary: "Mark the provided resource as paused",
      usage: "RESOURCE",
      examples: `ctl rollout pause deployment/nginx`,
      flags: writeFlags,
      run: (context) => setPaused(context, true),
    }),
    command({
      name: "resume",
      summary: "Resume a paused resource",
      usage: "RESOURCE",
      examples: `ctl rollout resume deployment/nginx`,
      flags: writeFlags,
      run: (context) => setPaused(context, false),
    }),
    command({
      name: "restart",
      summary: "Restart a resource",
      usage: "RESOURCE",
      examples: `ctl rollout restart deployment/nginx`,
      flags: writeFlags,
      run: restart,
    }),
    command({
      name: "status",
      summary: "Show the status of the rollout",
      usage: "(TYPE NAME | TYPE/NAME) [flags]",
      examples: `ctl rollout status deployment/nginx
ctl rollout status deployment/nginx --watch=false
ctl rollout status deployment/nginx --timeout=5m`,
      flags: statusFlags,
      run: status,
    }),
    command({
      name: "undo",
      summary: "Undo a previous rollout",
      usage: "(TYPE NAME | TYPE/NAME) [flags]",
      examples: `ctl rollout undo deployment/nginx
ctl rollout undo daemonset/nginx --to-revision=3
ctl rollout undo deployment/nginx --dry-run=server`,
      flags: {
        ...sharedFlags,
        ...fieldManagerFlag(""),
        ...dryRunFlag,
        "to-revision": int64("The revision to go back to; 0: the last one"),
      },
      run: async (context) => {
        requireResource(context);
        await forEachTarget(context, anyOf, (target) => undo(context, target));
      },
    }),
  ],
});

function requireResource(context: Context): void {
  if (context.args.length === 0 && !hasFiles(context)) throw new CtlError("required resource not specified");
}

async function history(context: Context<{ readonly revision: bigint }>): Promise<void> {
  requireResource(context);
  const revision = context.flags.revision;
  if (revision < 0) throw new CtlError(`revision must be a positive integer: ${revision}`);
  await forEachTarget(context, anyOf, async (target) => {
    const text = await historyText(context, target, revision);
    const within = revision > 0 ? `with revision #${revision}` : "";
    printResult(context, target.object, `${within}\n${text}`);
  });
}

/** Errors are reported together, so each message has its own "error: ". */
async function setPaused(context: Context, isPaused: boolean): Promise<void> {
  requireResource(context);
  const manager = managerOf(context, "rollout");
  await visitFound(context, anyOf, async (target) => {
    const { resource, name, object } = target;
    const full = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
    if (resource.kind !== "Deployment")
      throw new CtlError(`error: ${full} "${name}" ${isPaused ? "pausing" : "resuming"} is not supported`);
    if ((dig(object, "spec", "paused") === true) === isPaused)
      throw new CtlError(`error: ${full} "${name}" is ${isPaused ? "already" : "not"} paused`);
    const after = changedBy(object, pausePatch(isPaused));
    const result = (await patchTo(context, target, { before: object, after, manager })) ?? after;
    printResult(context, result, isPaused ? "paused" : "resumed");
  });
}

const restartable = new Set(["Deployment", "DaemonSet", "StatefulSet"]);

async function restart(context: Context): Promise<void> {
  requireResource(context);
  const manager = managerOf(context, "rollout");
  const vocabulary = await context.vocabulary();
  await visitFound(context, anyOf, async (target) => {
    const { resource, name, object } = target;
    const full = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
    if (!restartable.has(resource.kind)) throw new CtlError(`error: ${full} "${name}" restarting is not supported`);
    if (dig(object, "spec", "paused") === true)
      throw new CtlError(`error: ${full} "${name}" can't restart paused deployment (run rollout resume first)`);
    const after = changedBy(object, restartPatch(vocabulary, context.environment.clock.now()));
    printResult(context, (await patchTo(context, target, { before: object, after, manager })) ?? after, "restarted");
  });
}

const pollMs = 250;

async function status(context: StatusContext): Promise<void> {
  requireResource(context);
  const revision = context.flags.revision;
  if (revision < 0) throw new CtlError(`revision must be a positive integer: ${revision}`);
  const targets = await findTargets(context, anyOf);
  if (targets.length !== 1 && !context.behaviour.followsSeveralRollouts)
    throw new CtlError(
      `rollout status is only supported on individual resources and resource collections - ${targets.length} resources were found`,
    );
  for (const target of targets) await follow(context, target);
}

async function follow(context: StatusContext, target: ObjectTarget): Promise<void> {
  const { clock } = context.environment;
  const timeoutMs = context.flags.timeout;
  const endMs = timeoutMs > 0 ? clock.monotonic() + timeoutMs : Number.POSITIVE_INFINITY;
  const place = { resource: target.resource, namespace: target.namespace, name: target.name };
  let told = "";
  let reason = "";
  for (let object: Json = target.object; ; object = await context.at(place.resource).get(place)) {
    const { message, isDone } = await statusOf(context, target.resource, object, context.flags.revision);
    const isNews = message !== told;
    if (isNews) context.print(`${message}\n`);
    told = message;
    if (isDone) return;
    if (context.behaviour.givesHints && (isNews || reason === "")) reason = await tellPending(context, target, reason);
    if (!context.flags.watch) return;
    if (clock.monotonic() >= endMs) throw new TimedOut();
    await pause(context, pollMs);
  }
}

/** Says why the first of the pods is pending, unless that was the reason before. Resolves with the reason. */
async function tellPending(
  context: StatusContext,
  { namespace, object: workload }: ObjectTarget,
  before: string,
): Promise<string> {
  const labelSelector = selectorText(dig(workload, "spec", "selector"));
  if (labelSelector === "<none>") return before;
  for await (const pod of context.at(await findResource(context, "pods")).items({ namespace, labelSelector })) {
    if (context.flags.watch && isJustCreated(pod, context.environment.clock.now())) continue;
    const [reason] = await pendingReasons(context, pod);
    if (reason === undefined) continue;
    if (reason !== before) context.note(`pod/${nameOf(pod)} does not run yet: ${reason}`);
    return reason;
  }
  return before;
}
